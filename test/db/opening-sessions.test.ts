/** Sessions that are being opened while others work, fail or end. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { parseAddress, type DatabaseEndpoint } from '../../src/db/sessions/address.ts';
import { openPool, openSharedPool } from '../../src/db/sessions/pool.ts';
import { freePort } from '../../src/network/free-port.ts';
import { cloneDatabase } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => (database = await cloneDatabase()));
afterAll(() => database.drop());

/** Options of a pool of two sessions: the n-th is opened at the n-th endpoint, as soon as that is known. */
function poolOptions(endpoints: (endpoint: DatabaseEndpoint) => (DatabaseEndpoint | Promise<DatabaseEndpoint>)[]) {
  const address = parseAddress(database.url);
  const next = endpoints(address.endpoints[0]!);
  return { address, route: { endpoint: async () => next.shift()! }, max: 2, statementSeconds: 5, mayScan: true };
}

it('a statement that waits for a session that cannot be opened uses another one', async () => {
  const nobody = { host: '127.0.0.1', port: await freePort() };
  let fail!: (endpoint: DatabaseEndpoint) => void;
  const late = new Promise<DatabaseEndpoint>((resolve) => (fail = resolve));
  const pool = openSharedPool(poolOptions((endpoint) => [late, endpoint]));
  onTestFinished(() => pool.end({ timeout: 0 }));
  const [first, second] = [1, 2].map((number) => pool`select ${number}::int as number`.execute());
  expect((await second)![0]!.number).toBe(2);
  fail(nobody);
  expect((await first)![0]!.number).toBe(1);
});

it('a pool that is closed lets work end, even if a session is opened meanwhile', async () => {
  let open!: (endpoint: DatabaseEndpoint) => void;
  const late = new Promise<DatabaseEndpoint>((resolve) => (open = resolve));
  let known!: DatabaseEndpoint;
  const pool = openPool(poolOptions((endpoint) => [(known = endpoint), late]));
  await pool`select 1`;
  const running = pool`select 1 as one, pg_sleep(1)`.execute();
  const waiting = pool`select 2`.execute();
  const closed = pool.end({ timeout: 5 });
  open(known);
  await expect(waiting).rejects.toMatchObject({ code: expect.stringMatching(/^CONNECTION_/) });
  expect((await running)[0]!.one).toBe(1);
  await closed;
});

it('a stream that gets its session when the database is away is refused: nothing would end it', async () => {
  const { hostname, port } = new URL(database.url);
  let isHolding = false;
  const held: (() => void)[] = [];
  const sockets = new Set<Socket>();
  const relay = createServer((near) => {
    const forward = () => {
      const far = connect(Number(port), hostname);
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) sockets.add(socket.on('error', () => {}));
    };
    if (isHolding) held.push(forward);
    else forward();
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(database.url);
  url.port = String((relay.address() as AddressInfo).port);
  const db = openDatabase({ url: url.href, connections: 4, statementSeconds: 5 });
  onTestFinished(() => db.close());
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  await db.read`select 1`;

  isHolding = true;
  const rows = db.stream({ statement: 'select 1', parameters: [], rowsAtOnce: 1, read: (row) => row });
  const reading = rows[Symbol.asyncIterator]().next();
  reading.catch(() => {});
  await until(() => held.length === 1);
  relay.close();
  for (const socket of sockets) socket.destroy();
  await until(() => !db.available);
  held[0]!();
  await expect(reading).rejects.toMatchObject({ code: 'CONNECTION_ENDED' });
});
