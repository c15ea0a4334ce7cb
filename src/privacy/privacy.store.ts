/** The statements about erased users, and those that read what is stored about a user. */
import { array, type Database } from '../db/database.ts';
import { callRecordAction } from '../db/record-action.ts';
import type { Operator, OperatorActionName } from '../audit/operator-actions.ts';
import {
  completeErasure,
  eraseDistributed,
  eraseInOneTransaction,
  type Erasure,
  type ErasureResult,
} from './erasure.store.ts';
import { userDataStatement } from './user-data.store.ts';

export interface ErasedUser {
  userId: number;
  erasedAt: Date;
  retainedUntil: Date | null;
}

export type PrivacyStore = ReturnType<typeof createPrivacyStore>;

const rowsAtOnce = 5000;

export function createPrivacyStore(db: Database) {
  return {
    eraseUser: (erasure: Erasure): Promise<ErasureResult> =>
      db.isDistributed ? eraseDistributed(db, erasure) : db.transaction((sql) => eraseInOneTransaction(sql, erasure)),

    /**
     * Completes erasures that started before a time, and checks again for rows that were written meanwhile. Returns how
     * many.
     */
    async completeErasures(begunBefore: Date, limit: number, countryOf: Erasure['countryOf']): Promise<number> {
      const rows = await db.write`
        select user_id from erased_users where not is_complete and erased_at < ${begunBefore}
        order by erased_at, user_id limit ${limit}`;
      for (const { user_id } of rows) {
        await completeErasure(db, user_id, countryOf);
        await db.write`update erased_users set is_complete = true where user_id = ${user_id}`;
      }
      return rows.length;
    },

    /** Everything that is stored about a user, as JSON text. Undefined for an unknown user. */
    async readUserData(userId: number, exportPath: string): Promise<string | undefined> {
      const [row] = await db.read.unsafe(userDataStatement, [userId, exportPath], { prepare: true });
      return row?.data;
    },

    async recordAccess(userId: number, action: OperatorActionName, who: Operator, now: Date): Promise<void> {
      const record = { who, now, action, target: `user ${userId}`, userId };
      await db.write`select ${callRecordAction(db.write, record)}`;
    },

    async listErased(since: Date): Promise<ErasedUser[]> {
      const rows = await db.read`
        select user_id, erased_at, retained_until from erased_users where erased_at >= ${since}
        order by erased_at, user_id`;
      return rows.map((row) => ({
        userId: row.user_id,
        erasedAt: row.erased_at,
        retainedUntil: row.retained_until,
      }));
    },

    /** The JSON of an erased user's retained transactions, newest first, in parts. */
    readRetained: (userId: number): AsyncIterable<string[]> =>
      db.stream({
        statement: `select with_details(t.body, (
           select d.details from transaction_details d where d.individual_id = $1 and d.seq = t.seq
         )) as body from erased_users e join transactions t on t.individual_id = e.user_id
         where e.user_id = $1 order by t.time_stamp desc, t.transaction_id desc`,
        parameters: [userId],
        rowsAtOnce,
        read: ({ body }) => String(body),
      }),

    /** Prevents that an id which was created and erased after the backup is used again. */
    async reserveErasedId(userId: number, erasedAt: Date, now: Date): Promise<void> {
      await db.write`
        insert into erased_users (user_id, erased_at, rows_removed_at) values (${userId}, ${erasedAt}, ${now})
        on conflict (user_id) do nothing`;
    },

    async isErased(userId: number): Promise<boolean> {
      const rows = await db.read`select from erased_users where user_id = ${userId}`;
      return rows.length === 1;
    },

    /**
     * Individuals whose count, last sequence number, rows and blocks do not agree. It checks the largest individuals
     * and some at random, for a database that was restored.
     */
    async findInconsistent(sampleSize: number): Promise<{ checked: number; inconsistent: number[] }> {
      const sample = await db.long(
        (sql) => sql`
          with largest as (
            select id from users order by transaction_count desc limit ${sampleSize}
          ), random as (
            select id from users where transaction_count > 0 order by random() limit ${sampleSize}
          )
          select id from largest union select id from random`,
      );
      const ids = array(sample.map(({ id }) => id));
      const rows = await db.long(
        (sql) => sql`
          select u.id, coalesce(t.rows, 0) = u.transaction_count and coalesce(t.last_seq, 0) = u.transaction_count
            and coalesce(b.rows, u.transaction_count) = u.transaction_count as is_consistent
          from users u left join (
            select individual_id, count(*) as rows, max(seq) as last_seq from transactions
            where individual_id = any(${ids}::int[]) group by individual_id
          ) t on t.individual_id = u.id left join (
            select individual_id, sum(row_count) as rows from transaction_blocks
            where individual_id = any(${ids}::int[]) group by individual_id
          ) b on b.individual_id = u.id
          where u.id = any(${ids}::int[])`,
      );
      const inconsistent = rows.filter(({ is_consistent }) => !is_consistent).map(({ id }) => Number(id));
      return { checked: rows.length, inconsistent };
    },
  };
}
