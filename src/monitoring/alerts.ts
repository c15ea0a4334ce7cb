/** The alerts, in one table: deploy/prometheus/alerts.yml and the table of docs/runbook.md are made from it. */

export interface Alert {
  name: string;
  expression: string;
  /** How long the condition must be true. */
  hold: string;
  severity: 'page' | 'ticket';
  summary: string;
}

/**
 * All operations that callers depend on: a new one counts without being named here. Left out are probes, pages, the
 * reference, the sandbox and the operators' console, whose long searches may be refused.
 */
const userOperations =
  'operation!~"live|ready|metrics|openapi|docs|page-.*|asset|none|sandbox-.*|operator-.*|guard-.*"';

const failures = (window: string) =>
  `sum(rate(ledgerline_http_request_duration_seconds_count{${userOperations},status=~"5.."}[${window}]))`;
const requests = (window: string) =>
  `sum(rate(ledgerline_http_request_duration_seconds_count{${userOperations}}[${window}]))`;

/** A small installation has few requests: below this rate a percentage is not meaningful. */
const enoughRequests = (window: string) => `${requests(window)} > 0.02`;

/** The objective: 99.9 % of these requests over 30 days are not answered with a 5xx. */
const budget = 0.001;

/**
 * Both windows must burn the error budget at this rate: the long one shows that it matters, the short one that it still
 * continues.
 */
function burnRate(rate: number, long: string, short: string): string {
  const above = (window: string) => `${failures(window)} / ${requests(window)} > ${(rate * budget).toFixed(4)}`;
  return `(${above(long)}) and (${above(short)}) and (${enoughRequests(long)})`;
}

export const alerts: readonly Alert[] = [
  {
    name: 'LedgerlineErrorBudgetBurnsFast',
    expression: burnRate(14.4, '1h', '5m'),
    hold: '2m',
    severity: 'page',
    summary: 'Requests fail so often that the error budget of 30 days is used up in two days.',
  },
  {
    name: 'LedgerlineErrorBudgetBurns',
    expression: burnRate(6, '6h', '30m'),
    hold: '15m',
    severity: 'page',
    summary: 'Requests fail so often that the error budget of 30 days is used up in five days.',
  },
  {
    name: 'LedgerlineErrorBudgetBurnsSlowly',
    expression: burnRate(1, '3d', '6h'),
    hold: '1h',
    severity: 'ticket',
    summary: 'Requests fail at the maximum rate that the error budget of 30 days allows.',
  },
  {
    name: 'LedgerlineDatabaseDown',
    expression: 'ledgerline_database_up == 0',
    hold: '1m',
    severity: 'page',
    summary: 'A node has no database.',
  },
  {
    name: 'LedgerlineNodeGone',
    // Whatever the name of the scrape job is: a target that had our metrics within the last day.
    expression:
      '(up == 0 and on (job, instance) max_over_time(ledgerline_build_info[1d])) or absent(ledgerline_build_info)',
    hold: '5m',
    severity: 'page',
    summary: 'A node does not answer Prometheus, or no node does.',
  },
  {
    name: 'LedgerlineWorkersExit',
    expression: 'sum by (instance) (increase(ledgerline_worker_failures_total[15m])) > 0',
    hold: '0m',
    severity: 'ticket',
    summary: 'A process of a node ended unexpectedly.',
  },
  {
    name: 'LedgerlineListIsSlow',
    expression:
      'histogram_quantile(0.99, sum by (le) (rate(ledgerline_http_request_duration_seconds_bucket{operation="get-all-transactions"}[10m]))) > 0.5',
    hold: '10m',
    severity: 'ticket',
    summary: 'One in a hundred pages of transactions takes longer than half a second.',
  },
  {
    name: 'LedgerlineGatewayOpen',
    expression: 'max by (gateway) (ledgerline_gateway_open) == 1',
    hold: '5m',
    severity: 'page',
    summary: 'A gateway fails and is not used.',
  },
  {
    name: 'LedgerlineGatewayLinkDown',
    expression: 'min by (gateway, instance) (ledgerline_gateway_link_up) == 0',
    hold: '5m',
    severity: 'page',
    summary: 'A node has no connection to a gateway that needs a permanent one (SMPP).',
  },
  {
    name: 'LedgerlineSendsFail',
    expression:
      'sum(rate(ledgerline_codes_total{outcome=~"failed|unknown"}[10m])) / sum(rate(ledgerline_codes_total{outcome=~"sent|failed|unknown"}[10m])) > 0.05',
    hold: '5m',
    severity: 'page',
    summary: 'More than 5 % of the codes were accepted by no gateway, or it is not known whether one accepted them.',
  },
  {
    name: 'LedgerlineCodesAreNotVerified',
    expression:
      'sum(rate(ledgerline_verifications_total{outcome="verified"}[1h])) / sum(rate(ledgerline_codes_total{outcome="sent",for!="confirmation"}[1h])) < 0.4 and sum(increase(ledgerline_codes_total{outcome="sent",for!="confirmation"}[1h])) > 100',
    hold: '30m',
    severity: 'ticket',
    summary:
      'Fewer than 40 % of the codes of the last hour were verified: texts do not arrive, or there is an SMS pumping attack.',
  },
  {
    name: 'LedgerlineBudgetNearlyUsed',
    expression: 'max by (budget) (ledgerline_budget_used_ratio) > 0.8',
    hold: '1m',
    severity: 'ticket',
    summary: 'More than 80 % of a daily budget of texts or money is used.',
  },
  {
    name: 'LedgerlineIssuerKeysUnread',
    expression: 'ledgerline_issuer_keys_read == 0 or increase(ledgerline_issuer_key_failures_total[30m]) > 5',
    hold: '5m',
    severity: 'page',
    summary: 'The keys of the token issuer cannot be read.',
  },
  {
    name: 'LedgerlineJobFails',
    expression: 'sum by (job_name) (increase(ledgerline_job_runs_total{outcome="failed"}[30m])) > 5',
    hold: '10m',
    severity: 'ticket',
    summary: 'A periodic job fails repeatedly.',
  },
  {
    name: 'LedgerlineRetentionStalled',
    expression:
      'time() - max by (job_name) (ledgerline_job_last_success_timestamp_seconds{job_name="retention"}) > 7200',
    hold: '10m',
    severity: 'ticket',
    summary: 'Expired data has not been deleted for two hours.',
  },
  {
    name: 'LedgerlineTrailLost',
    expression: 'sum(increase(ledgerline_trail_failures_total{outcome="lost"}[15m])) > 0',
    hold: '0m',
    severity: 'ticket',
    summary: 'Steps of messages could not be stored and are missing from the trail.',
  },
  {
    name: 'LedgerlineWebhookBacklog',
    expression: 'max(ledgerline_webhook_oldest_due_seconds) > 300',
    hold: '10m',
    severity: 'ticket',
    summary: 'A delivery to a webhook endpoint has been due for more than five minutes.',
  },
  {
    name: 'LedgerlineRetentionBehind',
    expression: 'max by (kind) (ledgerline_retention_lag_seconds) > 21600',
    hold: '30m',
    severity: 'ticket',
    summary: 'Expired data of a kind should have been deleted more than six hours ago.',
  },
  {
    name: 'LedgerlineDefects',
    expression: 'increase(ledgerline_defects_total[15m]) > 0 or increase(ledgerline_uncaught_errors_total[15m]) > 0',
    hold: '0m',
    severity: 'ticket',
    summary: 'Requests were answered with an unexpected 500, or an error outside a request ended a process.',
  },
];

/**
 * The external label of Prometheus says where the documentation of this installation is. A relative address would lead
 * nowhere from an alert.
 */
const docsUrl = '{{ or $externalLabels.ledgerline_docs "https://github.com/your-fork/ledgerline/blob/main/docs" }}';

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** deploy/prometheus/alerts.yml. */
export function alertRules(): string {
  const rules = alerts.map(
    ({ name, expression, hold, severity, summary }) => `      - alert: ${name}
        expr: ${quoted(expression)}
        for: ${hold}
        labels:
          severity: ${severity}
        annotations:
          summary: ${quoted(summary)}
          runbook_url: ${quoted(`${docsUrl}/runbook.md#${name.toLowerCase()}`)}`,
  );
  return `# Made from src/monitoring/alerts.ts by \`npm run generate\`.
groups:
  - name: ledgerline
    rules:
${rules.join('\n')}
`;
}
