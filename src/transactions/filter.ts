/** Which of an individual's transactions are meant. Every bound is inclusive. */
import type { AmountBound } from './amount.ts';
import type { Instant } from './instant.ts';

export interface Filter {
  from?: Instant | undefined;
  to?: Instant | undefined;
  amountFrom?: AmountBound | undefined;
  amountTo?: AmountBound | undefined;
  /** The facets and the search, already folded. */
  transactionType?: string | undefined;
  transactionCategory?: string | undefined;
  transactionStatus?: string | undefined;
  currency?: string | undefined;
  search?: string | undefined;
}

export function isUnfiltered(filter: Filter): boolean {
  for (const name in filter) if (filter[name as keyof Filter] !== undefined) return false;
  return true;
}

/** Time and amount are all it asks about. */
export function isNarrow({ from: _from, to: _to, amountFrom: _least, amountTo: _most, ...rest }: Filter): boolean {
  return isUnfiltered(rest);
}

export function hasAmount({ amountFrom, amountTo }: Filter): boolean {
  return amountFrom !== undefined || amountTo !== undefined;
}

/** Page numbers start at 1. */
export interface Page {
  number: number;
  size: number;
}

export function offsetOf({ number, size }: Page): number {
  return (number - 1) * size;
}
