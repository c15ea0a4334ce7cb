/** Sends that a rule refused, by time, newest first. A statement reads a limited number of rows, whatever the filter. */
import type { Database, Sql, Statement } from '../db/database.ts';
import type { FindRefusals, RefusalPosition, RefusedSend } from './refused-send.ts';

/** A row that was wanted, if there is one, with the number of rows that were read, and the last of these. */
interface ScannedRow extends RefusedSend {
  scanned: number;
  lastAt: Date;
  lastId: number;
}

/** Maximum number of rows that one statement reads. */
const scanLimit = 20_000;

export function createRefusalsStore(db: Database): { findRefusals: FindRefusals } {
  return {
    async findRefusals({ userId, country, rule, from, to }, after, limit, owner) {
      const scanned = await db.planned((sql) => {
        const range = [
          sql`true`,
          ...(userId === undefined ? [] : [sql`and user_id = ${userId}`]),
          ...(from === undefined ? [] : [sql`and decided_at >= ${from}::text::timestamptz`]),
          ...(to === undefined ? [] : [sql`and decided_at <= ${to}::text::timestamptz`]),
          ...(after === undefined ? [] : [isAfter(sql, after)]),
        ];
        const wanted = [
          sql`action = 'refused' and operation in ('send-code', 'create-confirmation')`,
          ...(country === undefined ? [] : [sql`and country = ${country}`]),
          ...(rule === undefined ? [] : [sql`and rule = ${rule}`]),
        ];
        return sql<ScannedRow[]>`
            with scanned as materialized (
              select * from guard_decisions where ${range} order by decided_at desc, id desc limit ${scanLimit}
            ), last as (
              select decided_at as at, id::float8 as id from scanned order by decided_at, id limit 1
            ), wanted as (
              select * from scanned where ${wanted} order by decided_at desc, id desc limit ${limit}
            )
            select (select count(*) from scanned)::int as scanned, l.at as "lastAt", l.id as "lastId",
              w.id::float8 as id, w.decided_at as at, w.rule, w.user_id as "userId", w.phone as "phoneNumber", w.country,
              w.evidence
            from last l left join wanted w on true order by w.decided_at desc, w.id desc`;
      }, owner);
      const rows = scanned
        .filter(({ id }) => id !== null)
        .map((row): RefusedSend => {
          const { scanned: _, lastAt: __, lastId: ___, ...send } = row;
          return send;
        });
      const [first] = scanned;
      if (!first || first.scanned < scanLimit) return { rows, end: undefined };
      return { rows, end: { at: first.lastAt, id: first.lastId } };
    },
  };
}

function isAfter(sql: Sql, after: RefusalPosition | { at: Date }): Statement {
  return 'id' in after
    ? sql`and (decided_at, id) < (${after.at}, ${after.id}::bigint)`
    : sql`and decided_at <= ${after.at}`;
}
