/** The statements that erase a user, and the ones that show what is stored about one. */
import type { Database, Transaction } from '../db/database.ts';
import { writeTimestamp } from '../events/event.ts';
import { tablesAtErasure, type UserRows } from './personal-data.ts';

export interface Actor {
  subject: string;
  client: string;
}

export interface Erasure {
  userId: number;
  now: Date;
  /** Until when the transactions are kept; null removes them at once. */
  retainedUntil: Date | null;
  actor: Actor;
  /** For the event that the phone was unlinked. */
  countryOf(phone: string): string | null;
}

export type ErasureResult = 'erased' | 'erased-before' | 'unknown';

export interface ErasedUser {
  userId: number;
  erasedAt: Date;
  retainedUntil: Date | null;
}

export type PrivacyStore = ReturnType<typeof createPrivacyStore>;

const removedTables = tablesAtErasure('removed');
const retainedTables = tablesAtErasure('retained');

const rowsAtOnce = 5000;

export function createPrivacyStore(db: Database) {
  return {
    eraseUser: (erasure: Erasure): Promise<ErasureResult> => db.transaction((sql) => erase(sql, erasure)),

    /** Everything that is stored about a user, as JSON text. Undefined for an unknown user. */
    async readUserData(userId: number, exportPath: string): Promise<string | undefined> {
      const [row] = await db.read.unsafe(userDataStatement, [userId, exportPath], { prepare: true });
      return row?.data;
    },

    async recordAccess(userId: number, action: string, { subject, client }: Actor, now: Date): Promise<void> {
      await db.transaction((sql) => recordAction(sql, { userId, action, actor: { subject, client }, now }));
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

    /** The JSON of an erased user's retained transactions, newest first, some at a time. */
    readRetained: (userId: number): AsyncIterable<string[]> =>
      db.stream({
        statement: `select t.body from erased_users e join transactions t on t.individual_id = e.user_id
         where e.user_id = $1 order by t.time_stamp desc, t.transaction_id desc`,
        parameters: [userId],
        rowsAtOnce,
        read: ({ body }) => String(body),
      }),

    /** Keeps an id unused that was created and erased after the backup was taken. */
    async reserveErasedId(userId: number, now: Date): Promise<void> {
      await db.write`
        insert into erased_users (user_id, erased_at, rows_removed_at) values (${userId}, ${now}, ${now})
        on conflict (user_id) do nothing`;
    },

    async isErased(userId: number): Promise<boolean> {
      const rows = await db.read`select from erased_users where user_id = ${userId}`;
      return rows.length === 1;
    },

    /**
     * Individuals whose count, last sequence number, rows and blocks do not agree: of the largest and of some at random.
     * For a database that was restored.
     */
    async findInconsistent(sampleSize: number): Promise<{ checked: number; inconsistent: number[] }> {
      const [row] = await db.long(
        (sql) => sql`
          with largest as (
            select id, transaction_count from users order by transaction_count desc limit ${sampleSize}
          ), random as (
            select id, transaction_count from users where transaction_count > 0 order by random() limit ${sampleSize}
          ), sample as (
            select * from largest union select * from random
          ), counted as (
            select s.id, s.transaction_count,
              (select count(*) from transactions t where t.individual_id = s.id) as rows,
              (select coalesce(max(t.seq), 0) from transactions t where t.individual_id = s.id) as last_seq,
              (select sum(b.row_count) from transaction_blocks b where b.individual_id = s.id) as in_blocks
            from sample s
          )
          select count(*)::int as checked, coalesce(json_agg(id) filter (
            where rows <> transaction_count or last_seq <> transaction_count or in_blocks <> transaction_count), '[]')
            as inconsistent
          from counted`,
      );
      return { checked: row!.checked, inconsistent: row!.inconsistent };
    },
  };
}

/**
 * The row of `verifications` is created if it is missing and locked first: everything that writes about a user's phone
 * locks it too, and writes nothing when it is gone. The row of `users` is deleted under the lock that a record takes.
 */
async function erase(sql: Transaction, erasure: Erasure): Promise<ErasureResult> {
  const { userId, now } = erasure;
  const [verification] = await sql`
    insert into verifications (user_id) values (${userId})
    on conflict (user_id) do update set user_id = excluded.user_id
    returning verified_phone`;
  const [user] = await sql`select transaction_count from users where id = ${userId} for update`;
  if (!user) {
    // The row that was made only for the lock goes again; failures of unknown ids stay counted.
    await sql`delete from verifications where user_id = ${userId} and last_message_number = 0 and sends = '{}' and failures = '{}'`;
    const [before] = await sql`select from erased_users where user_id = ${userId}`;
    return before ? 'erased-before' : 'unknown';
  }
  // Without transactions there is nothing to retain.
  const retainedUntil = user.transaction_count === 0 ? null : erasure.retainedUntil;
  const remove = ({ table, user: column }: UserRows) =>
    sql.unsafe(`delete from ${table} where ${column} = $1`, [userId]).execute();
  // Before the events: a receipt locks its message first and then the counter of events, too.
  await Promise.all(removedTables.filter(({ table }) => table !== 'users').map(remove));
  await writeErasureEvents(sql, { ...erasure, retainedUntil }, verification!.verified_phone);
  await Promise.all([
    sql`delete from users where id = ${userId}`.execute(),
    ...(retainedUntil === null ? retainedTables.map(remove) : []),
    sql`
      insert into erased_users (user_id, erased_at, retained_until, rows_removed_at)
      values (${userId}, ${now}, ${retainedUntil}, ${retainedUntil === null ? now : null})`.execute(),
  ]);
  return 'erased';
}

/** While the user still exists: an event counts its users' events by their row. */
async function writeErasureEvents(sql: Transaction, erasure: Erasure, phone: string | null): Promise<void> {
  const { userId, now, retainedUntil, actor, countryOf } = erasure;
  if (phone !== null) {
    const unlinked = JSON.stringify({ country: countryOf(phone), by: 'erasure' });
    await sql`select write_event('phone.unlinked', ${userId}, ${now}, ${unlinked}::text::json)`;
  }
  const erased = JSON.stringify({ retainedUntil: retainedUntil && writeTimestamp(retainedUntil) });
  await sql`select write_event('user.erased', ${userId}, ${now}, ${erased}::text::json)`;
  await recordAction(sql, { userId, action: 'erase-user', actor, now });
}

interface AuditedAction {
  userId: number;
  action: string;
  actor: Actor;
  now: Date;
}

async function recordAction(sql: Transaction, { userId, action, actor, now }: AuditedAction): Promise<void> {
  await sql`
    select record_action(${now}, ${actor.subject}, ${actor.client}, ${action}, ${`user ${userId}`}, null, ${userId}, null)`;
}

const isoTime = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Columns by name: a digest can never be among them by accident. */
const userDataStatement = `
select json_build_object(
  'user', json_build_object('id', u.id, 'merchantId', u.merchant_id, 'email', u.email,
    'additionalData', u.additional_data, 'createdAt', ${isoTime('u.created_at')}),
  'phone', json_build_object('verified', v.verified_phone, 'verifiedAt', ${isoTime('v.verified_at')},
    'lastSent', v.sent_phone),
  'verifications', (
    select coalesce(json_agg(json_build_object('at', ${isoTime('e.at')}, 'kind', e.kind, 'reason', e.reason,
      'times', e.times) order by e.at), '[]')
    from verification_events e where e.user_id = u.id),
  'messages', (
    select coalesce(json_agg(json_build_object('codeNumber', m.code_number, 'phoneNumber', m.phone,
      'country', nullif(m.country, ''), 'correlationType', m.correlation_type, 'locale', m.locale,
      'segments', m.segments, 'gateway', m.gateway, 'gatewayMessageId', m.gateway_message_id, 'state', m.state,
      'reason', m.reason, 'tries', m.tries, 'requestedAt', ${isoTime('m.requested_at')},
      'answeredAt', ${isoTime('m.answered_at')}, 'stateAt', ${isoTime('m.state_at')},
      'expiresAt', ${isoTime('m.expires_at')}, 'verifiedAt', ${isoTime('m.verified_at')})
      order by m.requested_at), '[]')
    from messages m where m.user_id = u.id),
  'blocks', case when v.blocked_until is null then '[]'::json else
    json_build_array(json_build_object('rule', 'user-failures', 'until', ${isoTime('v.blocked_until')})) end,
  'transactions', json_build_object('count', u.transaction_count, 'export', $2::text)
)::text as data
from users u left join verifications v on v.user_id = u.id
where u.id = $1`;
