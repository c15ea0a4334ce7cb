/** The statements that count and remove expired data. */
import type { Database } from '../db/database.ts';
import { recordAction, type Actor } from './erasure.store.ts';
import { tablesAtErasure } from './personal-data.ts';

export interface DatedTable {
  table: string;
  /** The time that decides when rows expire. It is indexed. */
  column: string;
}

export type RetentionStore = ReturnType<typeof createRetentionStore>;

/** Rows that are removed together with the rows of a table. */
const dependents: Readonly<Record<string, string>> = {
  events: 'delete from webhook_deliveries d using removed r where d.event_position = r.position',
};

const retainedTables = tablesAtErasure('retained');
const rowsAtOnce = 5000;

const isDue = (now: string) => `rows_removed_at is null and (retained_until is null or retained_until <= ${now})`;

export function createRetentionStore(db: Database) {
  async function countOf(statement: string, parameters: (number | Date)[]): Promise<number> {
    const [row] = await db.long((sql) => sql.unsafe(statement, parameters));
    return Number(row!.count);
  }

  return {
    count: ({ table, column }: DatedTable, before: Date): Promise<number> =>
      countOf(`select count(*) from ${table} where ${column} < $1`, [before]),

    /** Removes the rows of the oldest hour. Returns undefined if none was old enough. */
    async removeOldest({ table, column }: DatedTable, before: Date): Promise<number | undefined> {
      const [first] = await db.long((sql) => sql.unsafe(`select min(${column}) as oldest from ${table}`));
      const oldest = first!.oldest as Date | null;
      if (oldest === null || oldest >= before) return undefined;
      const [row] = await db.long((sql) =>
        sql.unsafe(
          `with removed as (
             delete from ${table} where ${column} < least($1::timestamptz, $2::timestamptz + interval '1 hour') returning *
           )${dependents[table] ? `, dependents as (${dependents[table]})` : ''}
           select count(*) from removed`,
          [before, oldest],
        ),
      );
      return Number(row!.count);
    },

    /** Erased users whose retained rows are due to be removed. */
    async findErased(now: Date, limit: number): Promise<number[]> {
      const rows = await db.read.unsafe(
        `select user_id from erased_users where ${isDue('$1')} order by retained_until limit $2`,
        [now, limit],
      );
      return rows.map(({ user_id }) => user_id);
    },

    async countErased(now: Date): Promise<number> {
      let rows = 0;
      for (const { table, user } of retainedTables) {
        rows += await countOf(
          `select count(*) from ${table} where ${user} in (select user_id from erased_users where ${isDue('$1')})`,
          [now],
        );
      }
      return rows;
    },

    /** Removes all retained rows of a user, in batches. Returns how many. */
    async removeTransactions(userId: number): Promise<number> {
      let rows = 0;
      for (const { table, user } of retainedTables) {
        let removed: number;
        do {
          ({ count: removed } = await db.write.unsafe(
            `delete from ${table} where ${user} = $1 and ctid = any(array(
               select ctid from ${table} where ${user} = $1 limit ${rowsAtOnce}))`,
            [userId],
          ));
          rows += removed;
        } while (removed > 0);
      }
      return rows;
    },

    /** Records that a person started a run, and how many rows of each kind were due. */
    async recordRun(actor: Actor, detail: string, now: Date): Promise<void> {
      const about = { target: 'expired data', detail };
      await db.transaction((sql) => recordAction(sql, { action: 'run-retention', actor, now, about }));
    },

    async markRemoved(userId: number, now: Date): Promise<void> {
      await db.write`update erased_users set rows_removed_at = ${now} where user_id = ${userId}`;
    },
  };
}
