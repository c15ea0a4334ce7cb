/** Metrics, alerts, dashboard and runbook: they name the same metrics, all of which a running service has. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobsReference } from '../../src/app/job-table.ts';
import { metricPrefix, metrics, metricsReference, type MetricDefinition } from '../../src/monitoring/metrics.ts';
import { version } from '../../src/version.ts';
import { startService, type Service } from '../harness/service.ts';

const root = new URL('../../', import.meta.url);
const read = (name: string) => readFile(new URL(name, root), 'utf8');

const alertsFile = await read('deploy/prometheus/alerts.yml');
const dashboardFile = await read('deploy/grafana/dashboards/ledgerline.json');

interface Alert {
  alert: string;
  expr: string;
  annotations: { runbook_url: string };
}

const { groups } = parse(alertsFile) as { groups: { rules: Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);

let service: Service;
let exposed: string;
beforeAll(async () => {
  service = await startService();
  exposed = await (await fetch(`${service.url}/metrics`)).text();
});
afterAll(() => service.stop());

const definitions = Object.entries<MetricDefinition>(metrics);

describe('/metrics of a service that has just started', () => {
  it.each(definitions)('has %s', (name, { type, help }) => {
    expect(exposed).toContain(`# HELP ${metricPrefix}${name} ${help}\n# TYPE ${metricPrefix}${name} ${type}\n`);
  });

  it('has every counter without labels, or with labels of known values, from the start', () => {
    const series = definitions
      .filter(
        ([, { type, labels = {} }]) => type === 'counter' && Object.values(labels).every((known) => known.length > 0),
      )
      .flatMap(([name, { labels = {} }]) => {
        const sets = Object.entries(labels).reduce<string[][]>(
          (before, [label, values]) => before.flatMap((set) => values.map((value) => [...set, `${label}="${value}"`])),
          [[]],
        );
        return sets.map((set) => `${metricPrefix}${name}${set.length > 0 ? `{${set.join()}}` : ''} `);
      });
    expect(series.length).toBeGreaterThan(10);
    for (const line of series) expect(exposed).toContain(`\n${line}`);
  });

  it('has the series of each configured gateway', () => {
    expect(exposed).toContain('ledgerline_gateway_open{gateway="inbox"} 0');
    expect(exposed).toContain('ledgerline_gateway_sends_total{gateway="inbox",outcome="unknown"} 0');
    // It has no link that could be down.
    expect(exposed).not.toContain('ledgerline_gateway_link_up{');
  });

  it('has the release', () => {
    expect(exposed).toContain(`ledgerline_build_info{version="${version}"} 1\n`);
  });
});

it('alerts and dashboard name only metrics that exist', () => {
  const named = [
    ...`${alertsFile} ${dashboardFile}`.matchAll(/(?<!Labels\.)\b(ledgerline_[a-z_]+|process_[a-z_]+)/g),
  ].map(([name]) => name.replace(/_(bucket|count|sum)$/, ''));
  expect(named.length).toBeGreaterThan(20);
  for (const name of new Set(named)) expect(exposed).toContain(`# TYPE ${name} `);
});

// Ours would be renamed, such as to `exported_job`.
it('no label of ours is one that Prometheus sets itself', () => {
  for (const [name, { labels = {} }] of definitions) {
    for (const label of ['job', 'instance', 'le', 'quantile']) expect(Object.keys(labels), name).not.toContain(label);
  }
});

it('the objective counts every operation that callers depend on', async () => {
  const patterns = new Set([...alertsFile.matchAll(/operation!~"([^"]+)"/g)].map(([, pattern]) => pattern!));
  expect(patterns.size, 'all alerts leave out the same operations').toBe(1);
  const [pattern] = patterns;
  const leftOut = new RegExp(`^(${pattern})$`);
  const { paths } = JSON.parse(await read('openapi.json')) as {
    paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const forCallers = operations.filter(
    ({ tags }) => !['Health', 'Operator', 'Pages', 'Reference', 'Sandbox'].includes(tags[0]!),
  );
  const names = forCallers.map(({ operationId }) => operationId);
  expect(names).toEqual(expect.arrayContaining(['create-user', 'user-status', 'token', 'send-code', 'verify-phone']));
  expect(names.filter((name) => leftOut.test(name))).toEqual([]);
  expect(operations.length - forCallers.length).toBeGreaterThan(20);
  expect(operations.filter((one) => !forCallers.includes(one) && !leftOut.test(one.operationId))).toEqual([]);
});

it('the generated files are up to date', async () => {
  expect(await read('docs/metrics.md')).toBe(metricsReference());
  expect(await read('docs/jobs.md')).toBe(jobsReference());
});

it('every alert has its section in the runbook, and every section its alert', async () => {
  const sections = [...(await read('docs/runbook.md')).matchAll(/^## (\S+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(alerts.map(({ alert }) => alert));
  const links = alerts.map(({ annotations }) => annotations.runbook_url.replace(/^\{\{.*\}\}/, ''));
  expect(links).toEqual(alerts.map(({ alert }) => `/runbook.md#${alert.toLowerCase()}`));
});
