/**
 * Sessions that end at any message, of PostgreSQL or of ours, also within it: every caller gets its own result, its own
 * error or a 503; never the result of another caller, and never no answer. What was committed is there as a whole. The
 * test sees only bytes, so it holds for any driver.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { parseAddress } from '../../src/db/sessions/address.ts';
import { openDatabase, type Database } from '../../src/db/database.ts';
import { asProblem, errorCode } from '../../src/db/failures.ts';
import { CallerGone, Problem } from '../../src/errors.ts';
import { serviceItself } from '../../src/sharing/slots.ts';
import { cloneDatabase } from '../harness/service.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

/** Where a connection ends: at one of all messages that pass the proxy. */
interface Cut {
  side: 'server' | 'client';
  /** Messages that still pass. */
  left: number;
  /** Whether half of the next message passes too. */
  isInside: boolean;
  resets: boolean;
}

/** Counts the messages of a stream. The first one of a client has no type. */
function messageLengths(hasStartup: boolean): (chunk: Buffer) => { ends: number[]; rest: number } {
  let missing = 0;
  let isStartup = hasStartup;
  let head = Buffer.alloc(0);
  return (chunk) => {
    const ends: number[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (missing === 0) {
        const headLength = isStartup ? 4 : 5;
        const taken = chunk.subarray(at, at + headLength - head.length);
        head = Buffer.concat([head, taken]);
        at += taken.length;
        if (head.length < headLength) break;
        missing = head.readUInt32BE(headLength - 4) - 4;
        isStartup = false;
        head = Buffer.alloc(0);
      }
      const taken = Math.min(missing, chunk.length - at);
      missing -= taken;
      at += taken;
      if (missing === 0) ends.push(at);
    }
    return { ends, rest: missing };
  };
}

async function startProxy() {
  const { host, port } = parseAddress(database.url).endpoints[0]!;
  const proxy: { url: string; cut: Cut | undefined; passed: Record<Cut['side'], number> } = {
    url: '',
    cut: undefined,
    passed: { server: 0, client: 0 },
  };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, host);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    const pass = (side: Cut['side'], from: Socket, to: Socket) => {
      const lengths = messageLengths(side === 'client');
      from.on('close', () => to.destroy());
      from.on('data', (chunk: Buffer) => {
        const { ends } = lengths(chunk);
        proxy.passed[side] += ends.length;
        const { cut } = proxy;
        if (cut?.side !== side || ends.length <= cut.left) {
          if (cut?.side === side) cut.left -= ends.length;
          return void to.write(chunk);
        }
        const start = cut.left === 0 ? 0 : ends[cut.left - 1]!;
        const end = cut.isInside ? Math.ceil((start + ends[cut.left]!) / 2) : start;
        proxy.cut = undefined;
        to.write(chunk.subarray(0, end), () => {
          upstream.destroy();
          if (cut.resets) client.resetAndDestroy();
          else client.destroy();
        });
      });
    };
    pass('client', client, upstream);
    pass('server', upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(database.url);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  url.searchParams.set('sslmode', 'disable');
  proxy.url = url.href;
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return proxy;
}

/** A 503, or that the caller has left. */
const isRefusal = (error: unknown) =>
  error instanceof CallerGone || (error instanceof Problem ? error : asProblem(error))?.details.status === 503;

const copiedRows = 60;

/** Each piece of work, and whether its rows are there as its outcome says. */
async function work(db: Database, plain: Database, step: number): Promise<void> {
  const reads = Array.from({ length: 6 }, async (_, echo) => {
    const rows = await db.read`select ${echo}::int as echo, repeat('x', ${2000 * echo}::int) as text`;
    expect(rows.map((row) => [row.echo, row.text.length])).toEqual([[echo, 2000 * echo]]);
  });
  const failing = Array.from({ length: 2 }, async (_, number) => {
    const failed = db.read`select ${number}::int / 0, ${step}::int`;
    await failed.catch((error: unknown) => {
      if (errorCode(error) !== '22012') throw error;
    });
  });
  const outcomes = new Map<string, 'written' | 'unknown'>();
  const writing = async (name: string, write: () => PromiseLike<unknown>) => {
    outcomes.set(name, 'unknown');
    await write();
    outcomes.set(name, 'written');
  };
  const writes = Array.from({ length: 3 }, (_, number) =>
    writing(`write ${number}`, async () => {
      const rows = await db.write`insert into marks values (${step}, ${`write ${number}`}) returning name`;
      expect(rows.map(({ name }) => name)).toEqual([`write ${number}`]);
    }),
  );
  const transaction = writing('transaction', () =>
    db.transaction(async (sql, sendLast) => {
      const [row] = await sql`insert into marks values (${step}, 'transaction') returning step`;
      expect(row!.step).toBe(step);
      const line = (_: unknown, number: number) => `${step}\ttransaction ${number}\n`;
      await sql.copy(sql`copy marks from stdin`, Array.from({ length: copiedRows - 2 }, line));
      sendLast([sql`insert into marks values (${step}, 'transaction last')`]);
    }),
  );
  const long = db.long((sql) => sql`select ${step}::int as echo, pg_sleep(0.002)`);
  const caller = new AbortController();
  const leaving = db.long((sql) => sql`select ${-step}::int as echo, pg_sleep(0.005)`, {
    ...serviceItself,
    signal: caller.signal,
  });
  setTimeout(() => caller.abort(), step % 7);
  const echoes = [long, leaving].map(async (rows, index) =>
    expect((await rows)[0]!.echo).toBe(index === 0 ? step : -step),
  );
  const settled = await Promise.allSettled([...reads, ...failing, ...writes, transaction, ...echoes]);
  for (const each of settled) {
    if (each.status === 'rejected' && !isRefusal(each.reason)) throw each.reason;
  }
  // A commit whose answer was lost may still be under way.
  const marks = await until(async () => {
    const [row] = await plain.read`
      select (select count(*)::int from pg_stat_activity where datname = current_database() and state <> 'idle'
          and query ~* '^(insert into marks|copy marks|commit)') as busy,
        (select coalesce(json_agg(name), '[]') from marks where step = ${step}) as names`;
    return row!.busy === 0 && (row!.names as string[]);
  });
  const ofTransaction = marks.filter((name) => name.startsWith('transaction')).length;
  expect([0, copiedRows]).toContain(ofTransaction);
  for (const [name, outcome] of outcomes) {
    const count = marks.filter((mark) => mark === name).length;
    expect(count).toBeLessThanOrEqual(1);
    if (outcome === 'written') expect([name, count]).toEqual([name, 1]);
  }
}

const sides = [
  { side: 'server', isInside: false, what: 'between two messages of PostgreSQL' },
  { side: 'server', isInside: true, what: 'within a message of PostgreSQL' },
  { side: 'client', isInside: false, what: 'between two of our messages' },
  { side: 'client', isInside: true, what: 'within one of our messages' },
] as const;

it.each(sides)('a session that ends $what', { timeout: 300_000 }, async ({ side, isInside }) => {
  const proxy = await startProxy();
  const plain = openDatabase({ url: database.url, connections: 4, statementSeconds: 20 });
  onTestFinished(() => plain.close());
  await plain.write`create table if not exists marks (step int, name text)`;
  await plain.write`truncate marks`;
  const db = openDatabase({ url: proxy.url, connections: 4, statementSeconds: 20 });
  onTestFinished(() => db.close());
  await work(db, plain, 1_000_000);
  const before = proxy.passed[side];
  await work(db, plain, 1_000_001);
  // A little more than all messages of the work, since logins are added after a cut.
  const messages = Math.ceil((proxy.passed[side] - before) * 1.2);
  const stride = Math.max(1, Math.floor(messages / sized(40, 400)));
  for (let step = 0; step < messages; step += stride) {
    proxy.cut = { side, left: step, isInside, resets: step % 2 === 1 };
    await work(db, plain, step);
    proxy.cut = undefined;
    await until(() => db.available);
  }
  // The sessions that are left are sound.
  await until(async () => work(db, plain, 1_000_002).then(() => true));
});
