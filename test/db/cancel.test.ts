/** A caller that leaves ends its own statement, and nobody else's. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { parseAddress } from '../../src/db/address.ts';
import { openDatabase, type Database } from '../../src/db/database.ts';
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

/** The codes of a CancelRequest and of an SSLRequest, the first message of a connection that may be encrypted. */
const cancelCode = 80_877_102;
const encryptionCode = 80_877_103;

/** Refuses encryption, and passes everything else on; requests to cancel only after `release`. */
async function startProxy() {
  const { host, port } = parseAddress(database.url).endpoints[0]!;
  const proxy = { url: '', cancels: 0, release: () => {} };
  const released = new Promise<void>((resolve) => (proxy.release = resolve));
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, host);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    upstream.pipe(client);
    client.once('data', async function pass(first: Buffer) {
      if (first.readUInt32BE(4) === encryptionCode) return void client.once('data', pass).write('N');
      client.pause();
      if (first.readUInt32BE(4) === cancelCode) {
        proxy.cancels += 1;
        await released;
      }
      upstream.write(first);
      client.pipe(upstream);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(database.url);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  proxy.url = url.href;
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return proxy;
}

function open(url: string): Database {
  const db = openDatabase({ url, connections: 16, statementSeconds: 20 });
  onTestFinished(() => db.close());
  return db;
}

const isRunning = async (mark: string) =>
  (
    await admin`select from pg_stat_activity where state = 'active' and query like ${`%${mark}%`} and pid <> pg_backend_pid()`
  ).length > 0;

const kinds: Record<string, (db: Database, statement: string) => Promise<postgres.Row[]>> = {
  long: (db, statement) => db.long((sql) => sql.unsafe(statement)),
  planned: (db, statement) => db.planned((sql) => sql.unsafe(statement)),
  snapshot: (db, statement) => db.snapshot((read) => read(statement, [])),
};

it.each(Object.keys(kinds))('a request to cancel that comes too late does not fail the next %s', async (kind) => {
  const proxy = await startProxy();
  const db = open(proxy.url);
  const caller = new AbortController();
  const sleep = (seconds: number, mark: string) => `select pg_backend_pid() as pid, pg_sleep(${seconds}) /* ${mark} */`;
  const first = db.long((sql) => sql.unsafe(sleep(2, 'first')), { ...serviceItself, signal: caller.signal });
  await until(() => isRunning('first'));
  caller.abort();
  await until(() => proxy.cancels === 1);
  await until(async () => !(await isRunning('first')));
  const second = kinds[kind]!(db, sleep(1, 'second'));
  await until(() => isRunning('second'));
  proxy.release();
  const [{ pid }] = (await first) as unknown as [{ pid: number }];
  expect((await second)[0]!.pid).toBe(pid);
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
    read: ({ n }: postgres.Row) => n as number,
  };
  const rows = db.stream(streamed, { ...serviceItself, signal: caller.signal })[Symbol.asyncIterator]();
  for (let n = 1; n <= quickRows; n += 1) expect(await rows.next()).toEqual({ done: false, value: [n] });
  const next = rows.next();
  caller.abort();
  await expect(next).rejects.toBeInstanceOf(CallerGone);
});
