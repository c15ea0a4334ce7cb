/** The statements behind the live streams. */
import { array, type Database } from '../../db/database.ts';

export interface IndividualState {
  individualId: number;
  /** The sequence number of the latest event of the individual's transactions; 0 if there was none. */
  sequence: number;
  transactionCount: number;
}

export type LiveStore = ReturnType<typeof createLiveStore>;

export function createLiveStore(db: Database) {
  return {
    /** Individuals that do not exist, or no longer exist, are left out. */
    async readStates(individualIds: readonly number[]): Promise<IndividualState[]> {
      const rows = await db.read`
        select id, transaction_event_count, transaction_count from users where id = any(${array(individualIds)}::int[])`;
      return rows.map(({ id, transaction_event_count, transaction_count }) => ({
        individualId: id,
        sequence: transaction_event_count,
        transactionCount: transaction_count,
      }));
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
