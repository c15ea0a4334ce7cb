/** Sends that a rule refused, by time, newest first. A statement reads a limited number of rows, whatever the filter. */
import type { Database } from '../db/database.ts';
import type { Owner } from '../sharing/slots.ts';
import type { RefusalPosition, RefusedSend } from './refused-send.ts';

export interface RefusalFilter {
  userId: number | undefined;
  /** ISO 3166 code. */
  country: string | undefined;
  rule: string | undefined;
  from: string | undefined;
  to: string | undefined;
}

/** Maximum number of rows that one statement reads. */
const scanLimit = 20_000;

export function createRefusalsStore(db: Database) {
  return {
    async findRefusals(
      { userId, country, rule, from, to }: RefusalFilter,
      after: RefusalPosition | undefined,
      limit: number,
      owner: Owner,
    ): Promise<{ rows: RefusedSend[]; end: RefusalPosition | undefined }> {
      const scanned = await db.planned((sql) => {
        const range = [
          sql`true`,
          ...(userId === undefined ? [] : [sql`and user_id = ${userId}`]),
          ...(from === undefined ? [] : [sql`and decided_at >= ${from}::text::timestamptz`]),
          ...(to === undefined ? [] : [sql`and decided_at <= ${to}::text::timestamptz`]),
          ...(after === undefined ? [] : [sql`and (decided_at, id) < (${after.at}, ${after.id}::bigint)`]),
        ];
        const wanted = [
          sql`action = 'refused' and operation in ('send-code', 'create-confirmation')`,
          ...(country === undefined ? [] : [sql`and country = ${country}`]),
          ...(rule === undefined ? [] : [sql`and rule = ${rule}`]),
        ];
        return sql`
            with scanned as materialized (
              select * from guard_decisions where ${range} order by decided_at desc, id desc limit ${scanLimit}
            ), last as (
              select decided_at as last_at, id::float8 as last_id from scanned order by decided_at, id limit 1
            ), wanted as (
              select * from scanned where ${wanted} order by decided_at desc, id desc limit ${limit}
            )
            select (select count(*) from scanned)::int as scanned, l.last_at, l.last_id,
              w.id::float8 as id, w.decided_at, w.rule, w.user_id, w.phone, w.country, w.evidence
            from last l left join wanted w on true order by w.decided_at desc, w.id desc`;
      }, owner);
      const rows = scanned
        .filter(({ id }) => id !== null)
        .map((row) => ({
          id: Number(row.id),
          at: row.decided_at as Date,
          rule: String(row.rule),
          userId: Number(row.user_id),
          phoneNumber: row.phone as string | null,
          country: row.country as string | null,
          evidence: row.evidence as RefusedSend['evidence'],
        }));
      const [first] = scanned;
      const last = rows.at(-1);
      if (rows.length === limit && last) return { rows, end: { at: last.at, id: last.id } };
      if (!first || first.scanned < scanLimit) return { rows, end: undefined };
      return { rows, end: { at: first.last_at, id: first.last_id } };
    },
  };
}
