/**
 * Reads of a pinned list from a standby, which is always a little behind. The standby answers if it has all rows of the
 * individual that the primary has; otherwise the primary answers. Only the primary decides whether the individual
 * exists.
 */
import { CallerGone } from '../../errors.ts';
import type { ListedPage, RowsQuery, TransactionsStore } from '../transactions.store.ts';

/** The outcome of a read that a standby could have answered. */
export type StandbyOutcome = 'served' | 'behind' | 'failed';

export interface StandbyReadsParts {
  primary: TransactionsStore;
  standby: TransactionsStore;
  /** Whether the standby answers and is a copy of the primary's database. */
  isUsable(): boolean;
  /** Whether a statement exceeded its time limit. The primary would exceed it too. */
  isTooLong(error: unknown): boolean;
  onRead(outcome: StandbyOutcome): void;
}

export function createStandbyReads(parts: StandbyReadsParts): TransactionsStore {
  const { primary, standby, isUsable, onRead } = parts;
  const mayAskStandby = ({ isPinned }: RowsQuery) => isPinned === true && isUsable();

  /** Uses the standby's answer only if it is as new as the primary's. */
  async function ask<Query extends RowsQuery>(
    query: Query,
    read: (store: TransactionsStore, query: Query) => Promise<ListedPage | undefined>,
  ): Promise<ListedPage | undefined> {
    if (!mayAskStandby(query)) return read(primary, query);
    const [version, found] = await Promise.all([
      primary.readVersion(query.individualId),
      read(standby, query).catch(passOn),
    ]);
    if (version === undefined) return undefined;
    const isNewEnough = typeof found === 'object' && found.version >= version;
    onRead(isNewEnough ? 'served' : found === 'failed' ? 'failed' : 'behind');
    return isNewEnough ? found : read(primary, query);
  }

  function passOn(error: unknown): 'failed' {
    if (error instanceof CallerGone || parts.isTooLong(error)) throw error;
    return 'failed';
  }

  /** The pieces of one snapshot: the first one shows whether it is new enough. Returns false if nothing was read. */
  async function* readFromStandby(query: RowsQuery): AsyncGenerator<string[], boolean> {
    const version = await primary.readVersion(query.individualId);
    let hasBegun = false;
    try {
      for await (const rows of standby.readVersioned(query)) {
        if (version === undefined || rows.version < version) break;
        hasBegun = true;
        yield rows.bodies;
      }
    } catch (error) {
      // The pieces that were passed on already cannot be taken back.
      if (hasBegun || passOn(error) !== 'failed') throw error;
      onRead('failed');
      return false;
    }
    onRead(hasBegun ? 'served' : 'behind');
    return hasBegun;
  }

  return {
    ...primary,
    listPage: (page) => ask(page, (store, query) => store.listPage(query)),
    sumPeriods: (sum) => ask(sum, (store, query) => store.sumPeriods(query)),
    async *readAll(query) {
      if (mayAskStandby(query) && (yield* readFromStandby(query))) return;
      yield* primary.readAll(query);
    },
  };
}
