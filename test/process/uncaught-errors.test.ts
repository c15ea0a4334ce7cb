/** An error that nobody handles: it is logged and counted, and its process ends. processes.test.ts shows that a worker is replaced. */
import { expect, it } from 'vitest';
import { preparedDataFolder, startProcess, type ServiceProcess } from '../harness/process.ts';
import { throwOnSignal } from '../harness/throw-on-signal.ts';
import { until } from '../harness/until.ts';

const observed = (service: ServiceProcess, kind: string) =>
  service.output.stdout
    .split('\n')
    .filter((line) => line.includes(`"msg":"${kind}"`))
    .map((line) => JSON.parse(line));

it('drains and ends a single process with a code for its supervisor', { timeout: 120_000 }, async () => {
  const service = await startProcess(await preparedDataFolder(), { ...throwOnSignal, LEDGERLINE_DRAIN_SECONDS: '2' });
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
