/** Messages by time, newest first, for operators. A statement reads a limited number of rows, whatever the filter. */
import type { Database, Sql, Statement } from '../db/database.ts';
import type { Owner } from '../sharing/slots.ts';
import type { MessagePosition } from './log-cursor.ts';
import { messageColumns, messageState } from './trail.store.ts';

export type MessageState = 'unavailable' | 'refused' | 'unknown' | 'accepted' | 'failed' | 'delivered';

export interface MessageFilter {
  userId: number | undefined;
  /** The message's number among the user's. */
  number: number | undefined;
  /** ISO 3166 code. */
  country: string | undefined;
  gateway: string | undefined;
  state: MessageState | undefined;
  isVerified: boolean | undefined;
  /** Part of a reason, of the message or of one of its tries. */
  reason: string | undefined;
  from: string | undefined;
  to: string | undefined;
}

/** A row as the statement returns it; the times are texts. */
export type MessageRow = Record<string, unknown> & { userId: number; number: number; requestedAt: string };

interface FoundRows<Row, Position> {
  rows: Row[];
  /** The last row that was read, if there may be older ones that match. */
  end: Position | undefined;
}

/** Maximum number of rows that one statement reads. */
const scanLimit = 20_000;

export type MessageLogStore = ReturnType<typeof createMessageLogStore>;

export function createMessageLogStore(db: Database) {
  return {
    /** After a position, or before a time. */
    async findMessages(
      filter: MessageFilter,
      after: MessagePosition | { at: Date } | undefined,
      limit: number,
      now: Date,
      owner: Owner,
    ): Promise<FoundRows<MessageRow, MessagePosition>> {
      const { userId, number, country, gateway, state, isVerified, reason, from, to } = filter;
      // Only a plan for the given values can decide whether the user or the time is more selective.
      const [found] = await db.planned((sql) => {
        const range = [
          sql`true`,
          ...(userId === undefined ? [] : [sql`and user_id = ${userId}`]),
          ...(number === undefined ? [] : [sql`and message_number = ${number}`]),
          ...(from === undefined ? [] : [sql`and requested_at >= ${from}::text::timestamptz`]),
          ...(to === undefined ? [] : [sql`and requested_at <= ${to}::text::timestamptz`]),
          ...(after === undefined ? [] : [isAfter(sql, after)]),
        ];
        const wanted = [
          sql`true`,
          ...(country === undefined ? [] : [sql`and country = ${country}`]),
          ...(gateway === undefined ? [] : [sql`and gateway = ${gateway}`]),
          ...(state === undefined ? [] : [sql`and ${sql.unsafe(messageState)} = ${state}`]),
          ...(isVerified === undefined ? [] : [sql`and (verified_at is not null) = ${isVerified}`]),
          ...(reason === undefined
            ? []
            : [sql`and position(lower(${reason}) in lower(concat(reason, ' ', tries::text))) > 0`]),
        ];
        return sql`
            with scanned as materialized (
              select * from messages where ${range}
              order by requested_at desc, user_id desc, message_number desc limit ${scanLimit}
            ), wanted as (
              select user_id as "userId", message_number as number, code_number as "codeNumber",
                ${sql.unsafe(messageColumns(`'${now.toISOString()}'::timestamptz`, 'scanned'))}
              from scanned where ${wanted}
              order by requested_at desc, user_id desc, message_number desc limit ${limit}
            )
            select (select count(*) from scanned)::int as scanned,
              (select json_build_object('at', requested_at, 'userId', user_id, 'number', message_number)
                from scanned order by requested_at, user_id, message_number limit 1)::text as last,
              coalesce((select json_agg(w order by w."requestedAt" desc, w."userId" desc, w.number desc) from wanted w), '[]'::json)::text as rows`;
      }, owner);
      const rows = JSON.parse(found!.rows as string) as MessageRow[];
      if (found!.scanned < scanLimit) return { rows, end: undefined };
      const { at, ...key } = JSON.parse(found!.last as string) as MessagePosition & { at: string };
      return { rows, end: { ...key, at: new Date(at) } };
    },
  };
}

function isAfter(sql: Sql, after: MessagePosition | { at: Date }): Statement {
  return 'number' in after
    ? sql`and (requested_at, user_id, message_number) < (${after.at}, ${after.userId}::int, ${after.number}::int)`
    : sql`and requested_at < ${after.at}`;
}
