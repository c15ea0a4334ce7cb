/** The statements that count and remove expired data. */
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { callRecordAction } from '../db/record-action.ts';
import type { Operator } from '../audit/operator-actions.ts';
import { tablesAtErasure } from './personal-data.ts';

export interface DatedTable {
  table: string;
  /** The time that decides when rows expire. It is indexed. */
  column: string;
}

export type RetentionStore = ReturnType<typeof createRetentionStore>;

/**
 * Rows that are removed together with the rows of a table. Deliveries are locked in the order of mark_deliveries, to
 * avoid deadlocks.
 */
const dependents: Readonly<Record<string, string>> = {
  events: `dependents as materialized (
      select d.id from webhook_deliveries d join removed r on r.position = d.event_position order by d.id for update of d
    ), removed_dependents as (
      delete from webhook_deliveries d using dependents l where d.id = l.id
    )`,
};

const retainedTables = tablesAtErasure('retained');
/**
 * Rows that one statement removes. Of 1,000 events up to 100,000 deliveries are removed too, and one statement must not
 * hold its locks for long.
 */
const rowsAtOnce = 1000;
/** A batch that waits longer for a row fails, and its kind goes on at the next run. The other kinds do not wait for it. */
const lockMilliseconds = 10_000;

const isDue = (now: string) => `rows_removed_at is null and (retained_until is null or retained_until <= ${now})`;

export function createRetentionStore(db: Database) {
  async function countOf(statement: string, parameters: (number | Date)[]): Promise<number> {
    const [row] = await db.long((sql) => sql.unsafe(statement, parameters));
    return Number(row!.count);
  }

  /** Without the time limit of requests: on a slow disk the same batch would fail each time, and nothing be removed. */
  function removeBatch(remove: (sql: DatabaseTransaction) => Promise<number>): Promise<number> {
    return db.transaction(async (sql) => {
      await sql.unsafe(`set local statement_timeout = 0`);
      await sql.unsafe(`set local lock_timeout = ${lockMilliseconds}`);
      return remove(sql);
    });
  }

  return {
    count: ({ table, column }: DatedTable, before: Date): Promise<number> =>
      countOf(`select count(*) from ${table} where ${column} < $1`, [before]),

    /**
     * Removes some of the oldest rows. Returns how many: 0 if none was old enough. Rows that another transaction locks
     * are left for the next run: an erasure locks the rows of its user in another order.
     */
    removeOldest: ({ table, column }: DatedTable, before: Date): Promise<number> =>
      removeBatch(async (sql) => {
        const [row] = await sql.unsafe(
          `with removed as (
             delete from ${table} where ctid = any(array(
               select ctid from ${table} where ${column} < $1 order by ${column} limit ${rowsAtOnce}
               for update skip locked))
             returning *
           )${dependents[table] ? `, ${dependents[table]}` : ''}
           select count(*) from removed`,
          [before],
        );
        return Number(row!.count);
      }),

    /** The time of the oldest row; null if there is none. */
    async readOldest({ table, column }: DatedTable): Promise<Date | null> {
      const [row] = await db.read.unsafe(`select min(${column}) as oldest from ${table}`);
      return row!.oldest;
    },

    /** Since when the rows of an erased user should have been removed; null if none are due. */
    async readOldestErased(now: Date): Promise<Date | null> {
      const [row] = await db.read.unsafe(
        `select min(coalesce(retained_until, erased_at)) as oldest from erased_users where ${isDue('$1')}`,
        [now],
      );
      return row!.oldest;
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

    /** Removes some of the retained rows of a user. Returns how many: 0 if none are left. */
    async removeTransactions(userId: number): Promise<number> {
      for (const { table, user } of retainedTables) {
        const removed = await removeBatch(async (sql) => {
          const { count } = await sql.unsafe(
            `delete from ${table} where ${user} = $1 and ctid = any(array(
               select ctid from ${table} where ${user} = $1 limit ${rowsAtOnce}))`,
            [userId],
          );
          return count;
        });
        if (removed > 0) return removed;
      }
      return 0;
    },

    /** Records that a person started a run, and how many rows of each kind were due. */
    async recordRun(who: Operator, detail: string, now: Date): Promise<void> {
      const record = { who, now, action: 'run-retention', target: 'expired data', detail };
      await db.write`select ${callRecordAction(db.write, record)}`;
    },

    async markRemoved(userId: number, now: Date): Promise<void> {
      await db.write`update erased_users set rows_removed_at = ${now} where user_id = ${userId}`;
    },
  };
}
