/** An error that nobody handles: it is logged and counted, and its process is replaced without losing a request. */
import { expect, it } from 'vitest';
import { isRunning } from '../../src/db/embedded/data-directory-lock.ts';
import { startLoad } from '../harness/load.ts';
import { preparedDataFolder, startProcess, type ServiceProcess } from '../harness/process.ts';
import { row } from '../harness/service.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

/** Makes a process throw outside a request, and in a promise, when it gets SIGUSR2. */
const planted = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(
    `process.on('SIGUSR2', () => { Promise.reject(new RangeError('in a promise')); throw new TypeError('secret ' + (4700 + 11)); });`,
  )}`,
};

const observed = (service: ServiceProcess, kind: string) =>
  service.output.stdout
    .split('\n')
    .filter((line) => line.includes(`"msg":"${kind}"`))
    .map((line) => JSON.parse(line));

it('drains and ends a single process with a code for its supervisor', { timeout: 120_000 }, async () => {
  const service = await startProcess(await preparedDataFolder(), { ...planted, LEDGERLINE_DRAIN_SECONDS: '2' });
  process.kill(service.child.pid!, 'SIGUSR2');
  await until(() => observed(service, 'stopping').length === 1);
  // It still answers, and the metrics have both errors.
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toMatch(/^ledgerline_uncaught_errors_total 2$/m);
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(503);
  await until(() => service.child.exitCode !== null);
  expect(service.child.exitCode).toBe(1);
  expect(observed(service, 'uncaught-error')).toMatchObject([{ name: 'TypeError' }, { name: 'RangeError' }]);
  expect(observed(service, 'stopped')).toHaveLength(1);
  expect(service.output.stdout + service.output.stderr).not.toContain('4711');
});

it('replaces one worker of several, and loses no request', { timeout: 120_000 }, async () => {
  const service = await startProcess(await preparedDataFolder(), { ...planted, LEDGERLINE_PROCESSES: '2' });
  const [first] = observed(service, 'worker-started').map(({ pid }) => pid as number);
  const token = await service.token();
  const { json: user } = await service.call('POST', '/User', token, {});
  await service.call('POST', '/app/record-transactions', token, { transactions: [row(user.id)] });
  const load = startLoad(service.url, token, user.id, 4);
  await until(() => load.answered > sized(20, 50));
  process.kill(first!, 'SIGUSR2');
  await until(() => observed(service, 'worker-started').length === 3);
  await until(() => !isRunning(first!));
  await load.stop();
  expect(load.unexpected).toEqual([]);
  expect(observed(service, 'uncaught-error')).toHaveLength(2);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toMatch(/^ledgerline_uncaught_errors_total 2$/m);
  expect(await service.end('SIGTERM')).toBe(0);
});
