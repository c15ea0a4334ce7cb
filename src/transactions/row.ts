/** A row as it comes in from outside: checked once, and written at once as it will be kept. */
import type { FieldErrors } from '../errors.ts';
import { JsonNumber, JsonObject, type Json } from '../formats/json.ts';
import {
  decimal,
  int32,
  memberReader,
  objectSchema,
  required,
  text,
  withDefault,
  WrongType,
} from '../formats/shape.ts';
import { parseAmount, type Amount } from './amount.ts';
import { parseInstant } from './instant.ts';
import type { Instant } from './instant.ts';
import { fold, searchText, writeBody, type Transaction } from './transaction.ts';

const word = (about: string) => withDefault(text(), '', about);

const members = {
  individualId: required(int32(), 'Whose transaction it is.'),
  transactionId: required(text({ trim: true, maxLength: 64 }), 'Unique for the individual.'),
  amount: required(
    decimal(
      (given, isNumber) => parseAmount(given, isNumber),
      'The field {0} must be a non-negative decimal with up to 20 digits before the point and 6 after.',
      { type: ['number', 'string'], minimum: 0, pattern: '^\\d{1,20}(\\.\\d{1,6})?$' },
    ),
    'A number, whose digits are kept, or a decimal string.',
  ),
  currency: required(
    text({
      trim: true,
      parse: (code) => (/^[A-Za-z]{3}$/.test(code) ? code.toUpperCase() : undefined),
      message: 'The field {0} must be an ISO 4217 code.',
      schema: { pattern: '^[A-Za-z]{3}$' },
    }),
    'ISO 4217 code.',
  ),
  timeStamp: required(
    text({
      trim: true,
      parse: parseInstant,
      message: 'The field {0} must be an ISO 8601 date-time.',
      schema: { format: 'date-time' },
    }),
    'ISO 8601; without an offset it is UTC, and digits past microseconds are cut.',
  ),
  transactionType: word('Kind of transaction.'),
  transactionCategory: word('Debit or Credit.'),
  transactionStatus: word(
    'Status; Pending may still change, the final ones are Accepted, Rejected, Reversed, Cancelled.',
  ),
  senderName: word('Name of the sender.'),
  receiverName: word('Name of the receiver.'),
  paymentNotes: word('Free-text note.'),
  paymentSystem: word('Payment system.'),
};

export const rowSchema = { title: 'TransactionRow', ...objectSchema(members) };

/** The names a row's values go by. */
export const rowFields = Object.keys(members);

const readMembers = memberReader(members);

/** Little more than two texts, since a long stream holds many of them for a while. */
export interface Row {
  readonly individualId: number;
  readonly transactionId: string;
  readonly timeStamp: Instant;
  readonly amount: Amount;
  /** All of it but the body as PostgreSQL's COPY takes it. */
  readonly head: string;
  /** Its JSON as the list serves it. */
  readonly body: string;
}

export function makeRow(transaction: Transaction): Row {
  const { individualId, amount } = transaction;
  const body = writeBody(transaction);
  const cells = headCells(transaction);
  // JSON escapes all that COPY must, with a backslash: where the body has none, nothing needs escaping.
  if (body.includes('\\')) {
    const { transactionId, timeStamp } = transaction;
    return { individualId, transactionId, timeStamp, amount, head: cells.map(escaped).join('\t'), body };
  }
  const head = cells.join('\t');
  // A part of a text keeps all of it in memory: as parts of the head these two let go of the line they were read from.
  const idAt = cells[0]!.length + 1;
  const timeAt = idAt + cells[1]!.length + 1;
  return {
    individualId,
    transactionId: head.slice(idAt, timeAt - 1),
    timeStamp: head.slice(timeAt, timeAt + cells[2]!.length) as Instant,
    amount,
    head,
    body,
  };
}

/** In the order of `copiedColumns`. */
function headCells(transaction: Transaction): string[] {
  return [
    String(transaction.individualId),
    transaction.transactionId,
    transaction.timeStamp,
    transaction.amount,
    fold(transaction.currency),
    fold(transaction.transactionType),
    fold(transaction.transactionCategory),
    fold(transaction.transactionStatus),
    searchText(transaction),
  ];
}

/** A row as a line of COPY, its sequence number at the end. */
export function copyLine({ head, body }: Row, seq: number): string {
  return `${head}\t${body.includes('\\') ? escaped(body) : body}\t${seq}\n`;
}

export const copiedColumns =
  'individual_id, transaction_id, time_stamp, amount, currency, transaction_type, ' +
  'transaction_category, transaction_status, search_text, body';

const copyEscapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escaped(text: string): string {
  return text.replaceAll(/[\\\t\n\r]/g, (character) => copyEscapes[character]!);
}

export type RowReading = { row: Row } | { errors: FieldErrors };

/** `path` is where the row stands in what came, for sentences about it. */
export function readRow(json: Json, path: string): RowReading {
  if (!(json instanceof JsonObject)) return { errors: { [path]: [new WrongType(path, 'TransactionRow').message] } };
  const errors: FieldErrors = {};
  try {
    const row = readMembers(json, `${path}.`, errors);
    return Object.keys(errors).length > 0 ? { errors } : { row: makeRow(row as unknown as Transaction) };
  } catch (error) {
    if (error instanceof WrongType) return { errors: { [error.path]: [error.message] } };
    throw error;
  }
}

export interface RowKey {
  transactionId: string | null;
  individualId: number | string | null;
}

/** What a refused row calls itself, as far as it does. */
export function claimedKey(json: Json): RowKey {
  const member = (wanted: string): Json => {
    if (!(json instanceof JsonObject)) return null;
    const index = json.names.findLastIndex((name) => name.toLowerCase() === wanted);
    return index < 0 ? null : json.values[index]!;
  };
  const id = member('transactionid');
  const individual = member('individualid');
  return {
    transactionId: typeof id === 'string' ? id : null,
    individualId:
      individual instanceof JsonNumber ? Number(individual.text) : typeof individual === 'string' ? individual : null,
  };
}
