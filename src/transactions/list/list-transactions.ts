/** A page of an individual's transactions, with the exact count of all that match. */
import type { Clock } from '../../values/clock.ts';
import { noTransactions, unknownIndividual } from '../../errors.ts';
import type { Owner } from '../../sharing/slots.ts';
import type { PageTokens } from './page-token.ts';
import type { Filter, Page } from '../filter.ts';
import type { TransactionsStore } from '../transactions.store.ts';

export interface ListRequest {
  individualId: number;
  page: Page;
  filter: Filter;
  asOf: string | undefined;
  owner: Owner;
}

export interface ListReply {
  /** The items' JSON, separated by commas. */
  items: string;
  count: number;
  asOf: string;
}

export function createListTransactions(store: TransactionsStore, clock: Clock, pageTokens: PageTokens) {
  return async function listTransactions(request: ListRequest): Promise<ListReply> {
    const { individualId, page, filter, owner } = request;
    const now = clock.now();
    const upTo = request.asOf === undefined ? undefined : pageTokens.read(request.asOf, individualId, now);
    const listed = await store.listPage({ individualId, page, filter, upTo, isPinned: upTo !== undefined, owner });
    if (!listed) throw unknownIndividual();
    if (listed.total === 0) throw noTransactions();
    return {
      items: listed.items,
      count: listed.count,
      asOf: request.asOf ?? pageTokens.issue(individualId, listed.total, now),
    };
  };
}
