/** The viewer, the service and the settings, which every part of the screen needs. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { TokenSource, Transaction, TransactionFunctions } from '../../../client/index.ts';
import type { DateFormats } from '../../intl/dates.ts';
import type { LanguageAttributes } from '../../intl/locale.ts';
import { formatMoney, type Sign } from '../../intl/money.ts';
import type { ActivityTexts } from '../../intl/languages/activity-texts.ts';
import type { DetailFormats } from '../../intl/transaction-details.ts';

/** Everything; everything but the chart; only the rows, closer together. */
export const layouts = ['full', 'list', 'compact'] as const;
export type ScreenLayout = (typeof layouts)[number];

export interface Viewer {
  client: TransactionFunctions;
  /** The host page's callback, to notice when it is replaced. */
  getToken: TokenSource | undefined;
  /** The address of the service; empty for the page's own origin. */
  baseUrl: string;
  individualId: number;
  locale: string;
  timeZone: string;
  texts: ActivityTexts;
  dates: DateFormats;
  languageAttributes: LanguageAttributes;
  /** What is before the parameters of the address in which the filter and the open sheet are kept; undefined if they are not. */
  addressPrefix: string | undefined;
  layout: ScreenLayout;
  /** Whether the host page has its own title. */
  hidesTitle: boolean;
  /** The size of one rem in pixels. The height of rows depends on it, so that they grow with the viewer's text size. */
  remPixels: number;
  /** Dispatches an event on the element. False if the page has prevented what follows it. */
  announce(event: string, detail?: unknown, cancelable?: boolean): boolean;
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

const signs: Record<Direction, Sign> = { in: '+', out: '−', other: '' };

/** The name of the other party, or empty. */
export function partyOf(transaction: Transaction): string {
  const { senderName, receiverName } = transaction;
  return directionOf(transaction) === 'in' ? senderName : receiverName || senderName;
}

export function counterparty(transaction: Transaction, texts: ActivityTexts): string {
  return partyOf(transaction) || transaction.paymentNotes || texts.unnamed;
}

export function signedAmount(transaction: Transaction, locale: string): string {
  return formatMoney(locale, transaction.amountText, transaction.currency, signs[directionOf(transaction)]);
}

/** How details are shown. */
export function detailFormatsOf({ texts, locale }: Pick<Viewer, 'texts' | 'locale'>): DetailFormats {
  return { texts, money: (decimal, currency) => formatMoney(locale, decimal, currency) };
}
