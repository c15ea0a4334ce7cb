/**
 * The statements about users if their table is distributed: see docs/citus.md. A statement about one user runs on the
 * worker that has the user, and tables of the coordinator are read by separate statements.
 */
import { array, type Database, type DatabaseTransaction } from '../db/database.ts';
import { groupByShard } from '../db/citus/shards.ts';
import { isWorkerAway } from '../db/citus/workers.ts';
import type { NewUser } from './user.ts';

/** The number of `user.created` in the outbox. Other events have their own sequence number, from 1. */
const createdEventNumber = 0;

export interface ImportedIds {
  created: number[];
  present: number[];
}

async function readErased(sql: DatabaseTransaction, ids: readonly number[]): Promise<Set<number>> {
  const rows = await sql`select user_id from erased_users where user_id = any(${array(ids)}::int[])`;
  return new Set(rows.map(({ user_id }) => user_id));
}

/** Before its insert was answered: nothing of the user was written. */
class WorkerNotReached extends Error {
  constructor(cause: unknown) {
    super('The worker that the new user belongs to was not reached.', { cause });
  }
}

/** Ids in a row that all belong to workers that cannot be reached: with half of the workers it is one in a million. */
const maxDraws = 20;

/** A new user without a chosen id gets one that belongs to a worker that can be reached. */
export async function insertDistributedUser(
  db: Database,
  user: NewUser,
  now: Date,
  hasCreatedEvent: boolean,
): Promise<number | undefined> {
  for (let draws = 1; ; draws += 1) {
    try {
      return await db.transaction((sql) => insertInShard(sql, user, now, hasCreatedEvent));
    } catch (error) {
      if (!(error instanceof WorkerNotReached)) throw error;
      if (user.id !== undefined || draws === maxDraws) throw error.cause;
    }
  }
}

async function insertInShard(
  sql: DatabaseTransaction,
  { id: wantedId, merchantId, email, additionalData }: NewUser,
  now: Date,
  hasCreatedEvent: boolean,
): Promise<number | undefined> {
  const id = wantedId ?? (await drawId(sql));
  if ((await readErased(sql, [id])).has(id)) return undefined;
  const inserted = await sql`
    insert into users (id, merchant_id, email, additional_data, created_at, has_created_event)
    values (${id}, ${merchantId ?? null}, ${email ?? null}, ${additionalData ?? null}::text::json, ${now},
      ${hasCreatedEvent})
    on conflict (id) do nothing returning id`.catch((error: unknown) => {
    throw isWorkerAway(error) ? new WorkerNotReached(error) : error;
  });
  if (inserted.length === 0) return undefined;
  // Only a later statement sees an erasure that was committed while the insert waited for it.
  if ((await readErased(sql, [id])).has(id)) {
    await sql`delete from users where id = ${id}`;
    return undefined;
  }
  if (hasCreatedEvent) {
    await sql`
      insert into user_event_outbox (id, user_id, sequence, type, at, data)
      values (${createdEventNumber}, ${id}, 1, 'user.created', ${now}, ${JSON.stringify({ userId: id })}::text::json)`;
  }
  return id;
}

async function drawId(sql: DatabaseTransaction): Promise<number> {
  const [row] = await sql`select nextval('user_ids')::int as id`;
  return row!.id;
}

const idsAtOnce = 1000;

/**
 * Moves the sequence past the ids that callers chose, to the next free one. While a worker cannot be reached, nobody
 * knows which ids are taken: then the sequence itself goes on one by one.
 */
export async function skipTakenDistributedIds(db: Database): Promise<void> {
  try {
    await skipTakenIds(db);
  } catch (error) {
    if (!isWorkerAway(error)) throw error;
  }
}

async function skipTakenIds(db: Database): Promise<void> {
  const [{ last_value: first } = { last_value: 0 }] = await db.write`
    select last_value::int as last_value from user_ids`;
  let last = first - 1;
  for (;;) {
    const rows = await db.write`
      select id from users where id > ${last} order by id limit ${idsAtOnce}`;
    const gap = rows.findIndex(({ id }, index) => id !== last + 1 + index);
    last += gap < 0 ? rows.length : gap;
    if (gap >= 0 || rows.length < idsAtOnce) break;
  }
  if (last >= first) await db.write`select setval('user_ids', ${last})`;
}

/** Creates the users that do not exist, and locks all of them against an erasure. */
export async function importDistributedIds(
  sql: DatabaseTransaction,
  ids: readonly number[],
  now: Date,
  hasCreatedEvent: boolean,
): Promise<ImportedIds> {
  const erased = await readErased(sql, ids);
  const wanted = ids.filter((id) => !erased.has(id));
  const inserted = await sql`
    insert into users (id, created_at, has_created_event)
    select id, ${now}, ${hasCreatedEvent}::boolean from unnest(${array(wanted)}::int[]) id order by id
    on conflict (id) do nothing returning id`;
  const erasedMeanwhile = [...(await readErased(sql, wanted))];
  if (erasedMeanwhile.length > 0) await sql`delete from users where id = any(${array(erasedMeanwhile)}::int[])`;
  const created = inserted.map(({ id }) => Number(id));
  await sql`
    insert into user_event_outbox (id, user_id, sequence, type, at, data)
    select ${createdEventNumber}, u.id, 1, 'user.created', u.created_at,
      ('{"userId":' || u.id || '}')::json
    from users u where u.has_created_event and u.id = any(${array(created)}::int[])`;
  // Waits for an erasure in progress, and delays later ones.
  const present: number[] = [];
  for (const shard of await groupByShard(sql, wanted)) {
    const rows = await sql`
      select id from users where id = any(${array(shard)}::int[]) order by id for key share`;
    present.push(...rows.map(({ id }) => Number(id)));
  }
  return { created, present };
}
