/** Exactly the rows that the list would return, as one stream. */
import type { Clock } from '../../values/clock.ts';
import { withoutFormulas, writeCsvRecord } from '../../formats/csv-writer.ts';
import { noTransactions, unknownIndividual } from '../../errors.ts';
import type { Owner } from '../../sharing/slots.ts';
import { writeInstant } from '../../values/instant.ts';
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
  owner: Owner;
}

export interface ExportReply {
  chunks: AsyncIterable<string>;
  asOf: string;
}

export function createExportTransactions(store: TransactionsStore, clock: Clock, pageTokens: PageTokens) {
  return async function exportTransactions(request: ExportRequest): Promise<ExportReply> {
    const { individualId, filter, format, owner } = request;
    const now = clock.now();
    const total = await store.countAll(individualId);
    if (total === undefined) throw unknownIndividual();
    if (total === 0) throw noTransactions();
    const upTo = request.asOf === undefined ? total : pageTokens.read(request.asOf, individualId, now);
    const bodies = store.readAll({ individualId, filter, upTo, isPinned: request.asOf !== undefined, owner });
    return {
      chunks: formatRows(bodies, format),
      asOf: request.asOf ?? pageTokens.issue(individualId, total, now),
    };
  };
}

export function formatRows(bodies: AsyncIterable<string[]>, format: ExportFormat): AsyncIterable<string> {
  return format === 'csv' ? asCsv(bodies) : asNdjson(bodies);
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
async function* asCsv(bodies: AsyncIterable<string[]>): AsyncGenerator<string> {
  let names = `${columns.join(',')}\r\n`;
  for await (const some of bodies) {
    yield names + some.map((body) => csvLine(body)).join('');
    names = '';
  }
  if (names) yield names;
}

/** The other columns contain texts that a caller sent. */
const ownColumns = new Set<string>(['amount', 'currency', 'timeStamp']);

function csvLine(body: string): string {
  const transaction = readTransaction(0, body);
  const row = { ...transaction, timeStamp: writeInstant(transaction.timeStamp) };
  return writeCsvRecord(columns.map((column) => (ownColumns.has(column) ? row[column] : withoutFormulas(row[column]))));
}
