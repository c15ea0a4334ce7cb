/** The statements that erase a user. */
import { distributedTables } from '../db/citus/citus.ts';
import type { Operator } from '../audit/operator-actions.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { callRecordAction } from '../db/record-action.ts';
import { writeTime } from '../values/instant.ts';
import { tablesAtErasure, type UserRows } from './personal-data.ts';

export interface Erasure {
  userId: number;
  now: Date;
  /** Before `now` only if the user is erased again, after a restore. */
  erasedAt: Date;
  /** Until when the transactions are kept; null removes them immediately. */
  retainedUntil: Date | null;
  actor: Operator;
  /** For the event that the phone was unlinked. */
  countryOf(e164: string): string | null;
}

export type ErasureResult = 'erased' | 'erased-before' | 'unknown';

const erasureAction = 'erase-user';
const targetOf = (userId: number) => `user ${userId}`;

const removedTables = tablesAtErasure('removed').filter(({ table }) => table !== 'users');
const retainedTables = tablesAtErasure('retained');
const isLocal = ({ table }: UserRows) => !distributedTables.some((distributed) => distributed.table === table);

async function removeRows(sql: DatabaseTransaction, userId: number, from: readonly UserRows[]): Promise<void> {
  await Promise.all(
    from.map(({ table, user }) => sql.unsafe(`delete from ${table} where ${user} = $1`, [userId]).execute()),
  );
}

/**
 * The row of `verifications` is created if it is missing and locked first: everything that writes about a user's phone
 * locks it too, and writes nothing if it no longer exists.
 */
async function lockVerification(sql: DatabaseTransaction, userId: number): Promise<string | null> {
  const [verification] = await sql`
    insert into verifications (user_id) values (${userId})
    on conflict (user_id) do update set user_id = excluded.user_id
    returning verified_phone`;
  return verification!.verified_phone;
}

/** Removes the row if it was created only for the lock; failures of unknown ids stay counted. */
async function releaseVerification(sql: DatabaseTransaction, userId: number): Promise<void> {
  await sql`
    delete from verifications
    where user_id = ${userId} and last_message_number = 0 and sends = '{}' and failures = '{}'
      and change_failures = '{}' and confirmation_failures = '{}'`;
}

async function isErased(sql: DatabaseTransaction, userId: number): Promise<boolean> {
  const rows = await sql`select user_id from erased_users where user_id = ${userId}`;
  return rows.length > 0;
}

/** In one transaction. The row of `users` is deleted under the lock that recording transactions takes. */
export async function eraseInOneTransaction(sql: DatabaseTransaction, erasure: Erasure): Promise<ErasureResult> {
  const { userId, now, erasedAt } = erasure;
  const e164 = await lockVerification(sql, userId);
  const [user] = await sql`select transaction_count from users where id = ${userId} for update`;
  if (!user) {
    await releaseVerification(sql, userId);
    return (await isErased(sql, userId)) ? 'erased-before' : 'unknown';
  }
  // Without transactions there is nothing to retain.
  const retainedUntil = user.transaction_count === 0 ? null : erasure.retainedUntil;
  // Before the events: a receipt also locks its message first and then the counter of events.
  await removeRows(sql, userId, removedTables);
  // While the user still exists: `write_event` needs the user's row to number an event.
  await writeErasureEvents(sql, { ...erasure, retainedUntil }, e164);
  const record = { who: erasure.actor, now, action: erasureAction, target: targetOf(userId), userId };
  await sql`select ${callRecordAction(sql, record)}`;
  await Promise.all([
    removeRows(sql, userId, [{ table: 'users', user: 'id' }, ...(retainedUntil === null ? retainedTables : [])]),
    sql`
      insert into erased_users (user_id, erased_at, retained_until, rows_removed_at)
      values (${userId}, ${erasedAt}, ${retainedUntil}, ${retainedUntil === null ? now : null})`.execute(),
  ]);
  return 'erased';
}

/**
 * If users is distributed, one transaction over the coordinator and a worker is not atomic. So the coordinator first
 * notes that the erasure is due: `completeErasures` finishes it if this process cannot.
 */
export async function eraseDistributed(db: Database, erasure: Erasure): Promise<ErasureResult> {
  const result = await db.transaction((sql) => beginErasure(sql, erasure));
  if (result !== 'unknown') await completeErasure(db, erasure.userId, erasure.countryOf);
  return result;
}

async function beginErasure(
  sql: DatabaseTransaction,
  { userId, now, erasedAt, actor, ...erasure }: Erasure,
): Promise<ErasureResult> {
  await lockVerification(sql, userId);
  const wasErased = await isErased(sql, userId);
  const [user] = wasErased
    ? []
    : await sql`select transaction_count, has_created_event from users where id = ${userId}`;
  if (!user) {
    await releaseVerification(sql, userId);
    return wasErased ? 'erased-before' : 'unknown';
  }
  const retainedUntil = user.transaction_count === 0 ? null : erasure.retainedUntil;
  await sql`
    insert into erased_users (user_id, erased_at, retained_until, rows_removed_at, is_complete, has_events)
    values (${userId}, ${erasedAt}, ${retainedUntil}, ${retainedUntil === null ? now : null}, false, false)`;
  // The last events are numbered after the user was deleted.
  await sql`
    insert into event_counters (user_id, sequence) values (${userId}, ${Number(user.has_created_event)})
    on conflict (user_id) do nothing`;
  await sql`
    insert into operator_actions (acted_at, subject, client, action, target, user_id)
    values (${now}, ${actor.subject}, ${actor.client}, ${erasureAction}, ${targetOf(userId)}, ${userId})`;
  return 'erased';
}

/**
 * The remaining steps, which can be repeated. First, on the worker, the user is deleted, and the transactions if they
 * are not retained. From then on nothing new can start for the user, so the coordinator's rows are deleted last, and
 * the events are written with them.
 */
export async function completeErasure(db: Database, userId: number, countryOf: Erasure['countryOf']): Promise<void> {
  const [erased] = await db.write`
    select retained_until, rows_removed_at is not null as is_all_removed, coalesce((
        select min(a.acted_at) from operator_actions a
        where a.acted_at >= e.erased_at and a.user_id = e.user_id and a.action = ${erasureAction}
      ), erased_at) as acted_at
    from erased_users e where user_id = ${userId} and not is_complete`;
  if (!erased) return;
  await db.transaction((sql) =>
    removeRows(sql, userId, [{ table: 'users', user: 'id' }, ...(erased.is_all_removed ? retainedTables : [])]),
  );
  await db.transaction(async (sql) => {
    const e164 = await lockVerification(sql, userId);
    await removeRows(sql, userId, removedTables.filter(isLocal));
    const untold = await sql`
      update erased_users set has_events = true where user_id = ${userId} and not has_events returning user_id`;
    const events = { userId, now: erased.acted_at, retainedUntil: erased.retained_until, countryOf };
    if (untold.length === 0) return;
    await writeErasureEvents(sql, events, e164);
    await writeActionEvent(sql, userId, erased.acted_at);
  });
}

/** Writes the event of the action that started the erasure. */
async function writeActionEvent(sql: DatabaseTransaction, userId: number, actedAt: Date): Promise<void> {
  await sql`
    select write_event('operator.acted', ${userId}::int, ${actedAt}::timestamptz,
      json_build_object('action', a.action, 'actor', a.subject, 'target', a.target))
    from operator_actions a
    where a.acted_at = ${actedAt}::timestamptz and a.user_id = ${userId}::int and a.action = ${erasureAction}`;
}

type ErasureEvents = Pick<Erasure, 'userId' | 'now' | 'retainedUntil' | 'countryOf'>;

async function writeErasureEvents(
  sql: DatabaseTransaction,
  erasure: ErasureEvents,
  e164: string | null,
): Promise<void> {
  const { userId, now, retainedUntil, countryOf } = erasure;
  if (e164 !== null) {
    const unlinked = JSON.stringify({ country: countryOf(e164), by: 'erasure' });
    await sql`select write_event('phone.unlinked', ${userId}, ${now}, ${unlinked}::text::json)`;
  }
  const erased = JSON.stringify({ retainedUntil: retainedUntil && writeTime(retainedUntil) });
  await sql`select write_event('user.erased', ${userId}, ${now}, ${erased}::text::json)`;
}
