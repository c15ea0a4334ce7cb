/** A transaction as it is kept, and as the wire has it. */
import { JsonNumber, JsonObject, readJson } from '../json.ts';
import type { Amount } from './amount.ts';
import { parseInstant, writeInstant, type Instant } from './instant.ts';

export interface Transaction {
  individualId: number;
  transactionId: string;
  amount: Amount;
  currency: string;
  timeStamp: Instant;
  transactionType: string;
  transactionCategory: string;
  transactionStatus: string;
  senderName: string;
  receiverName: string;
  paymentNotes: string;
  paymentSystem: string;
}

/** Members whose words a change of makes an update. */
export const words = [
  'transactionType',
  'transactionCategory',
  'transactionStatus',
  'senderName',
  'receiverName',
  'paymentNotes',
  'paymentSystem',
] as const;

/** The JSON of one item. The amount goes in as its own digits, so that none is rounded. */
export function writeTransaction(transaction: Transaction): string {
  const text = JSON.stringify;
  return (
    `{"transactionId":${text(transaction.transactionId)},"amount":${transaction.amount},` +
    `"currency":${text(transaction.currency)},"timeStamp":"${writeInstant(transaction.timeStamp)}",` +
    `"transactionType":${text(transaction.transactionType)},` +
    `"transactionCategory":${text(transaction.transactionCategory)},` +
    `"transactionStatus":${text(transaction.transactionStatus)},` +
    `"senderName":${text(transaction.senderName)},"receiverName":${text(transaction.receiverName)},` +
    `"paymentNotes":${text(transaction.paymentNotes)},"paymentSystem":${text(transaction.paymentSystem)}}`
  );
}

/** Reads back what `writeTransaction` wrote. */
export function readTransaction(individualId: number, body: string): Transaction {
  const { names, values } = readJson(body) as JsonObject;
  const members = Object.fromEntries(names.map((name, index) => [name, values[index]]));
  return {
    ...(members as unknown as Transaction),
    amount: (members.amount as JsonNumber).text as Amount,
    timeStamp: parseInstant(members.timeStamp as string)!,
    individualId,
  };
}

/** Between the searchable words, so that no search runs from one into the next. */
const gap = '\u0001';

export function searchText({ transactionId, senderName, receiverName, paymentNotes }: Transaction): string {
  return fold([transactionId, senderName, receiverName, paymentNotes].join(gap));
}

/** One spelling for words that differ in case only. */
export function fold(text: string): string {
  return text.toLowerCase();
}
