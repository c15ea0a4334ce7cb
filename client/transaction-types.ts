/** Transactions as the client returns them. */
import type { CallOptions } from './calls.ts';
import type * as wire from './types.ts';

/** The amount as a number, for sorting and charts, and its exact digits, for display and sums. */
export interface Transaction extends wire.Transaction {
  amountText: string;
}

/** The exact digits of the details that are decimals. */
interface DetailTexts {
  transactionFeeText?: string;
  originalAmountText?: string;
  balanceAfterText?: string;
}

/** A transaction with the details that were recorded. */
export interface DetailedTransaction extends wire.DetailedTransaction, DetailTexts {
  amountText: string;
}

/** A transaction as it was at a time. */
export interface TransactionVersion extends wire.TransactionVersion, DetailTexts {
  amountText: string;
}

/** A page of changes. */
export interface SyncPage {
  added: DetailedTransaction[];
  modified: DetailedTransaction[];
  removed: string[];
  /** Store it when the page is stored: it does not expire. */
  nextCursor: string;
  hasMore: boolean;
}

export interface SyncOptions extends CallOptions {
  /** The nextCursor of the page that was stored last. Without it all rows are read. */
  cursor?: string | undefined;
  /** Rows in a page, up to 1,000. */
  count?: number;
  /** Whether the rows have their details. */
  details?: boolean;
}

export interface TransactionPeriod extends wire.TransactionPeriod {
  moneyInText: string;
  moneyOutText: string;
  otherText: string;
}

export interface TransactionPage {
  transactions: Transaction[];
  /** All rows that match, over all pages. */
  transactionCount: number;
  /** Pass it with the next page, so that rows that arrive later do not shift the pages. */
  asOf: string;
}

export interface TransactionTotals {
  periods: TransactionPeriod[];
  transactionCount: number;
  asOf: string;
}

/** The state of an individual's transactions. */
export interface LiveState {
  /** Increases with every change. */
  sequence: number;
  transactionCount: number;
}
