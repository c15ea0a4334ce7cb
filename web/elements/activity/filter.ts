/** The filters of the list: as the viewer sets them, in the address bar, and in requests to the API. */
import type { ExportTransactionsRequest } from '../../../client/index.ts';
import { firstMoment, isDay, lastDayOf, lastMoment } from '../../intl/dates.ts';

/** An empty member filters nothing. */
export interface Filter {
  search: string;
  category: string;
  from: string;
  to: string;
  amountFrom: string;
  amountTo: string;
  type: string;
  status: string;
  currency: string;
}

export const noFilter: Filter = {
  search: '',
  category: '',
  from: '',
  to: '',
  amountFrom: '',
  amountTo: '',
  type: '',
  status: '',
  currency: '',
};

const names = Object.keys(noFilter) as (keyof Filter)[];

export function isFiltered(filter: Filter): boolean {
  return names.some((name) => filter[name] !== '');
}

export function isSameFilter(a: Filter, b: Filter): boolean {
  return names.every((name) => a[name] === b[name]);
}

/** The same filter in one month only. */
export function withinMonth(filter: Filter, month: string): Filter {
  const [first, last] = [`${month}-01`, lastDayOf(month)];
  return {
    ...filter,
    from: filter.from > first ? filter.from : first,
    to: filter.to && filter.to < last ? filter.to : last,
  };
}

/** Other parameters of the address are not changed. */
export function writeAddress(address: URL, filter: Filter, prefix: string): URL {
  const changed = new URL(address);
  for (const name of names) {
    if (filter[name]) changed.searchParams.set(prefix + name, filter[name]);
    else changed.searchParams.delete(prefix + name);
  }
  return changed;
}

const isAmount = (text: string) => /^\d{1,20}(\.\d+)?$/.test(text);

const checks: Partial<Record<keyof Filter, (text: string) => boolean>> = {
  from: isDay,
  to: isDay,
  amountFrom: isAmount,
  amountTo: isAmount,
};

/** The same filter; a value that cannot be used filters nothing. */
export function usableFilter(given: Partial<Record<keyof Filter, string | null>>): Filter {
  const filter = { ...noFilter };
  for (const name of names) {
    const value = given[name] ?? '';
    if (checks[name]?.(value) ?? true) filter[name] = value;
  }
  return filter;
}

export function readAddress(address: URL, prefix: string): Filter {
  return usableFilter(Object.fromEntries(names.map((name) => [name, address.searchParams.get(prefix + name)])));
}

/** Days are days of the viewer's time zone, so their bounds are sent as instants. */
export function requestOf(individualId: number, filter: Filter, timeZone: string): ExportTransactionsRequest {
  const { search, category, from, to, amountFrom, amountTo, type, status, currency } = filter;
  return {
    individualId,
    ...(search && { search }),
    ...(category && { transactionCategory: category }),
    ...(from && { timestampFrom: firstMoment(from, timeZone) }),
    ...(to && { timestampTo: lastMoment(to, timeZone) }),
    ...(amountFrom && { amountFrom }),
    ...(amountTo && { amountTo }),
    ...(type && { transactionType: type }),
    ...(status && { transactionStatus: status }),
    ...(currency && { currency }),
  };
}
