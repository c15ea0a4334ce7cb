/**
 * Every metric, in one table. The registry and docs/metrics.md are made from it. A test finds each of them in a running
 * service's /metrics, and each metric of the alerts and the dashboard in deploy/.
 */

/** How the values of the processes of a node become one. */
type Combination = 'sum' | 'min' | 'max';

interface CommonDefinition {
  help: string;
  /** The values of each label, if they are known: those series exist from the start. */
  labels?: Record<string, readonly string[]>;
}

export type MetricDefinition = CommonDefinition &
  (
    | { type: 'counter' }
    | { type: 'histogram'; buckets: readonly number[] }
    | {
        type: 'gauge';
        combine: Combination;
        /** Series exist only for what has reported a value, even if the values of its labels are known. */
        isEmptyAtStart?: true;
      }
  );

/** A label whose values are known only when the service starts, or when they first occur. */
const open: readonly string[] = [];

const secondBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const defineMetrics = <T extends Record<string, MetricDefinition>>(metrics: T): T => metrics;

export const metrics = defineMetrics({
  http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time to answer a request. Status 499: the caller left before the answer.',
    labels: { operation: open, status: open },
    buckets: secondBuckets,
  },
  codes_total: {
    type: 'counter',
    help: 'Codes requested, by what they are for and by outcome: sent, unknown (the text may arrive), failed, phone-taken, or the rule that refused.',
    labels: {
      for: ['verification', 'change', 'confirmation'],
      outcome: ['sent', 'unknown', 'failed', 'phone-taken', 'phone-not-supported'],
    },
  },
  proofs_total: {
    type: 'counter',
    help: 'Codes that were sent because of a proof, by kind of proof. codes_total counts the challenges.',
    labels: { kind: ['solution', 'attestation'] },
  },
  verifications_total: {
    type: 'counter',
    help: 'Attempts to verify a code, by outcome.',
    labels: { outcome: ['verified', 'wrong-code', 'no-code', 'lost-race', 'blocked'] },
  },
  confirmation_checks_total: {
    type: 'counter',
    help: 'Checks of confirmations, by outcome.',
    labels: { outcome: ['approved', 'wrong-code', 'other-terms', 'ended', 'unknown', 'blocked'] },
  },
  gateway_sends_total: {
    type: 'counter',
    help: 'Texts passed to a gateway, by its answer.',
    labels: { gateway: open, outcome: ['accepted', 'refused', 'unavailable', 'unknown'] },
  },
  gateway_duration_seconds: {
    type: 'histogram',
    help: 'Time that a gateway took to answer.',
    labels: { gateway: open },
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  gateway_open: {
    type: 'gauge',
    help: '1 while a gateway is not used because it failed.',
    labels: { gateway: open },
    combine: 'max',
  },
  gateway_link_up: {
    type: 'gauge',
    help: '1 while the connection to a gateway that needs a permanent one (SMPP) is bound.',
    labels: { gateway: open },
    isEmptyAtStart: true,
    combine: 'min',
  },
  gateway_order_changes_total: {
    type: 'counter',
    help: 'Changes of the order of gateways for a country.',
    labels: { country: open },
  },
  receipts_total: {
    type: 'counter',
    help: 'Delivery receipts of gateways, by state.',
    labels: { gateway: open, state: ['delivered', 'failed', 'refused'] },
  },
  trail_failures_total: {
    type: 'counter',
    help: 'Events of the trail that could not be written immediately: delayed ones are written later.',
    labels: { outcome: ['delayed', 'lost'] },
  },
  budget_used_ratio: {
    type: 'gauge',
    help: 'Share of a daily budget that is used: texts to a country, money for a country, money in total.',
    labels: { budget: open },
    combine: 'max',
  },
  transactions_recorded_total: {
    type: 'counter',
    help: 'Rows recorded, by result.',
    labels: { result: ['created', 'duplicate', 'updated', 'conflict', 'rejected'] },
  },
  tokens_total: {
    type: 'counter',
    help: 'Requests to the token endpoint, by outcome.',
    labels: { outcome: ['issued'] },
  },
  issuer_keys_read: {
    type: 'gauge',
    help: '1 as soon as the keys of the token issuer have been read once.',
    combine: 'min',
  },
  issuer_key_failures_total: {
    type: 'counter',
    help: 'Failed attempts to read the keys of the token issuer.',
  },
  database_up: { type: 'gauge', help: '1 while the database answers.', combine: 'min' },
  requests_active: {
    type: 'gauge',
    help: 'Requests that are being processed, of LEDGERLINE_REQUESTS.',
    combine: 'sum',
  },
  database_work: {
    type: 'gauge',
    help: 'Long statements, transactions and streams that run or wait for a connection.',
    labels: { pool: ['long', 'transactions', 'streams'], state: ['running', 'waiting'] },
    combine: 'sum',
  },
  job_runs_total: {
    type: 'counter',
    help: 'Runs of a periodic job, by outcome.',
    labels: { job_name: open, outcome: ['ok', 'failed'] },
  },
  job_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When a periodic job last succeeded in this process, or the process started.',
    labels: { job_name: open },
    combine: 'max',
  },
  retention_lag_seconds: {
    type: 'gauge',
    help: 'For how long the oldest expired row of a kind should have been deleted; 0 if none is expired.',
    labels: { kind: open },
    combine: 'max',
  },
  webhook_tries_total: {
    type: 'counter',
    help: 'Tries to deliver an event to a webhook endpoint, by outcome; retried ones are tried again later.',
    labels: { outcome: ['delivered', 'retried', 'failed'] },
  },
  webhook_oldest_due_seconds: {
    type: 'gauge',
    help: 'How long the oldest due delivery to a webhook endpoint has waited.',
    combine: 'max',
  },
  standby_reads_total: {
    type: 'counter',
    help: 'Reads that a standby could answer, by outcome.',
    labels: { outcome: ['served', 'behind', 'failed'] },
  },
  worker_failures_total: { type: 'counter', help: 'Workers that ended unexpectedly.' },
  defects_total: {
    type: 'counter',
    help: 'Unexpected failures: each has a log line "defect" with its trace.',
  },
  uncaught_errors_total: {
    type: 'counter',
    help: 'Errors that no part of the service handled: each has a log line "uncaught-error", and its process is replaced.',
  },
  build_info: {
    type: 'gauge',
    help: 'Always 1; the label has the release.',
    labels: { version: open },
    combine: 'max',
  },
});

/** Gauges of Node's own metrics that are not added up. */
const nodeCombinations: Record<string, Combination> = {
  // When the node started, that is its first process.
  process_start_time_seconds: 'min',
  nodejs_version_info: 'max',
};

export function combinationOf(name: string): Combination {
  const own = (metrics as Record<string, MetricDefinition>)[name.replace(metricPrefix, '')];
  if (own) return own.type === 'gauge' ? own.combine : 'sum';
  // The slowest process counts: an average with an idle one hides it.
  return nodeCombinations[name] ?? (name.startsWith('nodejs_eventloop_lag') ? 'max' : 'sum');
}

export type MetricName = keyof typeof metrics;

export const metricPrefix = 'ledgerline_';

/** docs/metrics.md. */
export function metricsReference(): string {
  const rows = Object.entries<MetricDefinition>(metrics).map(([name, { type, help, labels = {} }]) => {
    const names = Object.entries(labels).map(
      ([label, values]) => `\`${label}\`${values.length > 0 ? ` (${values.join(', ')})` : ''}`,
    );
    return `| \`${metricPrefix}${name}\` | ${type} | ${names.join('; ') || '-'} | ${combinationOf(metricPrefix + name)} | ${help} |`;
  });
  return `# Metrics

Made from \`src/monitoring/metrics.ts\` by \`npm run generate\`. \`LEDGERLINE_METRICS_PORT\` opens \`/metrics\` on a port of
its own; the sandbox has it on PORT. If a node has several processes, the column *of processes* says how their values become
one: their sum, the smallest or the largest. Node's own metrics (\`process_*\`, \`nodejs_*\`) are there too. They are added
up, except for \`process_start_time_seconds\` (the smallest), \`nodejs_eventloop_lag_*\` and \`nodejs_version_info\` (the
largest). The event loop is sampled every 100 ms: \`nodejs_eventloop_lag_*\` are 0.1 while it is never late.

The dashboard in \`deploy/grafana/\` and the alerts in \`deploy/prometheus/\` use these names; what each alert means and what
to do is in [runbook.md](runbook.md).

| metric | type | labels | of processes | meaning |
|---|---|---|---|---|
${rows.join('\n')}
`;
}
