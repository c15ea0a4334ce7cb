/** The alerts, in one table: deploy/prometheus/alerts.yml and the table of docs/runbook.md are made from it. */

export interface Alert {
  name: string;
  expression: string;
  /** How long the condition must be true. */
  hold: string;
  severity: 'page' | 'ticket';
  summary: string;
}

/** Operations that users depend on. Probes and pages are left out. */
const userOperations =
  'operation=~"send-code|resend-code|verify-phone|get-all-transactions|get-transaction|record-transactions"';

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
      'sum(rate(ledgerline_verifications_total{outcome="verified"}[1h])) / sum(rate(ledgerline_codes_total{outcome="sent"}[1h])) < 0.4 and sum(increase(ledgerline_codes_total{outcome="sent"}[1h])) > 100',
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
    expression: 'sum by (job) (increase(ledgerline_job_runs_total{outcome="failed"}[30m])) > 5',
    hold: '10m',
    severity: 'ticket',
    summary: 'A periodic job fails repeatedly.',
  },
  {
    name: 'LedgerlineDefects',
    expression: 'increase(ledgerline_defects_total[15m]) > 0',
    hold: '0m',
    severity: 'ticket',
    summary: 'Requests were answered with an unexpected 500.',
  },
];

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
          runbook_url: docs/runbook.md#${name.toLowerCase()}`,
  );
  return `# Made from src/monitoring/alerts.ts by \`npm run generate\`.
groups:
  - name: ledgerline
    rules:
${rules.join('\n')}
`;
}
