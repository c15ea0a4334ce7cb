/**
 * A customer's transactions, page by page. They are requested only when an operator asks for them, since the audit
 * records it.
 */
import { useState } from 'preact/hooks';
import {
  LedgerlineError,
  type DetailedTransaction,
  type Transaction,
  type TransactionPage,
} from '../../../client/index.ts';
import { useAction } from '../../data/use-action.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { ListWithPanel } from '../../ui/side-panel.tsx';
import { formatNumber } from '../format.ts';
import { Panel } from '../frame.tsx';
import { useOperator } from '../operator.ts';
import { ExactTime, Outcome, WriteButton } from '../parts.tsx';
import { t } from '../texts.ts';
import { TransactionDetails } from './transaction-details.tsx';
import { QuietButton } from '../../ui/quiet-button.tsx';

const pageSize = 20;

export function TransactionsPanel({ userId }: { userId: number }) {
  const { operations } = useOperator();
  const reading = useAction();
  const { run } = reading;
  const [shown, setShown] = useState<{ number: number; page: TransactionPage }>();
  const [detailed, setDetailed] = useState<DetailedTransaction>();

  async function show(number: number): Promise<void> {
    // Later pages are pinned to the time of the first page.
    const asOf = number > 1 ? shown?.page.asOf : undefined;
    await run(async () => {
      const request = operations.transactions(userId, { dataBatch: number, dataBatchCount: pageSize, asOf });
      setShown({ number, page: await emptyIfNone(request) });
      setDetailed(undefined);
    }, t.customer.transactions);
  }

  async function showDetails(transactionId: string): Promise<void> {
    await run(async () => setDetailed(await operations.transaction(userId, transactionId)), t.customer.details);
  }

  return (
    <ListWithPanel
      panel={
        detailed && (
          <TransactionDetails
            key={detailed.transactionId}
            transaction={detailed}
            onClose={() => setDetailed(undefined)}
          />
        )
      }
    >
      <Panel
        title={t.customer.transactions}
        actions={shown && <p class="updated-at">{t.customer.countOf(formatNumber(shown.page.transactionCount))}</p>}
      >
        {!shown && (
          <p class="phone-line">
            <WriteButton onClick={() => show(1)}>{t.customer.showTransactions}</WriteButton>
            <span class="soft">{t.customer.transactionsAbout}</span>
          </p>
        )}
        {shown?.page.transactionCount === 0 && <p class="soft">{t.customer.noTransactions}</p>}
        {shown && shown.page.transactions.length > 0 && (
          <div class="scrolled-table">
            <DataTable
              columns={[
                t.common.when,
                t.customer.amount,
                t.customer.type,
                t.customer.names,
                t.customer.note,
                t.customer.details,
              ]}
              hasControl
              rows={shown.page.transactions.map((row) => ({
                key: row.transactionId,
                cells: cellsOf(row, showDetails),
              }))}
            />
          </div>
        )}
        {shown && <Pager number={shown.number} count={shown.page.transactionCount} onShow={show} />}
        <Outcome of={reading} />
      </Panel>
    </ListWithPanel>
  );
}

/** A customer without transactions is an error in the API, but not here. */
async function emptyIfNone(request: Promise<TransactionPage>): Promise<TransactionPage> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof LedgerlineError && error.reason === 'no-transactions') {
      return { transactions: [], transactionCount: 0, asOf: '' };
    }
    throw error;
  }
}

interface PagerProps {
  number: number;
  count: number;
  onShow(number: number): void;
}

function Pager({ number, count, onShow }: PagerProps) {
  const pages = Math.ceil(count / pageSize);
  if (pages < 2) return null;
  return (
    <nav class="page-turner" aria-label={t.customer.transactions}>
      <QuietButton disabled={number === 1} onClick={() => onShow(number - 1)}>
        {t.customer.newer}
      </QuietButton>
      <span>{t.customer.page(formatNumber(number), formatNumber(pages))}</span>
      <QuietButton disabled={number === pages} onClick={() => onShow(number + 1)}>
        {t.customer.older}
      </QuietButton>
    </nav>
  );
}

const isZero = (decimal: string) => !/[1-9]/.test(decimal);

/** 1250000.50 as 1,250,000.50: without a conversion to a number, which would round it. */
const groupDigits = (decimal: string) =>
  decimal.replace(/^\d+/, (digits) => digits.replaceAll(/\B(?=(\d{3})+$)/g, ','));

function cellsOf(row: Transaction, onShow: (transactionId: string) => void) {
  const { timeStamp, amountText, currency, transactionCategory, transactionType, transactionStatus } = row;
  const sign = transactionCategory === 'Debit' ? '−' : transactionCategory === 'Credit' ? '+' : '';
  return [
    <>
      <ExactTime instant={timeStamp} />
      <span class="small-print">{row.transactionId}</span>
    </>,
    <span class="unbroken-words">{`${isZero(amountText) ? '' : sign}${groupDigits(amountText)} ${currency}`}</span>,
    <>
      {transactionType}
      <span class="small-print">{transactionStatus}</span>
    </>,
    <>
      {row.senderName}
      <span class="small-print">{row.receiverName}</span>
    </>,
    row.paymentNotes ? (
      <span class="clamped-note" title={row.paymentNotes}>
        {row.paymentNotes}
      </span>
    ) : null,
    <QuietButton aria-label={t.customer.detailsOf(row.transactionId)} onClick={() => onShow(row.transactionId)}>
      {t.customer.details}
    </QuietButton>,
  ];
}
