/**
 * Reads of a pinned list from a standby, which is always a little behind. It answers when it has everything that the
 * primary has of the individual; else the primary does. Whether the individual exists is the primary's word alone.
 */
import { CallerGone } from '../errors.ts';
import type { ListedPage, RowsQuery, TransactionsStore } from './transactions.store.ts';

/** What became of a read that a standby could have answered. */
export type StandbyOutcome = 'served' | 'behind' | 'failed';

export interface StandbyReadsParts {
  primary: TransactionsStore;
  standby: TransactionsStore;
  /** Whether it answers, and is a copy of the primary's database. */
  isUsable(): boolean;
  /** Whether a statement took longer than it may. The primary would not do it either. */
  isTooLong(error: unknown): boolean;
  onRead(outcome: StandbyOutcome): void;
}

export function createStandbyReads(parts: StandbyReadsParts): TransactionsStore {
  const { primary, standby, isUsable, onRead } = parts;
  const mayAskStandby = ({ isPinned }: RowsQuery) => isPinned === true && isUsable();

  /** Of the standby's answer only one that is as new as the primary. */
  async function askBoth<T extends ListedPage | string>(
    individualId: number,
    askStandby: () => Promise<T | undefined>,
    askPrimary: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const [version, found] = await Promise.all([primary.readVersion(individualId), askStandby().catch(passOn)]);
    if (version === undefined) return undefined;
    const isNewEnough = typeof found === 'object' && found.version >= version;
    onRead(isNewEnough ? 'served' : found === 'failed' ? 'failed' : 'behind');
    return isNewEnough ? found : askPrimary();
  }

  function passOn(error: unknown): 'failed' {
    if (error instanceof CallerGone || parts.isTooLong(error)) throw error;
    return 'failed';
  }

  /** The pieces of one snapshot: the first says whether it is new enough. False if nothing was read. */
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
      // What has been read cannot be taken back.
      if (hasBegun || passOn(error) !== 'failed') throw error;
      onRead('failed');
      return false;
    }
    onRead(hasBegun ? 'served' : 'behind');
    return hasBegun;
  }

  return {
    ...primary,
    listPage: (query) =>
      mayAskStandby(query)
        ? askBoth(
            query.individualId,
            () => standby.listPage(query),
            () => primary.listPage(query),
          )
        : primary.listPage(query),
    sumPeriods: (query) =>
      mayAskStandby(query)
        ? askBoth(
            query.individualId,
            () => standby.sumPeriods(query),
            () => primary.sumPeriods(query),
          )
        : primary.sumPeriods(query),
    async *readAll(query) {
      if (mayAskStandby(query) && (yield* readFromStandby(query))) return;
      yield* primary.readAll(query);
    },
  };
}
