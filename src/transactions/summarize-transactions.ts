/** An individual's totals by day, week or month. They cover exactly the rows that the list returns. */
import type { Clock } from '../clock.ts';
import { invalidFields, noTransactions, unknownIndividual } from '../errors.ts';
import type { Owner } from '../slots.ts';
import type { PageTokens } from './page-token.ts';
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
  items: Buffer;
  count: number;
  asOf: string;
}

export function createSummarizeTransactions(store: TransactionsStore, clock: Clock, pageTokens: PageTokens) {
  return async function summarizeTransactions(request: TotalsRequest): Promise<TotalsReply> {
    const { individualId, filter, by, timeZone, owner } = request;
    const now = clock.now();
    const upTo = request.asOf === undefined ? undefined : pageTokens.read(request.asOf, individualId, now);
    const summed = await store.sumPeriods({
      individualId,
      filter,
      by,
      timeZone,
      upTo,
      isPinned: upTo !== undefined,
      owner,
    });
    if (summed === 'unknown-time-zone') {
      throw invalidFields({ TimeZone: [timeZoneMessage.replace('{0}', 'TimeZone')] });
    }
    if (!summed) throw unknownIndividual();
    if (summed.total === 0) throw noTransactions();
    return {
      items: summed.items,
      count: summed.count,
      asOf: request.asOf ?? pageTokens.issue(individualId, summed.total, now),
    };
  };
}

/** IANA names of three letters. The runtime also knows others, such as BST or CTT, that mean different things elsewhere. */
const shortNames = new Set('CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'.split(' '));

/**
 * The name of an IANA time zone, in the spelling that is common to this runtime and PostgreSQL. PostgreSQL would treat
 * CET as a fixed offset; here it is replaced by a place with daylight saving time. Offsets are refused, since the
 * runtime and PostgreSQL interpret them differently.
 */
export function parseTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name) || name.length > longestZoneName) return undefined;
  if (/^systemv\//i.test(name) || (name.length === 3 && !shortNames.has(name.toUpperCase()))) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

const longestZoneName = 64;

export const timeZoneMessage = 'The field {0} must be the name of an IANA time zone.';
