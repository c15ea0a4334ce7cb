/** An individual's money by day, week or month, in step with the list to the row. */
import type { Clock } from '../clock.ts';
import { noTransactions, unknownIndividual } from '../errors.ts';
import type { Owner } from '../slots.ts';
import type { AsOf } from './as-of.ts';
import type { Filter } from './filter.ts';
import type { Period } from './period.ts';
import type { TransactionsStore } from './transactions.store.ts';

export interface TotalsRequest {
  individualId: number;
  filter: Filter;
  by: Period;
  timeZone: string;
  asOf: string | undefined;
  owner: Owner;
}

export interface TotalsReply {
  /** The periods' JSON, separated by commas. */
  items: string;
  count: number;
  asOf: string;
}

export function createSummarizeTransactions(store: TransactionsStore, clock: Clock, asOf: AsOf) {
  return async function summarizeTransactions(request: TotalsRequest): Promise<TotalsReply> {
    const { individualId, filter, by, timeZone, owner } = request;
    const now = clock.now();
    const upTo = request.asOf === undefined ? undefined : asOf.read(request.asOf, individualId, now);
    const summed = await store.sumPeriods({ individualId, filter, by, timeZone, upTo, owner });
    if (!summed) throw unknownIndividual();
    if (summed.total === 0) throw noTransactions();
    return {
      items: summed.items,
      count: summed.count,
      asOf: request.asOf ?? asOf.issue(individualId, summed.total, now),
    };
  };
}

/** A name of the IANA database, as both this program and PostgreSQL know it; offsets mean different things to them. */
export function parseTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone && name;
  } catch {
    return undefined;
  }
}
