/** Stopping and restarting without a lost request. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { reservePort } from '../harness/reserve-port.ts';
import { startBalancer } from '../harness/servers/balancer.ts';
import { isMeasured, noteFigures } from '../harness/figures.ts';
import { callOver, startLoad } from '../harness/load.ts';
import { dataFolder, ServiceProcess, startProcess } from '../harness/process.ts';
import { cloneDatabase, row } from '../harness/service.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

/** Waits until a stop has begun, which a caller sees in /health/ready. */
const untilStopping = (agent: Agent, url: string) =>
  until(async () => (await callOver(agent, `${url}/health/ready`)).status === 503);

/** Begins a stop that each answer on a kept connection tells of. A new connection is accepted for some time. */
async function beginStop(settings: Record<string, string>) {
  // Long enough for three calls on a busy machine.
  const service = await startProcess(await dataFolder(), { LEDGERLINE_DRAIN_SECONDS: '4', ...settings });
  const token = await service.token();
  const agent = new Agent({ keepAlive: true });
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => [agent, kept].forEach((each) => each.destroy()));
  const createUser = (over = kept) => callOver(over, `${service.url}/User`, { token, body: {} });
  expect(await createUser()).toEqual({ status: 201, connection: 'keep-alive' });
  const exit = service.end('SIGTERM');
  await untilStopping(agent, service.url);
  // A new connection each: the answer before has closed the last one.
  expect(await createUser()).toEqual({ status: 201, connection: 'close' });
  expect(await createUser()).toEqual({ status: 201, connection: 'close' });
  return { service, exit, createUser };
}

/** A proxy asks another node when it is refused. */
async function untilRefused({ url }: ServiceProcess): Promise<void> {
  const { port, hostname } = new URL(url);
  const isRefused = async () => {
    const socket = connect(Number(port), hostname);
    const failure = await once(socket, 'connect').then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    socket.destroy();
    return failure === 'ECONNREFUSED';
  };
  await until(isRefused, 200);
}

it('a stop fails readiness, closes each connection behind its answer, and goes on accepting until it closes the port', async () => {
  const { service, exit } = await beginStop({});
  await untilRefused(service);
  expect(await exit).toBe(0);
});

it('so does a stop of two processes, and it resets no connection that no process has taken yet', async () => {
  const { service, exit, createUser } = await beginStop({ LEDGERLINE_PROCESSES: '2' });
  const workers = [...service.output.stdout.matchAll(/"pid":(\d+),"msg":"worker-started"/g)].map(([, pid]) =>
    Number(pid),
  );
  expect(workers).toHaveLength(2);
  // As if both were busy until after the end of the first part.
  for (const pid of workers) process.kill(pid, 'SIGSTOP');
  const answers = Promise.allSettled(Array.from({ length: 8 }, () => createUser(new Agent())));
  await untilRefused(service);
  for (const pid of workers) process.kill(pid, 'SIGCONT');
  const outcomes = (await answers).map((answer) =>
    answer.status === 'fulfilled' ? `${answer.value.status} ${answer.value.reason ?? ''}` : String(answer.reason),
  );
  expect(outcomes.join('\n')).toBe(Array(8).fill('201 ').join('\n'));
  expect(await exit).toBe(0);
});

it('a connection that never sends anything does not hold up the stop', async () => {
  const service = await startProcess(await dataFolder(), { LEDGERLINE_STOP_SECONDS: '300' });
  const { port, hostname } = new URL(service.url);
  const silent = connect(Number(port), hostname);
  onTestFinished(() => void silent.destroy());
  await once(silent, 'connect');
  await callOver(new Agent(), `${service.url}/health/live`);
  const closed = once(silent, 'close');
  expect(await service.end('SIGTERM')).toBe(0);
  await closed;
});

const restarts = isMeasured ? 12 : 2;

it(
  'restarts of two nodes in turn, with a schema that grows in between: no request fails',
  { timeout: 300_000 },
  async () => {
    const database = await cloneDatabase();
    const dataDir = await mkdtemp(path.join(tmpdir(), 'ledgerline-drill-'));
    onTestFinished(async () => {
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    });
    const settings = {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      LEDGERLINE_DRAIN_SECONDS: '2',
      LEDGERLINE_DATABASE_CONNECTIONS: '6',
      PUBLIC_URL: 'http://127.0.0.1:1',
    };
    const ports = [await reservePort(), await reservePort()];
    const start = (index: number) => new ServiceProcess({ ...settings, PORT: String(ports[index]) }).ready();
    const nodes = [await start(0), await start(1)];
    const urls = ports.map((port) => `http://127.0.0.1:${port}`);
    const balancer = await startBalancer(urls);
    const bothReady = () => until(() => balancer.readyUrls().length === 2);
    await bothReady();

    nodes[0]!.url = urls[0]!;
    const token = await nodes[0]!.token();
    const { json: user } = await nodes[0]!.call('POST', '/User', token, {});
    await nodes[0]!.call('POST', '/app/record-transactions', token, { transactions: [row(user.id)] });
    const load = startLoad(balancer.url, token, user.id, isMeasured ? 6 : sized(3, 6));
    const begun = performance.now();
    for (let restart = 0; restart < restarts; restart += 1) {
      const before = load.answered;
      await until(() => load.answered > before + 20);
      const index = restart % 2;
      expect(await nodes[index]!.end('SIGTERM')).toBe(0);
      if (restart === 1) await expandSchema(database.url);
      nodes[index] = await start(index);
      await bothReady();
    }
    await load.stop();
    noteFigures('restarts', {
      restarts,
      requests: load.answered,
      failed: load.unexpected.length,
      seconds: (performance.now() - begun) / 1000,
    });
    expect(balancer.failures).toEqual([]);
    expect(load.unexpected).toEqual([]);
    expect(load.answered).toBeGreaterThan(20 * restarts);
    for (const node of nodes) await node.end('SIGTERM');
  },
);

/** As a newer release would: new columns on the tables that requests are reading and writing meanwhile. */
async function expandSchema(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, connection: { search_path: 'ledgerline' } });
  await sql.begin(async (transaction) => {
    await transaction`set local lock_timeout = '3s'`;
    await transaction`alter table users add column added_later text default 'x'`;
    await transaction`alter table transactions add column added_later integer`;
    await transaction`insert into migrations (name, kind) values ('9999_later.sql', 'expand')`;
  });
  await sql.end();
}
