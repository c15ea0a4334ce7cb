/** The statements behind the live streams. */
import { array, type Database } from '../../db/database.ts';
import { groupByShard } from '../../db/citus/shards.ts';
import { isWorkerAway } from '../../db/citus/workers.ts';

export interface IndividualState {
  individualId: number;
  /** The sequence number of the latest event of the individual's transactions; 0 if there was none. */
  sequence: number;
  transactionCount: number;
}

export interface ReadStates {
  /** Individuals that do not exist, or no longer exist, are left out. */
  states: IndividualState[];
  /** Individuals on workers of Citus that cannot be reached now. */
  unreachable: number[];
}

export type LiveStore = ReturnType<typeof createLiveStore>;

export function createLiveStore(db: Database) {
  async function readTogether(individualIds: readonly number[]): Promise<IndividualState[]> {
    return db.read<IndividualState[]>`
      select id as "individualId", transaction_event_count as sequence, transaction_count as "transactionCount"
      from users where id = any(${array(individualIds)}::int[])`;
  }

  async function readByShards(individualIds: readonly number[]): Promise<ReadStates> {
    const parts = await Promise.all(
      (await groupByShard(db.read, individualIds)).map(async (ids): Promise<ReadStates> => {
        try {
          return { states: await readTogether(ids), unreachable: [] };
        } catch (error) {
          if (isWorkerAway(error)) return { states: [], unreachable: [...ids] };
          throw error;
        }
      }),
    );
    return {
      states: parts.flatMap(({ states }) => states),
      unreachable: parts.flatMap(({ unreachable }) => unreachable),
    };
  }

  return {
    async readStates(individualIds: readonly number[]): Promise<ReadStates> {
      try {
        return { states: await readTogether(individualIds), unreachable: [] };
      } catch (error) {
        if (!db.isDistributed || individualIds.length === 1 || !isWorkerAway(error)) throw error;
        return readByShards(individualIds);
      }
    },

    /** The id of the latest event of each individual's transactions, if it is still kept. */
    async readEventIds(individualIds: readonly number[]): Promise<Map<number, string>> {
      const rows = await db.read`
        select i.id, e.id as event_id from unnest(${array(individualIds)}::int[]) as i (id)
        cross join lateral (
          select e.id from events e where e.user_id = i.id and e.type like 'transactions.%'
          order by e.position desc limit 1
        ) e`;
      return new Map(rows.map(({ id, event_id }) => [id, event_id]));
    },
  };
}
