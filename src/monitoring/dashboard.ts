/** The Grafana dashboard, from a table of panels: deploy/grafana/dashboards/ledgerline.json. */

interface Panel {
  title: string;
  expression: string;
  legend: string;
  unit: 'reqps' | 's' | 'percentunit' | 'short' | 'bool';
}

const rate = (metric: string, by: string, selector = '') =>
  `sum by (${by}) (rate(ledgerline_${metric}${selector}[$__rate_interval]))`;
const quantile = (share: number, metric: string, by: string) =>
  `histogram_quantile(${share}, sum by (le, ${by}) (rate(ledgerline_${metric}_bucket[$__rate_interval])))`;

const panels: Panel[] = [
  {
    title: 'Requests',
    expression: rate('http_request_duration_seconds_count', 'operation'),
    legend: '{{operation}}',
    unit: 'reqps',
  },
  {
    title: 'Errors (5xx)',
    expression: rate('http_request_duration_seconds_count', 'operation', '{status=~"5.."}'),
    legend: '{{operation}}',
    unit: 'reqps',
  },
  {
    title: 'Latency, p99',
    expression: quantile(0.99, 'http_request_duration_seconds', 'operation'),
    legend: '{{operation}}',
    unit: 's',
  },
  { title: 'Codes by outcome', expression: rate('codes_total', 'outcome'), legend: '{{outcome}}', unit: 'reqps' },
  {
    title: 'Verifications by outcome',
    expression: rate('verifications_total', 'outcome'),
    legend: '{{outcome}}',
    unit: 'reqps',
  },
  {
    title: 'Share of codes that are verified, 1 h',
    expression:
      'sum(rate(ledgerline_verifications_total{outcome="verified"}[1h])) / sum(rate(ledgerline_codes_total{outcome="sent",for!="confirmation"}[1h]))',
    legend: 'verified',
    unit: 'percentunit',
  },
  {
    title: 'Gateways by answer',
    expression: rate('gateway_sends_total', 'gateway, outcome'),
    legend: '{{gateway}} {{outcome}}',
    unit: 'reqps',
  },
  {
    title: 'Gateway latency, p95',
    expression: quantile(0.95, 'gateway_duration_seconds', 'gateway'),
    legend: '{{gateway}}',
    unit: 's',
  },
  {
    title: 'Gateways left out',
    expression: 'max by (gateway) (ledgerline_gateway_open)',
    legend: '{{gateway}}',
    unit: 'bool',
  },
  {
    title: 'Gateway connections (SMPP)',
    expression: 'min by (gateway) (ledgerline_gateway_link_up)',
    legend: '{{gateway}}',
    unit: 'bool',
  },
  {
    title: 'Receipts',
    expression: rate('receipts_total', 'gateway, state'),
    legend: '{{gateway}} {{state}}',
    unit: 'reqps',
  },
  {
    title: 'Daily budgets used',
    expression: 'max by (budget) (ledgerline_budget_used_ratio)',
    legend: '{{budget}}',
    unit: 'percentunit',
  },
  {
    title: 'Rows recorded',
    expression: rate('transactions_recorded_total', 'result'),
    legend: '{{result}}',
    unit: 'reqps',
  },
  { title: 'Tokens', expression: rate('tokens_total', 'outcome'), legend: '{{outcome}}', unit: 'reqps' },
  { title: 'Database up', expression: 'min(ledgerline_database_up)', legend: 'database', unit: 'bool' },
  {
    title: 'Failed jobs',
    expression: rate('job_runs_total', 'job_name', '{outcome="failed"}'),
    legend: '{{job_name}}',
    unit: 'reqps',
  },
  { title: 'Releases', expression: 'count by (version) (ledgerline_build_info)', legend: '{{version}}', unit: 'short' },
  {
    title: 'Oldest due webhook delivery',
    expression: 'max(ledgerline_webhook_oldest_due_seconds)',
    legend: 'oldest',
    unit: 's',
  },
  {
    title: 'Expired data not deleted yet',
    expression: 'max by (kind) (ledgerline_retention_lag_seconds)',
    legend: '{{kind}}',
    unit: 's',
  },
  { title: 'Memory', expression: 'process_resident_memory_bytes{job=~"$job"}', legend: '{{instance}}', unit: 'short' },
];

const columns = 3;
const width = 24 / columns;
const height = 8;

function panelJson({ title, expression, legend, unit }: Panel, index: number) {
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    datasource: { type: 'prometheus', uid: '${datasource}' },
    gridPos: { x: (index % columns) * width, y: Math.floor(index / columns) * height, w: width, h: height },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: [{ refId: 'A', expr: expression, legendFormat: legend }],
  };
}

export function dashboard(): string {
  const variable = (name: string, type: string, query: string) => ({ name, type, query, hide: 0, label: name });
  const document = {
    title: 'Ledgerline',
    uid: 'ledgerline',
    tags: ['ledgerline'],
    schemaVersion: 39,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    templating: {
      list: [
        variable('datasource', 'datasource', 'prometheus'),
        {
          ...variable('job', 'query', 'label_values(ledgerline_database_up, job)'),
          datasource: { uid: '${datasource}' },
        },
      ],
    },
    panels: panels.map(panelJson),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
