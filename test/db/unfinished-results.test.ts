/** Whatever breaks off in the middle, a result, an error or a login, leaves nothing to the next statement. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { parseAddress } from '../../src/db/sessions/address.ts';
import { cancelWhenGone } from '../../src/db/sessions/cancel.ts';
import type { Sql } from '../../src/db/database.ts';
import { openPool, openSharedPool, type Pool, type PoolOptions, type SharedPool } from '../../src/db/sessions/pool.ts';
import { CallerGone } from '../../src/errors.ts';
import { cloneDatabase } from '../harness/service.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

/** What PostgreSQL sends passes through `cut`, which says how much of it arrives before the connection ends. */
interface Proxy {
  port: number;
  cut: ((chunk: Buffer) => number | undefined) | undefined;
  /** Whether what a client sends resets its connection. */
  resets: boolean;
  /** New connections get no answer before this. */
  answersFrom: Promise<void>;
}

async function startProxy(): Promise<Proxy> {
  const { host, port } = parseAddress(database.url).endpoints[0]!;
  const proxy: Proxy = { port: 0, cut: undefined, resets: false, answersFrom: Promise.resolve() };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, host);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    client.on('data', (chunk) => {
      if (!proxy.resets) return void upstream.write(chunk);
      proxy.resets = false;
      client.resetAndDestroy();
    });
    const { answersFrom } = proxy;
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    upstream.on('data', async (chunk: Buffer) => {
      await answersFrom;
      const length = proxy.cut?.(chunk);
      if (length === undefined) return void client.write(chunk);
      proxy.cut = undefined;
      client.end(chunk.subarray(0, length));
      upstream.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.port = (server.address() as AddressInfo).port;
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return proxy;
}

function openWith<T extends Pick<Pool, 'end'>>(openIt: (options: PoolOptions) => T, port?: number): T {
  const address = parseAddress(database.url);
  const endpoint = port === undefined ? address.endpoints[0]! : { host: '127.0.0.1', port };
  const route = { endpoint: async () => endpoint };
  const pool = openIt({ address, route, max: 1, statementSeconds: 2, mayScan: true });
  onTestFinished(() => pool.end({ timeout: 0 }));
  return pool;
}

const open = (port?: number): Pool => openWith(openPool, port);
const openShared = (port?: number): SharedPool => openWith(openSharedPool, port);

/** So many rows that the first ones are sent before the statement fails. */
const failsLate = 'select repeat($1, 1000) as text, 1 / (5000 - g) from generate_series(1, 5000) g';

const readOne = async (sql: Sql) => [...(await sql.unsafe('select $1::int as one', [1], { prepare: true }))];

it('an error in the middle of a result', async () => {
  const pool = open();
  for (let round = 0; round < 3; round += 1) {
    await expect(pool.unsafe(failsLate, ['x'], { prepare: true })).rejects.toMatchObject({ code: '22012' });
    expect(await readOne(pool)).toEqual([{ one: 1 }]);
  }
});

it.each([1, 3, 5, 6, 5003, 60_000])('a session that ends %i bytes into a result', async (bytes) => {
  const proxy = await startProxy();
  const pool = open(proxy.port);
  const read = () =>
    pool.unsafe(`select repeat($1, 1000) as text from generate_series(1, 500)`, ['x'], { prepare: true });
  expect(await read()).toHaveLength(500);
  let passed = 0;
  proxy.cut = (chunk) => {
    const left = bytes - passed;
    passed += chunk.length;
    return chunk.length >= left ? left : undefined;
  };
  await expect(read()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect(await readOne(pool)).toEqual([{ one: 1 }]);
});

it('a session that ends anywhere in a small result', async () => {
  // BindComplete, DataRow, CommandComplete and ReadyForQuery have 37 bytes.
  const positions = Array.from({ length: 36 }, (_, index) => index + 1);
  const results = await Promise.all(
    positions.map(async (bytes) => {
      const proxy = await startProxy();
      const pool = open(proxy.port);
      await readOne(pool);
      proxy.cut = () => bytes;
      await expect(readOne(pool)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
      return readOne(pool);
    }),
  );
  expect(results).toEqual(positions.map(() => [{ one: 1 }]));
});

/** An error arrives, and the session ends before it is ready again. */
const endAfterError = (chunk: Buffer) => {
  if (chunk[0] !== 'E'.charCodeAt(0)) return undefined;
  return chunk.readUInt32BE(1) + 1;
};

it('the error of a session that has ended is not that of the next statement', async () => {
  const proxy = await startProxy();
  const pool = open(proxy.port);
  for (let round = 0; round < 3; round += 1) {
    await readOne(pool);
    proxy.cut = endAfterError;
    await expect(pool.unsafe('select $1::int from not_there', [1], { prepare: true })).rejects.toMatchObject({
      code: '42P01',
    });
    // The session may end while the next statement is being sent.
    const next = await readOne(pool).catch((error: unknown) => error);
    if (next instanceof Error) expect(next).toMatchObject({ code: 'CONNECTION_CLOSED' });
    else expect(next).toEqual([{ one: 1 }]);
    expect(await readOne(pool)).toEqual([{ one: 1 }]);
  }
});

it('the error of a session that has ended is not that of the next transaction', async () => {
  const proxy = await startProxy();
  const pool = open(proxy.port);
  for (let round = 0; round < 3; round += 1) {
    await readOne(pool);
    proxy.cut = endAfterError;
    const failed = pool.transaction((sql) => sql.unsafe('select $1::int from not_there', [1], { prepare: true }));
    await expect(failed).rejects.toMatchObject({ code: '42P01' });
    expect(await pool.transaction(async (sql) => [...(await sql`select 1 as one`)])).toEqual([{ one: 1 }]);
  }
});

it('an error of the login is the error of the statement', async () => {
  const url = new URL(database.url);
  url.pathname = '/not_there';
  const address = parseAddress(url.href);
  const route = { endpoint: async () => address.endpoints[0]! };
  const pool = openPool({ address, route, max: 1, statementSeconds: 2, mayScan: true });
  onTestFinished(() => pool.end({ timeout: 0 }));
  await expect(readOne(pool)).rejects.toMatchObject({ code: '3D000' });
  await expect(pool.transaction((sql) => sql`select 1`)).rejects.toMatchObject({ code: '3D000' });
});

it('a transaction whose connection is reset after its first result leaves nothing to the next one', async () => {
  const proxy = await startProxy();
  const pool = open(proxy.port);
  for (let round = 0; round < 3; round += 1) {
    const reset = pool.transaction(async (sql) => {
      await sql`select 1`;
      proxy.resets = true;
      await sql`select 2`;
    });
    await expect(reset).rejects.toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|CONNECTION_CLOSED)$/) });
    expect(await pool.transaction(async (sql) => [...(await sql`select 3 as three`)])).toEqual([{ three: 3 }]);
  }
});

it('a caller that leaves while its connection logs in does not keep the connection from others', async () => {
  const proxy = await startProxy();
  let answer = () => {};
  proxy.answersFrom = new Promise((resolve) => (answer = resolve));
  const pool = open(proxy.port);
  const caller = new AbortController();
  const left = pool.use((session) =>
    cancelWhenGone(session, { signal: caller.signal, cancel: async () => {} }, () => readOne(session.sql)),
  );
  await new Promise((resolve) => setImmediate(resolve));
  caller.abort();
  answer();
  await expect(left).rejects.toBeInstanceOf(CallerGone);
  expect(await readOne(pool)).toEqual([{ one: 1 }]);
});

it('a value that cannot be sent is an error of its transaction, which ends', async () => {
  const pool = open();
  // oxlint-disable-next-line no-explicit-any -- a defect of ours would look like this
  const bad = pool.transaction((sql) => sql`select ${undefined as any}::int`);
  await expect(bad).rejects.toThrow('A value of a statement is undefined.');
  expect(await pool.transaction(async (sql) => [...(await sql`select 1 as one`)])).toEqual([{ one: 1 }]);
});

it('a prepared statement that no longer fits its table never returns the rows of another call', async () => {
  const pool = openShared();
  const admin = open();
  await admin.unsafe('create table public.growing (number int); insert into public.growing values (1)');
  const read = () => pool.unsafe('select * from public.growing where number = $1::int', [1], { prepare: true });
  /** What came back; a session may end, and its statements with it. */
  const outcomeOf = async (statement: PromiseLike<readonly object[]>) =>
    statement.then(
      (rows) => [...rows],
      (error: unknown) => (error as { code: string }).code,
    );
  const echo = (number: number) => outcomeOf(pool.unsafe('select $1::int as echo', [number], { prepare: true }));
  await Promise.all([read(), echo(0)]);
  for (let round = 1; round <= 5; round += 1) {
    await admin.unsafe(`alter table public.growing add column c${round} int`);
    const others: ReturnType<typeof echo>[] = [];
    let isDone = false;
    const outdated = outcomeOf(read()).finally(() => (isDone = true));
    while (!isDone && others.length < 500) {
      others.push(echo(others.length));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await outdated).toBe('CONNECTION_CLOSED');
    for (const [number, outcome] of (await Promise.all(others)).entries()) {
      if (outcome !== 'CONNECTION_CLOSED') expect(outcome).toEqual([{ echo: number }]);
    }
    expect(Object.keys((await read())[0]!)).toHaveLength(round + 1);
  }
});

it('a prepared statement whose column has another type now never returns the rows of another call', async () => {
  const pool = open();
  const admin = open();
  await admin.unsafe('create table public.typed (value int)');
  const write = () => pool.unsafe('insert into public.typed values ($1) returning value', ['1'], { prepare: true });
  expect([...(await write())]).toEqual([{ value: 1 }]);
  await admin.unsafe('alter table public.typed alter column value type text');
  const outdated = write();
  await expect(outdated).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect([...(await write())]).toEqual([{ value: '1' }]);
});
