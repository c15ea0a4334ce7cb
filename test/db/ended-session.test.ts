/** Sessions that end in the middle of what they are used for: an error for the caller, and nothing else. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/network/free-port.ts';
import { parseAddress } from '../../src/db/sessions/address.ts';
import { openDatabase, type Database, type Sql } from '../../src/db/database.ts';
import { openPool } from '../../src/db/sessions/pool.ts';
import { cloneDatabase } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Database;
let admin: postgres.Sql;
beforeAll(async () => {
  subscribe('net.client.socket', keepSocket);
  database = await cloneDatabase();
  db = openDatabase({ url: database.url, connections: 4, statementSeconds: 5 });
  admin = postgres(database.url, { max: 1 });
});
afterAll(async () => {
  await db.close();
  await admin.end();
  await database.drop();
  unsubscribe('net.client.socket', keepSocket);
});

/** The sockets that this process has opened, by their port here. */
const sockets = new Map<number, Socket>();
const keepSocket = (message: unknown) => {
  const { socket } = message as { socket: Socket };
  socket.once('connect', () => sockets.set(socket.localPort!, socket));
};

/** Ends a session, and waits until this process has noticed. */
async function terminate(pid: number): Promise<void> {
  const [session] = await admin`select client_port as port from pg_stat_activity where pid = ${pid}`;
  await admin`select pg_terminate_backend(${pid}::int)`;
  await until(() => sockets.get(session!.port)!.closed);
}

const ownPid = async (sql: Sql): Promise<number> => (await sql.unsafe('select pg_backend_pid() as pid'))[0]!.pid;

it('a transaction whose session ends is an error, and the next transaction works', async () => {
  for (let round = 0; round < 5; round += 1) {
    const ended = db.transaction(async (sql) => {
      await terminate(await ownPid(sql));
      return sql`select 1`;
    });
    await expect(ended).rejects.toMatchObject({ code: expect.stringMatching(/^(57P01|CONNECTION_CLOSED)$/) });
    expect(await db.transaction(async (sql) => (await sql`select 1 as one`)[0]!.one)).toBe(1);
  }
});

it('a statement that is planned anew has a plan for its values, and survives the end of its session', async () => {
  const mode = await db.planned((sql) => sql`show plan_cache_mode`);
  expect(mode[0]!.plan_cache_mode).toBe('force_custom_plan');
  expect((await db.long((sql) => sql`show plan_cache_mode`))[0]!.plan_cache_mode).toBe('force_generic_plan');
  for (let round = 0; round < 5; round += 1) {
    const ended = db.planned(async (sql) => {
      await terminate(await ownPid(sql));
      return sql`select 1`;
    });
    await expect(ended).rejects.toMatchObject({ code: expect.stringMatching(/^(57P01|CONNECTION_CLOSED)$/) });
    expect((await db.planned((sql) => sql`select 1 as one`))[0]!.one).toBe(1);
  }
});

it('statements that wait behind another when the session ends get their answer, too', async () => {
  const ended = db.transaction(async (sql) => {
    const pid = await ownPid(sql);
    const waiting = [1, 2, 3].map((number) => sql`select pg_sleep(${number}), ${number}::int`.execute());
    await terminate(pid);
    await Promise.all(waiting);
  });
  await expect(ended).rejects.toMatchObject({ code: expect.stringMatching(/^(57P01|CONNECTION_CLOSED)$/) });
  expect(await db.transaction(async (sql) => (await sql`select 1 as one`)[0]!.one)).toBe(1);
});

it('a statement that fails is the error of the transaction, even if its result was not awaited', async () => {
  const failed = db.transaction(async (sql) => {
    void sql`select 1 / 0`.execute();
    await sql`select 2`;
  });
  await expect(failed).rejects.toMatchObject({ code: '22012' });
  const swallowed = db.transaction(async (sql) => {
    await sql`select 1 / 0`.catch(() => {});
  });
  await expect(swallowed).rejects.toMatchObject({ code: '22012' });
  const [row] = await db.read`select 3 as three`;
  expect(row!.three).toBe(3);
});

it('a stream whose session ends while its reader takes its time breaks off', async () => {
  const rows = db.stream({
    statement: 'select generate_series(1, $1::int) as number, pg_backend_pid() as pid',
    parameters: [5000],
    rowsAtOnce: 1000,
    read: (row) => row,
  });
  let read = 0;
  const reading = (async () => {
    for await (const some of rows) {
      read += some.length;
      if (read === 2000) await terminate(some[0]!.pid);
    }
  })();
  await expect(reading).rejects.toMatchObject({ code: expect.stringMatching(/^(57P01|CONNECTION_CLOSED)$/) });
  expect(read).toBe(2000);
});

it('a stream gives all rows of one snapshot, also when their number is a multiple of what is read at once', async () => {
  for (const count of [0, 1, 999, 1000, 3000]) {
    const numbers: number[] = [];
    const rows = db.stream({
      statement: 'select generate_series(1, $1::int) as number',
      parameters: [count],
      rowsAtOnce: 1000,
      read: ({ number }) => number as number,
    });
    for await (const some of rows) numbers.push(...some);
    expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  }
});

it('a stream that is not read to its end leaves no session open', async () => {
  for await (const some of db.stream({
    statement: 'select generate_series(1, 5000) as number',
    parameters: [],
    rowsAtOnce: 1000,
    read: (row) => row,
  })) {
    expect(some).toHaveLength(1000);
    break;
  }
  await until(
    async () => (await admin`select from pg_stat_activity where query like 'fetch%' and state <> 'idle'`).length === 0,
  );
});

it('a connection that was refused logs in at the first try when the server is back', async () => {
  const address = parseAddress(database.url);
  let endpoint = { host: '127.0.0.1', port: await freePort() };
  const pool = openPool({
    address,
    route: { endpoint: async () => endpoint },
    max: 1,
    statementSeconds: 5,
    mayScan: true,
  });
  onTestFinished(() => pool.end({ timeout: 0 }));
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await expect(pool`select 1`).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  }
  endpoint = address.endpoints[0]!;
  expect((await pool`select 1 as one`)[0]!.one).toBe(1);
});

it('a database that is closed lets the work end that was begun, and takes no more', async () => {
  const closing = openDatabase({ url: database.url, connections: 4, statementSeconds: 5 });
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  const sleeping = 'select 1 as one, pg_sleep(0.5) /* while it is closed */';
  let isBetween = false;
  const begun = [
    closing.read.unsafe(sleeping).execute(),
    closing.long((sql) => sql.unsafe(sleeping)),
    closing.transaction(async (sql) => {
      await sql`select 1`;
      isBetween = true;
      await gate;
      return sql`select 1 as one`;
    }),
  ];
  // It waits for the only connection.
  const late = closing.long((sql) => sql`select 1 as one`);
  const isRunning = async () =>
    (await admin`select from pg_stat_activity where state = 'active' and query like '%/* while it is closed */'`)
      .length === 2;
  await until(async () => isBetween && (await isRunning()));
  const closed = closing.close();
  await expect(late).rejects.toMatchObject({ code: 'CONNECTION_ENDED' });
  goOn();
  expect((await Promise.all(begun)).map((rows) => [rows[0]!.one, rows.length])).toEqual(Array(3).fill([1, 1]));
  await closed;
  await expect(closing.read`select 1`).rejects.toMatchObject({ code: 'CONNECTION_ENDED' });
});
