/** Creates the metrics of the table in a registry. Series whose labels are known exist from the start. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { metricPrefix, metrics, type MetricDefinition, type MetricName } from './metrics.ts';

type NamesOfType<T extends MetricDefinition['type']> = {
  [K in MetricName]: (typeof metrics)[K]['type'] extends T ? K : never;
}[MetricName];

interface MetricSet {
  counter(name: NamesOfType<'counter'>): Counter;
  gauge(name: NamesOfType<'gauge'>): Gauge;
  histogram(name: NamesOfType<'histogram'>): Histogram;
}

/** Values of labels that are known when the service starts, such as the configured gateways. */
export type KnownLabels = Record<string, readonly string[]>;

export function createMetricSet(registry: Registry, known: KnownLabels = {}): MetricSet {
  const made = new Map<string, Counter | Gauge | Histogram>();
  for (const [name, definition] of Object.entries<MetricDefinition>(metrics)) {
    const metric = makeMetric(name, definition, registry);
    const isEmpty = definition.type === 'gauge' && definition.isEmptyAtStart;
    for (const labels of isEmpty ? [] : combinations(definition.labels ?? {}, known)) startSeries(metric, labels);
    made.set(name, metric);
  }
  return {
    counter: (name) => made.get(name) as Counter,
    gauge: (name) => made.get(name) as Gauge,
    histogram: (name) => made.get(name) as Histogram,
  };
}

function makeMetric(name: string, definition: MetricDefinition, registry: Registry): Counter | Gauge | Histogram {
  const { help, labels = {} } = definition;
  const common = { name: metricPrefix + name, help, labelNames: Object.keys(labels), registers: [registry] };
  if (definition.type === 'counter') return new Counter(common);
  if (definition.type === 'gauge') return new Gauge(common);
  return new Histogram({ ...common, buckets: [...definition.buckets] });
}

function startSeries(metric: Counter | Gauge | Histogram, labels: Record<string, string>): void {
  if (metric instanceof Histogram) metric.zero(labels);
  else metric.inc(labels, 0);
}

/** Every combination of the labels' known values; none while a label has no known value. */
function combinations(labels: Record<string, readonly string[]>, known: KnownLabels): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (sets, [label, values]) =>
      sets.flatMap((set) => [...values, ...(known[label] ?? [])].map((value) => ({ ...set, [label]: value }))),
    [{}],
  );
}
