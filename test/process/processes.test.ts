/** A node with several processes: one port, one set of metrics, and no request lost when a process is replaced. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Agent } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { isRunning } from '../../src/db/embedded/data-directory-lock.ts';
import { callOver, startLoad } from '../harness/load.ts';
import { dataFolder, preparedDataFolder, run, startProcess, type ServiceProcess } from '../harness/process.ts';
import { newPhone, row } from '../harness/service.ts';
import { sized } from '../harness/size.ts';
import { throwOnSignal } from '../harness/throw-on-signal.ts';
import { until } from '../harness/until.ts';

const twoProcesses = { LEDGERLINE_PROCESSES: '2' };

const observed = (service: ServiceProcess, kind: string) =>
  service.output.stdout
    .split('\n')
    .filter((line) => line.includes(`"msg":"${kind}"`))
    .map((line) => JSON.parse(line));

const workersOf = (service: ServiceProcess): number[] => observed(service, 'worker-started').map(({ pid }) => pid);

async function recordedUser(service: ServiceProcess, token: string): Promise<number> {
  const { json: user } = await service.call('POST', '/User', token, {});
  await service.call('POST', '/app/record-transactions', token, { transactions: [row(user.id)] });
  return user.id;
}

/** Requests that were answered with 404 at an unknown path, as the metrics count them. */
async function countedRequests(service: ServiceProcess): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const line = /^ledgerline_http_request_duration_seconds_count\{operation="none",status="404"\} (\d+)$/m.exec(text);
  return Number(line?.[1] ?? 0);
}

const canLimit = spawnSync('prlimit', ['--version']).status === 0;

function limitFiles(pid: number, files: number): void {
  // Only the soft limit, which may be raised again.
  expect(spawnSync('prlimit', ['--pid', String(pid), `--nofile=${files}:`]).status).toBe(0);
}

it(
  'two processes share a port; one that dies is started again and its figures stay, one that gets SIGTERM is replaced first; they stop together, and leave nothing behind',
  { timeout: 120_000 },
  async ({ skip }) => {
    const dataDir = await dataFolder();
    const service = await startProcess(dataDir, { ...twoProcesses, LEDGERLINE_CONNECTIONS: '10' });
    const [first, second, ...others] = workersOf(service);
    expect(others).toEqual([]);
    expect(observed(service, 'started')).toMatchObject([{ processes: 2 }]);
    await expectShared(service);

    for (let call = 0; call < 20; call += 1) {
      await service.call('GET', '/nothing', null, undefined, { connection: 'close' });
    }
    expect(await countedRequests(service)).toBe(20);
    process.kill(first!, 'SIGKILL');
    await until(() => workersOf(service).length === 3);
    expect(observed(service, 'worker-ended')).toMatchObject([{ pid: first, signal: 'SIGKILL', isExpected: false }]);
    expect(await countedRequests(service)).toBe(20);
    expect(await (await fetch(`${service.url}/metrics`)).text()).toContain('ledgerline_worker_failures_total 1');
    for (let call = 0; call < 10; call += 1) await service.call('GET', '/nothing', null);
    expect(await countedRequests(service)).toBe(30);
    expect(isRunning(second!)).toBe(true);

    process.kill(second!, 'SIGTERM');
    await until(() => observed(service, 'worker-ended').length === 2);
    expect(observed(service, 'worker-ended')[1]).toMatchObject({ pid: second, code: 0, isExpected: true });
    expect(workersOf(service)).toHaveLength(4);

    await expectRoom(service);
    const workers = workersOf(service);
    if (canLimit) {
      // Fewer than it has open.
      for (const pid of workers.slice(2)) limitFiles(pid, 10);
      for (let call = 0; call < 4; call += 1) await expect(callOver(new Agent(), service.url)).rejects.toThrow();
      for (const pid of workers.slice(2)) limitFiles(pid, 1000);
    }
    expect(await service.end('SIGTERM')).toBe(0);
    expect(workers.filter((pid) => isRunning(pid))).toEqual([]);
    expect(existsSync(path.join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
    expect(observed(service, 'stopped')).toHaveLength(1);
    for (const line of service.output.stdout.split('\n')) if (line.startsWith('{')) JSON.parse(line);
    if (!canLimit) skip('whether callers wait for a worker without file descriptors needs prlimit');
  },
);

/** Each connection goes to the next worker: the clock and the inbox are the same in both. */
async function expectShared(service: ServiceProcess): Promise<void> {
  const token = await service.token();
  const call = (method: string, pathname: string, bearer: string | null, body?: unknown) =>
    service.call(method, pathname, bearer, body, { connection: 'close' });
  for (let round = 1; round <= 6; round += 1) {
    const phoneNumber = newPhone();
    const { json: user } = await call('POST', '/User', token, {});
    expect((await call('POST', '/User/phone-number/send-code', token, { id: user.id, phoneNumber })).status).toBe(204);
    const { json: messages } = await call('GET', `/sandbox/messages?phoneNumber=%2B${phoneNumber.slice(1)}`, null);
    expect(messages).toHaveLength(1);
    const { json: clock } = await call('POST', '/sandbox/clock', null, { advanceSeconds: 10 });
    expect(clock.aheadSeconds).toBe(10 * round);
    const { json: later } = await call('POST', '/sandbox/clock', null, { advanceSeconds: 0 });
    expect(later.aheadSeconds).toBe(10 * round);
    const { code } = messages[0];
    expect((await call('POST', '/User/phone-number/verify', token, { id: user.id, code })).status).toBe(200);
  }
}

/** More connections than both take: idle ones make room in either, and none goes round between them. */
async function expectRoom(service: ServiceProcess): Promise<void> {
  for (let count = 0; count < 40; count += 1) void connect(Number(new URL(service.url).port)).on('error', () => {});
  const isAnswered = () =>
    fetch(`${service.url}/health/live`, { headers: { connection: 'close' } }).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(async () => (await isAnswered()) && isAnswered(), 300);
}

it(
  'no caller waits for a worker that was killed, even if it had not taken the connection, and workers end with their primary',
  { timeout: 180_000 },
  async () => {
    const service = await startProcess(await preparedDataFolder(), twoProcesses);
    const [first, second] = workersOf(service);
    for (const pid of [first!, second!]) process.kill(pid, 'SIGSTOP');
    const connected: Promise<unknown>[] = [];
    const answers = Array.from({ length: 20 }, async () => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      connected.push(once(socket, 'connect'));
      socket.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
      return (await text(socket)).slice(0, 12);
    });
    await Promise.all(connected);
    process.kill(first!, 'SIGKILL');
    process.kill(second!, 'SIGCONT');
    expect(await Promise.all(answers)).toEqual(Array(20).fill('HTTP/1.1 200'));

    const agent = new Agent();
    let isKilling = true;
    let answered = 0;
    const lanes = Array.from({ length: sized(8, 50) }, async () => {
      while (isKilling) {
        const isAnswered = await callOver(agent, `${service.url}/health/live`).then(
          ({ status }) => status === 200,
          () => false,
        );
        if (isAnswered) answered += 1;
        // While no worker is left the port is closed.
        await sleep(isAnswered ? sized(40, 10) : 20);
      }
    });
    const running = () => {
      const ended = observed(service, 'worker-ended').map(({ pid }) => pid);
      return workersOf(service).filter((pid) => !ended.includes(pid));
    };
    for (const count of sized([1, 2], [1, 1, 1, 2, 2])) {
      const before = answered;
      await until(() => running().length === 2 && answered > before + sized(50, 100));
      for (const pid of running().slice(0, count)) process.kill(pid, 'SIGKILL');
      await until(() => running().length < 2);
    }
    isKilling = false;
    await Promise.all(lanes);

    await until(() => running().length === 2);
    const workers = running();
    await service.end('SIGKILL');
    await until(() => workers.every((pid) => !isRunning(pid)));
  },
);

it(
  'one worker is replaced after an uncaught error, every one at SIGHUP, under load without a failed request; a stop ends one that is not ready yet',
  { timeout: 180_000 },
  async () => {
    const service = await startProcess(await dataFolder(), { ...twoProcesses, ...throwOnSignal });
    const token = await service.token();
    const load = startLoad(service.url, token, await recordedUser(service, token), 4);
    await until(() => load.answered > sized(20, 50));
    const [failing] = workersOf(service);
    process.kill(failing!, 'SIGUSR2');
    await until(() => workersOf(service).length === 3);
    await until(() => !isRunning(failing!));
    expect(observed(service, 'uncaught-error')).toHaveLength(2);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/^ledgerline_uncaught_errors_total 2$/m);

    await until(() => observed(service, 'worker-ended').length === 1);
    const before = workersOf(service).slice(1);
    const ready = vi.fn(async () => (await fetch(`${service.url}/health/ready`)).status);
    service.child.kill('SIGHUP');
    await until(async () => {
      expect(await ready()).toBe(200);
      return observed(service, 'worker-ended').length === 3;
    });
    const answered = load.answered;
    await until(() => load.answered > answered + sized(20, 50));
    await load.stop();
    expect(load.unexpected).toEqual([]);
    expect(workersOf(service)).toHaveLength(5);
    expect(before.filter((pid) => isRunning(pid))).toEqual([]);
    expect(
      observed(service, 'worker-ended')
        .slice(1)
        .every(({ isExpected }) => isExpected),
    ).toBe(true);

    const { pid } = service.child;
    const children = async () => (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
    const childrenBefore = await children();
    process.kill(workersOf(service).at(-1)!, 'SIGKILL');
    await until(async () => (await children()).some((child) => !childrenBefore.includes(child)));
    expect(await service.end('SIGTERM')).toBe(0);
    // None had to be killed.
    expect(observed(service, 'worker-ended').slice(4)).toMatchObject([{ code: 0 }, { code: 0 }]);
  },
);

it('a start that cannot succeed says why, and ends', { timeout: 120_000 }, async () => {
  const holder = createServer();
  await once(holder.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void holder.close());
  const { port } = holder.address() as AddressInfo;
  const settings = { ...twoProcesses, DATA_DIR: await preparedDataFolder(), PORT: String(port) };
  const { code, stderr } = await run(['serve'], settings);
  expect(code).toBe(1);
  expect(stderr).toBe(`Port ${port} on 127.0.0.1 is taken. Stop what listens there, or set PORT to another port.\n`);
  const wrong = await run(['serve'], { LEDGERLINE_PROCESSES: 'many' });
  expect(wrong.stderr).toBe('LEDGERLINE_PROCESSES must be an integer from 1 to 64, or auto.\n');
});
