/** Which of an individual's transactions are meant. Every bound is inclusive. */
import type { Instant } from '../values/instant.ts';
import type { AmountBound } from './amount.ts';

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

/** The members of a filter, by the part that evaluates them. */
const timeMembers = ['from', 'to'] as const;
const amountMembers = ['amountFrom', 'amountTo'] as const;
const facetMembers = ['transactionType', 'transactionCategory', 'transactionStatus', 'currency'] as const;

const asksOnlyFor =
  (...members: (keyof Filter)[]) =>
  (filter: Filter): boolean =>
    Object.entries(filter).every(([name, value]) => value === undefined || members.includes(name as keyof Filter));

export const hasTimeOnly = asksOnlyFor(...timeMembers);
export const hasTimeAndAmountOnly = asksOnlyFor(...timeMembers, ...amountMembers);
export const hasTimeAndSearchOnly = asksOnlyFor(...timeMembers, 'search');
export const hasTimeAndFacetsOnly = asksOnlyFor(...timeMembers, ...facetMembers);

/** The facets of a filter or a row, by the names that blocks use. */
export function facetKeys({ transactionType, transactionCategory, transactionStatus, currency }: Filter): string[] {
  return Object.entries({
    type: transactionType,
    category: transactionCategory,
    status: transactionStatus,
    currency,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
}

/** Page numbers start at 1. */
export interface Page {
  number: number;
  size: number;
}

export function offsetOf({ number, size }: Page): number {
  return (number - 1) * size;
}
