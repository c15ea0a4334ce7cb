/** A transaction as it is kept, and as the wire has it. */
import { readJson } from '../formats/json-reader.ts';
import { JsonNumber, JsonObject } from '../formats/json.ts';
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

/** Its JSON as the list serves it. The amount goes in as its own digits, so that none is rounded. */
export function writeBody(transaction: Transaction): string {
  return (
    `{"transactionId":${quoted(transaction.transactionId)},"amount":${transaction.amount},` +
    `"currency":"${transaction.currency}","timeStamp":"${writeInstant(transaction.timeStamp)}",` +
    `"transactionType":${quoted(transaction.transactionType)},` +
    `"transactionCategory":${quoted(transaction.transactionCategory)},` +
    `"transactionStatus":${quoted(transaction.transactionStatus)},` +
    `"senderName":${quoted(transaction.senderName)},"receiverName":${quoted(transaction.receiverName)},` +
    `"paymentNotes":${quoted(transaction.paymentNotes)},"paymentSystem":${quoted(transaction.paymentSystem)}}`
  );
}

/** Letters, digits and the like stand in JSON as they are. */
const harmless = /^[\w .,:;/()&+'*#@!?=-]*$/;

function quoted(text: string): string {
  return harmless.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Reads a body back. */
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

/** With accents, and where there are any, also without: a search finds Café by café and by cafe. */
export function searchText({ transactionId, senderName, receiverName, paymentNotes }: Transaction): string {
  const text = fold([transactionId, senderName, receiverName, paymentNotes].join(gap));
  const plain = withoutAccents(text);
  return plain === text ? text : text + gap + plain;
}

const beyondAscii = /[\u0080-\uffff]/;
const combiningAccents = /[\u0300-\u036f]/g;

function withoutAccents(text: string): string {
  if (!beyondAscii.test(text)) return text;
  return text.normalize('NFD').replaceAll(combiningAccents, '').normalize('NFC');
}

/** Values that are filtered by as they are, ignoring case. */
export type Facets = Pick<Transaction, 'currency' | 'transactionType' | 'transactionCategory' | 'transactionStatus'>;

export function foldedFacets(facets: Facets): Facets {
  return {
    currency: fold(facets.currency),
    transactionType: fold(facets.transactionType),
    transactionCategory: fold(facets.transactionCategory),
    transactionStatus: fold(facets.transactionStatus),
  };
}

/** The start of a text, without half a character at its end. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/** One spelling for words that differ in case only. */
export function fold(text: string): string {
  return text.toLowerCase();
}
