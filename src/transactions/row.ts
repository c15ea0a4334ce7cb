/** An incoming row: validated once, and immediately converted to the form in which it is stored. */
import { setImmediate } from 'node:timers/promises';
import type { FieldErrors } from '../errors.ts';
import { JsonNumber, JsonObject, type Json } from '../formats/json.ts';
import { timestamp } from '../formats/record.ts';
import {
  decimal,
  int32,
  keptMembers,
  memberReader,
  objectSchema,
  required,
  text,
  withDefault,
  WrongType,
} from '../formats/shape.ts';
import { parseInstant, type Instant } from '../values/instant.ts';
import { parseAmount, type Amount } from './amount.ts';
import { detailMembers } from './details/detail-members.ts';
import { writeDetails, type DetailValues } from './details/details.ts';
import { maxLengths } from './limits.ts';
import {
  cutText,
  foldCase,
  foldedFacets,
  readTransaction,
  searchText,
  writeBody,
  type Facets,
  type Transaction,
} from './transaction.ts';

const word = (field: keyof typeof maxLengths, about: string) =>
  withDefault(text({ maxLength: maxLengths[field] }), '', about);

export const amountShape = decimal(
  parseAmount,
  'The field {0} must be a non-negative decimal with up to 20 digits before the point and 6 after.',
  { type: ['number', 'string'], minimum: 0, pattern: '^\\d{1,20}(\\.\\d{1,6})?$' },
);

export const currencyShape = text({
  trim: true,
  parse: (code) => (/^[A-Za-z]{3}$/.test(code) ? code.toUpperCase() : undefined),
  message: 'The field {0} must be an ISO 4217 code.',
  schema: { pattern: '^[A-Za-z]{3}$' },
});

const members = {
  individualId: required(int32(), 'Whose transaction it is.'),
  transactionId: required(text({ trim: true, maxLength: maxLengths.transactionId }), 'Unique for the individual.'),
  amount: required(amountShape, 'A number, whose digits are kept, or a decimal string.'),
  currency: required(currencyShape, 'ISO 4217 code.'),
  timeStamp: required(
    timestamp(parseInstant),
    'ISO 8601; without an offset it is UTC, and digits past microseconds are cut.',
  ),
  transactionType: word('transactionType', 'Kind of transaction.'),
  transactionCategory: word('transactionCategory', 'Debit or Credit.'),
  transactionStatus: word(
    'transactionStatus',
    'Status; Pending may still change, the final ones are Accepted, Rejected, Reversed, Cancelled.',
  ),
  senderName: word('senderName', 'Name of the sender.'),
  receiverName: word('receiverName', 'Name of the receiver.'),
  paymentNotes: word('paymentNotes', 'Free-text note.'),
  paymentSystem: word('paymentSystem', 'Payment system.'),
  ...detailMembers,
};

export const rowSchema = { title: 'TransactionRow', ...objectSchema(members) };

/** Which parts of a row are kept when a large body is read. */
export const keptOfRow = keptMembers(members);

/** The names of a row's fields. */
export const rowFields = Object.keys(members);

const readMembers = memberReader(members);

/** Little more than two texts, since a long stream keeps many rows in memory. */
export interface Row {
  readonly individualId: number;
  readonly transactionId: string;
  readonly timeStamp: Instant;
  readonly amount: Amount;
  /** All of the row except the body, in the format of PostgreSQL's COPY. */
  readonly head: string;
  /** The row's JSON, as the list returns it. */
  readonly body: string;
  /** The details that the row gives, as JSON. An empty text removes a detail. */
  readonly details: string | undefined;
}

export function makeRow(transaction: Transaction & DetailValues): Row {
  const { individualId, amount } = transaction;
  const details = writeDetails(transaction);
  const body = writeBody(transaction);
  const cells = headCells(transaction);
  // JSON escapes every character that COPY must escape, with a backslash: a body without a backslash needs no escaping.
  if (body.includes('\\')) {
    const { transactionId, timeStamp } = transaction;
    return { individualId, transactionId, timeStamp, amount, head: cells.map(escaped).join('\t'), body, details };
  }
  const head = cells.join('\t');
  // A substring keeps the whole string in memory. As substrings of the head, these two do not keep the line that they
  // were read from.
  const idAt = cells[0]!.length + 1;
  const timeAt = idAt + cells[1]!.length + 1;
  return {
    individualId,
    transactionId: head.slice(idAt, timeAt - 1),
    timeStamp: head.slice(timeAt, timeAt + cells[2]!.length) as Instant,
    amount,
    head,
    body,
    details,
  };
}

/** About how much memory and COPY text a row takes. */
export function sizeOf({ head, body, details = '' }: Row): number {
  return head.length + body.length + details.length;
}

/** In the order of `copiedColumns`. */
function headCells(transaction: Transaction): string[] {
  return [
    String(transaction.individualId),
    transaction.transactionId,
    transaction.timeStamp,
    transaction.amount,
    foldCase(transaction.currency),
    foldCase(transaction.transactionType),
    foldCase(transaction.transactionCategory),
    foldCase(transaction.transactionStatus),
    searchText(transaction),
  ];
}

/** The folded facets of a row. */
export function facetsOf({ individualId, head, body }: Row): Facets {
  // The head of a row with such a body is escaped.
  if (body.includes('\\')) return foldedFacets(readTransaction(individualId, body));
  const [, , , , currency = '', transactionType = '', transactionCategory = '', transactionStatus = ''] =
    head.split('\t');
  return { currency, transactionType, transactionCategory, transactionStatus };
}

/** A text that is the same for rows with the same facets, and for no others. */
export function facetGroupOf({ head }: Row): string {
  let from = 0;
  for (let cell = 0; cell < 4; cell += 1) from = head.indexOf('\t', from) + 1;
  return head.slice(from, head.lastIndexOf('\t'));
}

export function searchTextOf({ individualId, head, body }: Row): string {
  if (body.includes('\\')) return searchText(readTransaction(individualId, body));
  return head.slice(head.lastIndexOf('\t') + 1);
}

/** A row as a line of COPY, without the line's end. */
export function copyLine({ head, body }: Row): string {
  return `${head}\t${body.includes('\\') ? escaped(body) : body}`;
}

export const copiedColumns =
  'individual_id, transaction_id, time_stamp, amount, currency, transaction_type, ' +
  'transaction_category, transaction_status, search_text, body';

const copyEscapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A text as a value of COPY. */
export function escaped(text: string): string {
  return text.replaceAll(/[\\\t\n\r]/g, (character) => copyEscapes[character]!);
}

export type RowReading = { row: Row } | { errors: FieldErrors };

/** `path` is the row's path in the request, for error messages. */
export function readRow(json: Json, path: string): RowReading {
  if (!(json instanceof JsonObject)) return { errors: new WrongType(path, 'TransactionRow').errors };
  const errors: FieldErrors = {};
  const row = readMembers(json, `${path}.`, errors);
  if (row instanceof WrongType) return { errors: row.errors };
  return Object.keys(errors).length > 0 ? { errors } : { row: makeRow(row as unknown as Transaction & DetailValues) };
}

/** The number of rows that are read before the event loop does other work. */
const rowsPerTurn = 250;

/** Reads the rows of a JSON body, which may be large. */
export async function readRows(rows: readonly Json[], path: string): Promise<RowReading[]> {
  const readings: RowReading[] = [];
  for (const [index, row] of rows.entries()) {
    if (index > 0 && index % rowsPerTurn === 0) await setImmediate();
    readings.push(readRow(row, `${path}[${index}]`));
  }
  return readings;
}

export interface ClaimedKey {
  transactionId: string | null;
  individualId: number | string | null;
}

/** The ids that a refused row contains, as far as it has any. */
export function claimedKey(json: Json): ClaimedKey {
  const member = (wanted: string): Json => {
    if (!(json instanceof JsonObject)) return null;
    const index = json.names.findLastIndex((name) => name.toLowerCase() === wanted);
    return index < 0 ? null : json.values[index]!;
  };
  const id = member('transactionid');
  const individual = member('individualid');
  return {
    transactionId: typeof id === 'string' ? cutText(id, longestClaim) : null,
    individualId:
      individual instanceof JsonNumber
        ? Number(individual.text)
        : typeof individual === 'string'
          ? cutText(individual, longestClaim)
          : null,
  };
}

/** The answer repeats the ids of a row, but not megabytes of them. */
const longestClaim = 256;
