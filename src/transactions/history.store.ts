/** The statements about the versions of a transaction. */
import type { Database } from '../db/database.ts';

export interface Version {
  /** From 1, without a gap. */
  version: number;
  /** With its details. */
  body: string;
  recordedAt: Date;
}

export type HistoryStore = ReturnType<typeof createHistoryStore>;

export function createHistoryStore(db: Database) {
  return {
    /**
     * The individuals that have a transaction with this id, at most two: two are enough to know that the id is
     * ambiguous.
     */
    async findHolders(transactionId: string, individualId?: number): Promise<number[]> {
      const rows = await db.read`
        select t.individual_id from transactions t join users u on u.id = t.individual_id
        where t.transaction_id = ${transactionId}
          ${individualId === undefined ? [] : [db.read`and t.individual_id = ${individualId}`]}
        limit 2`;
      return rows.map(({ individual_id }) => individual_id);
    },

    /** Up to `count` versions after a given one, oldest first. The last version is the row itself. */
    async readVersions(
      { individualId, transactionId }: { individualId: number; transactionId: string },
      after: number,
      count: number,
    ): Promise<Version[]> {
      const rows = await db.read`
        with kept as not materialized (
          select version, body, details, replaced_at from transaction_history where individual_id = ${individualId} and transaction_id = ${transactionId}
        )
        select v.version, with_details(v.body, v.details) as body, case when v.version = 1 then t.recorded_at
          else (select k.replaced_at from kept k where k.version = v.version - 1) end as recorded_at
        from transactions t cross join lateral (
          (select version, body, details from kept where version > ${after} order by version limit ${count})
          union all
          select coalesce(max(version), 0) + 1, t.body, (
            select d.details from transaction_details d where d.individual_id = ${individualId} and d.seq = t.seq
          ) from kept
        ) v
        where t.individual_id = ${individualId} and t.transaction_id = ${transactionId} and v.version > ${after}
        order by v.version
        limit ${count}`;
      return rows.map(({ version, body, recorded_at }) => ({ version, body, recordedAt: recorded_at }));
    },
  };
}
