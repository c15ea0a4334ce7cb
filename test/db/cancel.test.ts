/** A caller that leaves ends its own statement, and nobody else's. */
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openDatabase, type Database, type DatabaseRow } from '../../src/db/database.ts';
import { cancelWhenGone } from '../../src/db/sessions/cancel.ts';
import { openConnection } from '../../src/db/sessions/pool.ts';
import { CallerGone } from '../../src/errors.ts';
import { serviceItself } from '../../src/sharing/slots.ts';
import { cloneDatabase } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let admin: postgres.Sql;
beforeAll(async () => {
  database = await cloneDatabase();
  admin = postgres(database.url, { max: 1 });
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

function open(url: string): Database {
  const db = openDatabase({ url, connections: 16, statementSeconds: 20 });
  onTestFinished(() => db.close());
  return db;
}

const isRunning = async (mark: string) =>
  (
    await admin`select from pg_stat_activity where state = 'active' and query like ${`%${mark}%`} and pid <> pg_backend_pid()`
  ).length > 0;

type Work = (db: Database, statement: string, signal?: AbortSignal) => Promise<DatabaseRow[]>;
const ownerOf = (signal?: AbortSignal) => ({ ...serviceItself, ...(signal && { signal }) });
const kinds: Record<string, Work> = {
  long: (db, statement, signal) => db.long((sql) => sql.unsafe(statement), ownerOf(signal)),
  planned: (db, statement, signal) => db.planned((sql) => sql.unsafe(statement), ownerOf(signal)),
  snapshot: (db, statement, signal) => db.snapshot((read) => read(statement, []), ownerOf(signal)),
};

it.each(Object.keys(kinds))('a caller that leaves ends its %s statement in PostgreSQL', async (kind) => {
  const db = open(database.url);
  const caller = new AbortController();
  const work = kinds[kind]!(db, `select pg_sleep(100) /* ${kind} leaves */`, caller.signal);
  const left = expect(work).rejects.toBeInstanceOf(CallerGone);
  await until(() => isRunning(`${kind} leaves`));
  caller.abort();
  await left;
  await until(async () => !(await isRunning(`${kind} leaves`)));
});

it('a caller that leaves while nothing can be cancelled gets its result, or that it has left', async () => {
  const pool = openConnection(database.url, 5);
  onTestFinished(() => pool.end({ timeout: 0 }));
  const caller = new AbortController();
  const cancel = () => {
    throw new Error('away');
  };
  const left = pool.use((session) =>
    cancelWhenGone(session, { signal: caller.signal, cancel }, () => {
      setTimeout(() => caller.abort(), 50);
      return session.sql`select 1 as one, pg_sleep(0.3)`;
    }),
  );
  expect((await left)[0]!.one).toBe(1);
});

it.each(Object.keys(kinds))('callers that leave when their %s ends harm nobody', { timeout: 60_000 }, async (kind) => {
  // One session for all long statements.
  const db = openDatabase({ url: database.url, connections: 3, statementSeconds: 20 });
  onTestFinished(() => db.close());
  for (let round = 0; round < 60; round += 1) {
    const caller = new AbortController();
    const milliseconds = 2 + (round % 5);
    const first = kinds[kind]!(db, `select pg_sleep(${milliseconds / 1000})`, caller.signal);
    setTimeout(() => caller.abort(), milliseconds);
    const others = [1, 2, 3].map((number) => kinds[kind]!(db, `select ${number} as number, pg_sleep(0.005)`));
    await first.catch((error: unknown) => expect(error).toBeInstanceOf(CallerGone));
    expect((await Promise.all(others)).map((rows) => rows[0]!.number)).toEqual([1, 2, 3]);
  }
});

it.each([
  ['before its connection is open', 0],
  ['between two pieces', 1],
])('a stream whose caller leaves %s ends', async (_, quickRows) => {
  const db = open(database.url);
  const caller = new AbortController();
  const streamed = {
    statement: 'select n, case when n > $1::int then pg_sleep(100) end from generate_series(1, 3) n',
    parameters: [quickRows],
    rowsAtOnce: 1,
    read: ({ n }: DatabaseRow) => n as number,
  };
  const rows = db.stream(streamed, { ...serviceItself, signal: caller.signal })[Symbol.asyncIterator]();
  for (let n = 1; n <= quickRows; n += 1) expect(await rows.next()).toEqual({ done: false, value: [n] });
  const next = rows.next();
  caller.abort();
  await expect(next).rejects.toBeInstanceOf(CallerGone);
});
