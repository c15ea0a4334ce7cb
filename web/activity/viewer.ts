/** What every part of the screen needs to know of who looks at it. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Transaction, TransactionFunctions } from '../../client/index.ts';
import type { DateFormats } from './dates.ts';
import { formatMoney, type Sign } from './money.ts';
import type { Texts } from './texts.ts';

export interface Viewer {
  client: TransactionFunctions;
  individualId: number;
  locale: string;
  timeZone: string;
  texts: Texts;
  dates: DateFormats;
  /** Whether filters stand in the address bar. */
  inAddressBar: boolean;
  /** Tells the host page. */
  announce(event: string, detail?: unknown): void;
}

export const ViewerContext = createContext<Viewer | undefined>(undefined);

export function useViewer(): Viewer {
  return useContext(ViewerContext)!;
}

export type Direction = 'in' | 'out' | 'other';

export function directionOf({ transactionCategory }: Transaction): Direction {
  const category = transactionCategory.toLowerCase();
  return category === 'credit' ? 'in' : category === 'debit' ? 'out' : 'other';
}

export const signs: Record<Direction, Sign> = { in: '+', out: '−', other: '' };

export function counterparty(transaction: Transaction, texts: Texts): string {
  const { senderName, receiverName, paymentNotes } = transaction;
  const name = directionOf(transaction) === 'in' ? senderName : receiverName || senderName;
  return name || paymentNotes || texts.unnamed;
}

export function signedAmount(transaction: Transaction, locale: string): string {
  return formatMoney(locale, transaction.amountText, transaction.currency, signs[directionOf(transaction)]);
}

/** No money moved, or it came back. */
export function isVoid({ transactionStatus }: Transaction): boolean {
  return ['rejected', 'cancelled', 'reversed'].includes(transactionStatus.toLowerCase());
}
