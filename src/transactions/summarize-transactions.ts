/** An individual's totals by day, week or month. They cover exactly the rows that the list returns. */
import type { Clock } from '../values/clock.ts';
import { noTransactions, unknownIndividual } from '../errors.ts';
import type { ListReply, ListRequest } from './list/list-transactions.ts';
import type { PageTokens } from './list/page-token.ts';
import type { Period } from './period.ts';
import type { TransactionsStore } from './transactions.store.ts';

export interface TotalsRequest extends Omit<ListRequest, 'page'> {
  by: Period;
  timeZone: string;
}

/** The items are the periods. The count is that of all rows that match. */
export type TotalsReply = ListReply;

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
    if (!summed) throw unknownIndividual();
    if (summed.total === 0) throw noTransactions();
    return {
      items: summed.items,
      count: summed.count,
      asOf: request.asOf ?? pageTokens.issue(individualId, summed.total, now),
    };
  };
}
