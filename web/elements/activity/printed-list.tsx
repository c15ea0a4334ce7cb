/** The list on paper: a plain table, and none of the controls. */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Transaction } from '../../../client/index.ts';
import { nameOf } from '../../../src/words/words.ts';
import { requestOf, type Filter } from './filter.ts';
import type { WithAsOf } from './use-activity.ts';
import { counterparty, signedAmount, useViewer } from './viewer.ts';

/** About 25 pages. A statement has more. */
const printedRows = 1000;

export interface Printing {
  rows: Transaction[] | undefined;
  /** Reads the rows of the list, and opens the browser's dialog. */
  print(filter: Filter, withAsOf: WithAsOf): Promise<void>;
}

export function usePrinting(): Printing {
  const { client, individualId, timeZone } = useViewer();
  const [rows, setRows] = useState<Transaction[]>();

  useLayoutEffect(() => {
    if (rows) window.print();
  }, [rows]);
  useLayoutEffect(() => {
    const onPrinted = () => setRows(undefined);
    addEventListener('afterprint', onPrinted);
    return () => removeEventListener('afterprint', onPrinted);
  }, []);

  async function print(filter: Filter, withAsOf: WithAsOf): Promise<void> {
    const request = { ...requestOf(individualId, filter, timeZone), dataBatch: 1, dataBatchCount: printedRows };
    const { transactions } = await withAsOf((asOf) => client.listTransactions({ ...request, asOf }));
    setRows(transactions);
  }
  return { rows, print };
}

export function PrintedList({ rows, count }: { rows: Transaction[]; count: number }) {
  const { texts, locale, dates } = useViewer();
  return (
    <section class="printed">
      {rows.length < count && (
        <p>{texts.printedPart(rows.length.toLocaleString(locale), count.toLocaleString(locale))}</p>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.when}</th>
            <th scope="col">{texts.details}</th>
            <th scope="col">{texts.status}</th>
            <th scope="col">{texts.amount}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.transactionId}>
              <td>{dates.shortMoment(row.timeStamp)}</td>
              <td dir="auto">
                {counterparty(row, texts)}
                {row.paymentNotes && <small>{row.paymentNotes}</small>}
                <small>{row.transactionId}</small>
              </td>
              <td>{nameOf(texts.statuses, row.transactionStatus)}</td>
              <td>{signedAmount(row, locale)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
