/** One transaction: its details, its history, and a document about it. */
import { useEffect, useState } from 'preact/hooks';
import { LedgerlineError, type DetailedTransaction, type Transaction } from '../../../client/index.ts';
import { visibleLength } from '../../intl/money.ts';
import { detailGroupsOf } from '../../intl/transaction-details.ts';
import { nameOf } from '../../../src/words/words.ts';
import { History } from './history.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useSaveFile } from './save-file.ts';
import { Sheet } from '../../ui/sheet.tsx';
import { stateMark } from '../../ui/state-mark.ts';
import { sentenceOf } from './states.tsx';
import { troubleOf } from '../../data/trouble.ts';
import { TurnButton } from './turn-button.tsx';
import { isVoid, statusKindOf } from './status.ts';
import { counterparty, detailFormatsOf, directionOf, partyOf, signedAmount, useViewer } from './viewer.ts';

export interface DetailSheetProps extends DetailProps {
  /** To the transaction above or below it in the list. Undefined if there is none, or none is known. */
  onNewer: (() => void) | undefined;
  onOlder: (() => void) | undefined;
  onClose(): void;
}

export function DetailSheet({ onNewer, onOlder, onClose, ...detail }: DetailSheetProps) {
  const { texts } = useViewer();
  const turns = (
    <span class="turns">
      <TurnButton name="above" label={texts.newer} onClick={onNewer} />
      <TurnButton name="below" label={texts.older} onClick={onOlder} />
    </span>
  );
  return (
    <Sheet title={texts.details} closeText={texts.close} actions={turns} onClose={onClose}>
      <Detail key={detail.transactionId} {...detail} />
    </Sheet>
  );
}

interface DetailProps {
  transactionId: string;
  /** The row of the list, if the sheet was opened from there. */
  known: Transaction | undefined;
  /** Another object when the list was read again: then the transaction may have changed too. */
  list: object | undefined;
  /** Shows everything with the name of the other party. */
  onName(name: string): void;
}

function Detail({ transactionId, known, list, onName }: DetailProps) {
  const { client, individualId, texts, locale, dates } = useViewer();
  const [transaction, setTransaction] = useState<DetailedTransaction | undefined>(known);
  const [complaint, setComplaint] = useState<string>();

  useEffect(() => {
    const controller = new AbortController();
    // The list may have been open for hours, so the row is read again.
    client
      .getTransaction({ transactionId, individualId }, { signal: controller.signal })
      .then(setTransaction, (error: unknown) => {
        if (controller.signal.aborted || known) return;
        const isMissing = error instanceof LedgerlineError && error.kind === 'not-found';
        setComplaint(isMissing ? texts.notFound : sentenceOf(troubleOf(error), texts));
      });
    return () => controller.abort();
  }, [transactionId, list]);

  return (
    <>
      {complaint && <p class="complaint">{complaint}</p>}
      {!transaction && !complaint && <p role="status">{texts.loading}</p>}
      {transaction && (
        <div class={`detail ${directionOf(transaction)}${isVoid(transaction) ? ' void' : ''}`}>
          <p class="name" dir="auto">
            {counterparty(transaction, texts)}
          </p>
          {/* The longer it is, the smaller are its digits. */}
          <p class="amount" style={{ '--length': visibleLength(signedAmount(transaction, locale)) }}>
            {signedAmount(transaction, locale)}
          </p>
          <p class={`status ${stateMark(statusKindOf(transaction))}`}>
            {nameOf(texts.statuses, transaction.transactionStatus)}
          </p>
          <dl>
            <Fact name={texts.when} value={dates.full(transaction.timeStamp)} />
            <Fact name={texts.sender} value={transaction.senderName} />
            <Fact name={texts.receiver} value={transaction.receiverName} />
            <Fact name={texts.note} value={transaction.paymentNotes} />
            <Fact name={texts.type} value={nameOf(texts.types, transaction.transactionType)} />
            <Fact name={texts.system} value={nameOf(texts.systems, transaction.paymentSystem)} />
            <div>
              <dt>{texts.id}</dt>
              <dd class="id">
                <code>{transaction.transactionId}</code>
                <CopyButton text={transactionId} what={texts.id} words={texts} />
              </dd>
            </div>
          </dl>
          <Details transaction={transaction} />
          <Actions transaction={transaction} onName={onName} />
          <History transaction={transaction} />
        </div>
      )}
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  if (value === '') return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{value}</dd>
    </div>
  );
}

/** In groups, with a button to copy what people type elsewhere. */
function Details({ transaction }: { transaction: DetailedTransaction }) {
  const viewer = useViewer();
  return detailGroupsOf(transaction, detailFormatsOf(viewer)).map(({ title, details }) => (
    <section class="detail-group" aria-label={title} key={title}>
      <h3>{title}</h3>
      <dl>
        {details.map(({ label, value, copied }) => (
          <div key={label}>
            <dt dir="auto">{label}</dt>
            <dd class={copied === undefined ? undefined : 'id'}>
              <bdi>{value}</bdi>
              {copied !== undefined && <CopyButton text={copied} what={label} words={viewer.texts} />}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  ));
}

interface ActionsProps {
  transaction: Transaction;
  onName(name: string): void;
}

/** The transaction as a document to keep or to pass on, and others with the same name. */
function Actions({ transaction, onName }: ActionsProps) {
  const { transactionId } = transaction;
  const { client, individualId, timeZone, locale, texts } = useViewer();
  const [message, setMessage] = useState('');
  const save = useSaveFile(setMessage);
  const name = partyOf(transaction);
  const fileName = `confirmation-${transactionId.replaceAll(/[^\w.-]+/g, '_')}.pdf`;
  return (
    <footer>
      <button
        type="button"
        class="pill"
        onClick={() =>
          void save(fileName, () => client.makeStatement({ individualId, transactionId, timeZone, locale }))
        }
      >
        <Icon name="receipt" />
        {texts.confirmation}
      </button>
      {name && (
        <button type="button" class="pill" onClick={() => onName(name)}>
          <Icon name="search" />
          {texts.sameName}
        </button>
      )}
      {/* The messages of the screen are behind the sheet. */}
      <p role="status">{message}</p>
    </footer>
  );
}
