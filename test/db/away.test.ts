/** The database goes away and comes back: refused, cut off, or silent. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { cloneDatabase, startService, type Service } from '../harness/service.ts';

/** Stands between the service and PostgreSQL, as a network does. */
class Network {
  #server!: Server;
  #pairs = new Set<[Socket, Socket]>();
  silent = false;
  port = 0;
  readonly #target: URL;

  constructor(target: string) {
    this.#target = new URL(target);
  }

  get url(): string {
    const url = new URL(this.#target);
    url.port = String(this.port);
    return url.href;
  }

  async up(): Promise<void> {
    this.#server = createServer((near) => {
      const far = connect(Number(this.#target.port), this.#target.hostname);
      const pair: [Socket, Socket] = [near, far];
      this.#pairs.add(pair);
      near.on('data', (chunk) => this.silent || far.write(chunk));
      far.on('data', (chunk) => this.silent || near.write(chunk));
      for (const socket of pair) {
        socket
          .on('error', () => {})
          .on('close', () => {
            this.#pairs.delete(pair);
            pair.forEach((each) => each.destroy());
          });
      }
    });
    await once(this.#server.listen(this.port, '127.0.0.1'), 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  down(): void {
    this.#server.close();
    for (const pair of this.#pairs) pair.forEach((socket) => socket.destroy());
  }
}

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let network: Network;
let service: Service;
beforeAll(async () => {
  database = await cloneDatabase();
  network = new Network(database.url);
  await network.up();
  service = await startService({ DATABASE_URL: network.url });
  // The harness would look through the same network.
});
afterAll(async () => {
  await service.stop();
  network.down();
  await database.drop();
});

const ready = async () => (await service.call('/health/ready', undefined, { method: 'GET', token: null })).status;
const create = () => service.call('/User', {});
const healed = () =>
  vi.waitFor(async () => expect([await ready(), (await create()).status]).toEqual([200, 201]), {
    timeout: 15_000,
    interval: 100,
  });

it('answers 503 with Retry-After while the database refuses connections, fails readiness, and reconnects by itself', async () => {
  expect((await create()).status).toBe(201);
  network.down();
  const answers = await Promise.all(Array.from({ length: 50 }, create));
  for (const { status, headers, json } of answers) {
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(json).toMatchObject({
      title: 'Service Unavailable',
      errors: { Error: ['The database is not available. Try again shortly.'] },
    });
  }
  await vi.waitFor(async () => expect(await ready()).toBe(503), { timeout: 5000 });
  expect((await service.call('/health/live', undefined, { method: 'GET', token: null })).status).toBe(200);
  await network.up();
  await healed();
});

it('answers requests that were waiting when the network fell silent', async () => {
  network.silent = true;
  const waiting = Promise.all(Array.from({ length: 20 }, create));
  for (const { status } of await waiting) expect(status).toBe(503);
  expect(await ready()).toBe(503);
  network.silent = false;
  await healed();
});

it('ends a stream of rows that was under way when the network fell silent', async () => {
  const db = openDatabase({ url: network.url, connections: 4, statementSeconds: 5 });
  onTestFinished(db.close);
  const count = { statement: 'select n from generate_series(1, 100) n', parameters: [], rowsAtOnce: 10 };
  const rows = db.stream({ ...count, read: ({ n }) => Number(n) })[Symbol.asyncIterator]();
  await rows.next();
  network.silent = true;
  await expect(rows.next()).rejects.toThrow();
  network.silent = false;
  await healed();
});

it('reconnects after every outage, and leaves no connection open', async () => {
  for (let round = 0; round < 3; round += 1) {
    network.down();
    await vi.waitFor(async () => expect(await ready()).toBe(503), { timeout: 5000 });
    await network.up();
    await healed();
  }
  // Of several processes, the one that answered is the first to know.
  await vi.waitFor(
    () => {
      const observed = service.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'database');
      const times = (is: boolean) => observed.filter(({ available }) => available === is).length;
      expect(times(true)).toBe(times(false));
    },
    { timeout: 15_000 },
  );
});
