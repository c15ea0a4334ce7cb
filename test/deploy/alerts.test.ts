/** Every alert fires on what it is about, and not on a healthy service: by promtool, where it is installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const isInstalled = spawnSync('promtool', ['--version']).error === undefined;
const rulesFile = path.resolve(import.meta.dirname, '../../deploy/prometheus/alerts.yml');

interface Rule {
  alert: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

const docsUrl = 'https://docs.example/ledgerline';
/** As Prometheus writes it in the alert. */
const expanded = (annotations: Record<string, string>) => ({
  ...annotations,
  runbook_url: annotations.runbook_url!.replace(/^\{\{.*\}\}/, docsUrl),
});

const { groups } = parse(await readFile(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

const requests = (status: number, values: string) => ({
  series: `ledgerline_http_request_duration_seconds_count{operation="send-code",status="${status}"}`,
  values,
});
const codes = (outcome: string, values: string) => ({ series: `ledgerline_codes_total{outcome="${outcome}"}`, values });
const verified = (values: string) => ({ series: 'ledgerline_verifications_total{outcome="verified"}', values });
const slowPages = ['0.1', '0.5', '1', '+Inf'].map((limit, index) => ({
  series: `ledgerline_http_request_duration_seconds_bucket{operation="get-all-transactions",le="${limit}"}`,
  values: index < 2 ? '0+10x120' : '0+100x120',
}));

interface Case {
  series: { series: string; values: string }[];
  /** When it has fired. */
  at: string;
  labels?: Record<string, string>;
  /** Between two values, and two evaluations. */
  interval?: string;
}

/** A value each minute. 100 requests a minute, of which so many fail. */
const burning = (failed: number, minutes: number) => [
  requests(200, `0+${100 - failed}x${minutes}`),
  requests(503, `0+${failed}x${minutes}`),
];

const cases: Record<string, Case> = {
  LedgerlineErrorBudgetBurnsFast: { series: burning(2, 120), at: '2h' },
  LedgerlineErrorBudgetBurns: { series: burning(1, 480), at: '8h' },
  LedgerlineErrorBudgetBurnsSlowly: {
    series: [requests(200, '0+998x160'), requests(503, '0+2x160')],
    at: '76h',
    interval: '30m',
  },
  LedgerlineDatabaseDown: { series: [{ series: 'ledgerline_database_up', values: '0x10' }], at: '5m' },
  LedgerlineListIsSlow: { series: slowPages, at: '1h' },
  LedgerlineGatewayOpen: {
    series: [{ series: 'ledgerline_gateway_open{gateway="twilio"}', values: '1x20' }],
    at: '10m',
    labels: { gateway: 'twilio' },
  },
  LedgerlineSendsFail: { series: [codes('sent', '0+9x60'), codes('failed', '0+1x60')], at: '30m' },
  LedgerlineCodesAreNotVerified: { series: [codes('sent', '0+10x180'), verified('0+1x180')], at: '3h' },
  LedgerlineBudgetNearlyUsed: {
    series: [{ series: 'ledgerline_budget_used_ratio{budget="spend"}', values: '0.9x10' }],
    at: '5m',
    labels: { budget: 'spend' },
  },
  LedgerlineIssuerKeysUnread: { series: [{ series: 'ledgerline_issuer_keys_read', values: '0x20' }], at: '10m' },
  LedgerlineJobFails: {
    series: [{ series: 'ledgerline_job_runs_total{job_name="retention",outcome="failed"}', values: '0+1x60' }],
    at: '45m',
    labels: { job_name: 'retention' },
  },
  LedgerlineNodeGone: {
    series: [
      { series: 'up{job="api",instance="a:9464"}', values: '1x5 0x60' },
      { series: 'up{job="api",instance="b:9464"}', values: '1x60' },
      // Of another program.
      { series: 'up{job="other",instance="c:80"}', values: '0x60' },
      { series: 'ledgerline_build_info{job="api",instance="a:9464",version="1.0.0"}', values: '1x5' },
      { series: 'ledgerline_build_info{job="api",instance="b:9464",version="1.0.0"}', values: '1x60' },
    ],
    at: '30m',
    labels: { job: 'api', instance: 'a:9464' },
  },
  LedgerlineWorkersExit: {
    series: [{ series: 'ledgerline_worker_failures_total{instance="a:9464"}', values: '0 0 0 1x20' }],
    at: '5m',
    labels: { instance: 'a:9464' },
  },
  LedgerlineGatewayLinkDown: {
    series: [
      { series: 'ledgerline_gateway_link_up{gateway="smpp",instance="a:9464"}', values: '1x60' },
      { series: 'ledgerline_gateway_link_up{gateway="smpp",instance="b:9464"}', values: '1 0x60' },
    ],
    at: '10m',
    labels: { gateway: 'smpp', instance: 'b:9464' },
  },
  LedgerlineRetentionStalled: {
    series: [{ series: 'ledgerline_job_last_success_timestamp_seconds{job_name="retention"}', values: '0x200' }],
    at: '2h30m',
    labels: { job_name: 'retention' },
  },
  LedgerlineTrailLost: {
    series: [{ series: 'ledgerline_trail_failures_total{outcome="lost"}', values: '0 0 0 5x20' }],
    at: '5m',
  },
  LedgerlineWebhookBacklog: {
    series: [{ series: 'ledgerline_webhook_oldest_due_seconds', values: '300+60x60' }],
    at: '30m',
  },
  LedgerlineRetentionBehind: {
    series: [{ series: 'ledgerline_retention_lag_seconds{kind="events"}', values: '0+600x120' }],
    at: '2h',
    labels: { kind: 'events' },
  },
  LedgerlineDefects: { series: [{ series: 'ledgerline_defects_total', values: '0 0 0 1x20' }], at: '5m' },
};

/** What a service that does well gives for as long. */
const healthy = [
  requests(200, '0+100x180'),
  requests(503, '0x180'),
  codes('sent', '0+10x180'),
  codes('failed', '0x180'),
  verified('0+8x180'),
  { series: 'ledgerline_database_up', values: '1x180' },
  { series: 'ledgerline_gateway_open{gateway="twilio"}', values: '0x180' },
  { series: 'ledgerline_budget_used_ratio{budget="spend"}', values: '0.5x180' },
  { series: 'ledgerline_issuer_keys_read', values: '1x180' },
  { series: 'ledgerline_issuer_key_failures_total', values: '0x180' },
  { series: 'ledgerline_job_runs_total{job_name="retention",outcome="failed"}', values: '0x180' },
  { series: 'ledgerline_job_last_success_timestamp_seconds{job_name="retention"}', values: '0+60x180' },
  { series: 'up{job="api",instance="a:9464"}', values: '1x180' },
  { series: 'ledgerline_build_info{job="api",instance="a:9464",version="1.0.0"}', values: '1x180' },
  { series: 'ledgerline_worker_failures_total{instance="a:9464"}', values: '1x180' },
  { series: 'ledgerline_gateway_link_up{gateway="smpp",instance="a:9464"}', values: '1x180' },
  { series: 'ledgerline_trail_failures_total{outcome="lost"}', values: '1x180' },
  { series: 'ledgerline_webhook_oldest_due_seconds', values: '20x180' },
  { series: 'ledgerline_retention_lag_seconds{kind="events"}', values: '600x180' },
  { series: 'ledgerline_defects_total', values: '0x180' },
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-alerts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function testRules(interval: string, series: Case['series'], checks: unknown[]): Promise<string> {
  const file = path.join(folder, 'tests.yml');
  const tests = [
    { interval, input_series: series, alert_rule_test: checks, external_labels: { ledgerline_docs: docsUrl } },
  ];
  await writeFile(file, stringify({ rule_files: [rulesFile], evaluation_interval: interval, tests }));
  return execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
}

it('there is a case for every alert', () => {
  expect(Object.keys(cases).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
});

describe.skipIf(!isInstalled)('promtool', () => {
  it('finds no mistake in the rules', () => {
    expect(execFileSync('promtool', ['check', 'rules', rulesFile], { encoding: 'utf8' })).toContain('SUCCESS');
  });

  it.each(rules)('$alert fires', async ({ alert, labels, annotations }) => {
    const { series, at, labels: found = {}, interval = '1m' } = cases[alert]!;
    const fired = { exp_labels: { ...labels, ...found }, exp_annotations: expanded(annotations) };
    const check = { eval_time: at, alertname: alert, exp_alerts: [fired] };
    expect(await testRules(interval, series, [check])).toContain('SUCCESS');
  });

  it('nothing fires for a service that does well', async () => {
    const checks = rules.map(({ alert }) => ({ eval_time: '3h', alertname: alert, exp_alerts: [] }));
    expect(await testRules('1m', healthy, checks)).toContain('SUCCESS');
  });
});
