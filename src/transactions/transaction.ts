/** A transaction as it is stored, and as the API returns it. */
import { readJson } from '../formats/json-reader.ts';
import { JsonNumber, JsonObject } from '../formats/json.ts';
import { parseInstant, writeInstant, type Instant } from '../values/instant.ts';
import type { Amount } from './amount.ts';

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

/** Text fields. A change of one of them is an update. */
export const textMembers = [
  'transactionType',
  'transactionCategory',
  'transactionStatus',
  'senderName',
  'receiverName',
  'paymentNotes',
  'paymentSystem',
] as const;

/** Its JSON, as the list returns it. The amount is written with its own digits, so that it is not rounded. */
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

/** Letters, digits and other characters that JSON does not escape. */
const harmless = /^[\w .,:;/()&+'*#@!?=-]*$/;

/** A text as JSON. */
export function quoted(text: string): string {
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

/** Separates the searchable texts, so that no match extends from one into the next. */
const gap = '\u0001';

/** Text with accents and, if there are any, also without them: a search for café or cafe finds Café. */
export function searchText({ transactionId, senderName, receiverName, paymentNotes }: Transaction): string {
  const text = [transactionId, senderName, receiverName, paymentNotes].map(foldForSearch).join(gap);
  const plain = withoutAccents(text);
  return plain === text ? text : text + gap + plain;
}

/** The same text for texts that differ only in case, or in how an accented letter is written: as one character or two. */
export function foldForSearch(text: string): string {
  const folded = foldCase(text);
  const isUsual = !beyondAscii.test(folded) && !folded.includes(gap);
  return isUsual ? folded : folded.replaceAll(gap, '\u0002').normalize('NFC');
}

const beyondAscii = /[\u0080-\uffff]/;
const combiningAccents = /[\u0300-\u036f]/g;
/** Letters that Unicode does not write as another letter with an accent, although people type them without it. */
const plainLetters: Record<string, string> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
};
const lettersToReplace = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');

/** As people type it who leave accents out. */
export function withoutAccents(text: string): string {
  if (!beyondAscii.test(text)) return text;
  return text
    .normalize('NFD')
    .replaceAll(combiningAccents, '')
    .normalize('NFC')
    .replaceAll(lettersToReplace, (letter) => plainLetters[letter]!);
}

/** Values that filters compare as a whole, ignoring case. */
export type Facets = Pick<Transaction, 'currency' | 'transactionType' | 'transactionCategory' | 'transactionStatus'>;

export function foldedFacets(facets: Facets): Facets {
  return {
    currency: foldCase(facets.currency),
    transactionType: foldCase(facets.transactionType),
    transactionCategory: foldCase(facets.transactionCategory),
    transactionStatus: foldCase(facets.transactionStatus),
  };
}

/** The start of a text, without half a character at its end. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/** The same text for texts that differ only in case. */
export function foldCase(text: string): string {
  return text.toLowerCase();
}
