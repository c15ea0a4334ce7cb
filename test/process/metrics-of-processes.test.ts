/** The metrics of a node are the same whether it has one process or two. */
import { expect, it } from 'vitest';
import { metricPrefix, metrics, type MetricDefinition } from '../../src/monitoring/metrics.ts';
import { dataFolder, startProcess, type ServiceProcess } from '../harness/process.ts';
import { newPhone, row } from '../harness/service.ts';

type Series = Map<string, number>;

/** Every series of a service that did the same work, and the type of each metric. */
async function measure(processes: string): Promise<{ series: Series; types: Map<string, string> }> {
  const service = await startProcess(await dataFolder(), { LEDGERLINE_PROCESSES: processes });
  await work(service);
  const text = await (await fetch(`${service.url}/metrics`)).text();
  await service.end('SIGTERM');
  const lines = text.split('\n');
  return {
    series: new Map(
      lines
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))] as const),
    ),
    types: new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!])),
  };
}

/** Each call uses another connection, so that the processes take turns. */
async function work(service: ServiceProcess): Promise<void> {
  const token = await service.token();
  const call = (pathname: string, body: unknown) =>
    service.call('POST', pathname, token, body, { connection: 'close' });
  for (let round = 0; round < 4; round += 1) {
    const { json: user } = await call('/User', {});
    const phoneNumber = newPhone();
    expect((await call('/User/phone-number/send-code', { id: user.id, phoneNumber })).status).toBe(204);
    expect((await call('/User/phone-number/verify', { id: user.id, code: 'wrong' })).status).toBe(400);
    expect((await call('/app/record-transactions', { transactions: [row(user.id)] })).status).toBe(200);
    expect((await call('/app/get-all-transactions', { individualId: user.id, dataBatch: 1 })).status).toBe(200);
  }
}

/** What depends on the time that something took, or on when it ran. */
const isTimed = (series: string) => /_(bucket|sum)\b|_timestamp_seconds|_job_runs_total/.test(series);

it('a node with two processes has the metrics of a node with one', { timeout: 120_000 }, async () => {
  const one = await measure('1');
  const two = await measure('2');
  expect(Object.fromEntries(two.types)).toEqual(Object.fromEntries(one.types));
  for (const name of Object.keys(metrics)) expect(one.types.has(metricPrefix + name), name).toBe(true);

  const counted = ({ series }: { series: Series }) =>
    Object.fromEntries([...series].filter(([name]) => name.startsWith(metricPrefix) && !isTimed(name)));
  expect(Object.keys(counted(one)).length).toBeGreaterThan(50);
  expect(counted(two)).toEqual(counted(one));
  // A gauge that says that something is up must not have the value of a process that has no such thing.
  for (const name of ['database_up', 'issuer_keys_read']) expect(two.series.get(metricPrefix + name)).toBe(1);

  for (const name of ['process_start_time_seconds', 'nodejs_eventloop_lag_p99_seconds', 'nodejs_version_info']) {
    const valueOf = ({ series }: { series: Series }) =>
      [...series].find(([key]) => key === name || key.startsWith(`${name}{`))?.[1];
    expect(valueOf(one), name).toBeGreaterThan(0);
    // The sum of three processes would be far more.
    expect(valueOf(two)! / valueOf(one)!, name).toBeLessThan(name.includes('lag') ? 100 : 1.01);
  }
});

it('every gauge says how the values of processes become one', () => {
  const gauges = Object.values<MetricDefinition>(metrics).filter((metric) => metric.type === 'gauge');
  expect(gauges.length).toBeGreaterThan(8);
  for (const gauge of gauges) expect(['sum', 'min', 'max']).toContain(gauge.combine);
});
