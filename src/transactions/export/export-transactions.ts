/** Exactly the rows that the list would return, as one stream. */
import type { Clock } from '../../values/clock.ts';
import { withoutFormulas, writeCsvRecord } from '../../formats/csv-writer.ts';
import { writeJson, type Json } from '../../formats/json.ts';
import { noTransactions, unknownIndividual } from '../../errors.ts';
import type { Owner } from '../../sharing/slots.ts';
import { writeInstant } from '../../values/instant.ts';
import { decimalDetails, detailNames } from '../details/details.ts';
import type { PageTokens } from '../list/page-token.ts';
import type { Filter } from '../filter.ts';
import { readTransaction, type Transaction } from '../transaction.ts';
import type { TransactionsStore } from '../transactions.store.ts';

export type ExportFormat = 'csv' | 'ndjson';

export interface ExportRequest {
  individualId: number;
  filter: Filter;
  asOf: string | undefined;
  format: ExportFormat;
  hasDetails: boolean;
  owner: Owner;
}

export interface ExportReply {
  chunks: AsyncIterable<string>;
  asOf: string;
}

export function createExportTransactions(store: TransactionsStore, clock: Clock, pageTokens: PageTokens) {
  return async function exportTransactions(request: ExportRequest): Promise<ExportReply> {
    const { individualId, filter, format, hasDetails, owner } = request;
    const now = clock.now();
    const total = await store.countAll(individualId);
    if (total === undefined) throw unknownIndividual();
    if (total === 0) throw noTransactions();
    const upTo = request.asOf === undefined ? total : pageTokens.read(request.asOf, individualId, now);
    const isPinned = request.asOf !== undefined;
    const bodies = store.readAll({ individualId, filter, upTo, isPinned, hasDetails, owner });
    return {
      chunks: formatRows(bodies, format, hasDetails),
      asOf: request.asOf ?? pageTokens.issue(individualId, total, now),
    };
  };
}

export function formatRows(
  bodies: AsyncIterable<string[]>,
  format: ExportFormat,
  hasDetails: boolean,
): AsyncIterable<string> {
  return format === 'csv' ? asCsv(bodies, hasDetails) : asNdjson(bodies);
}

async function* asNdjson(bodies: AsyncIterable<string[]>): AsyncGenerator<string> {
  for await (const some of bodies) yield `${some.join('\n')}\n`;
}

const columns = [
  'transactionId',
  'amount',
  'currency',
  'timeStamp',
  'transactionType',
  'transactionCategory',
  'transactionStatus',
  'senderName',
  'receiverName',
  'paymentNotes',
  'paymentSystem',
] as const satisfies (keyof Transaction)[];

/** The column names are sent with the first rows: until then an error can still be the answer. */
async function* asCsv(bodies: AsyncIterable<string[]>, hasDetails: boolean): AsyncGenerator<string> {
  const written = hasDetails ? [...columns, ...detailNames] : columns;
  let names = `${written.join(',')}\r\n`;
  for await (const some of bodies) {
    yield names + some.map((body) => csvLine(body, written)).join('');
    names = '';
  }
  if (names) yield names;
}

/** The other columns contain texts that a caller sent. */
const ownColumns = new Set<string>(['amount', 'currency', 'timeStamp', ...decimalDetails]);

function csvLine(body: string, written: readonly string[]): string {
  const transaction = readTransaction(0, body);
  const row: Record<string, Json> = { ...transaction, timeStamp: writeInstant(transaction.timeStamp) } as never;
  return writeCsvRecord(
    written.map((column) => {
      const value = row[column] ?? '';
      const cell = typeof value === 'string' ? value : writeJson(value);
      return ownColumns.has(column) ? cell : withoutFormulas(cell);
    }),
  );
}
