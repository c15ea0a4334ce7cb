/** Adds up the metrics of several processes. Counters of processes that have ended stay in the sums. */
import { AggregatorRegistry } from 'prom-client';
import { combinationOf, metricPrefix } from '../../monitoring/metrics.ts';
import type { MetricsSnapshot } from '../../monitoring/observe.ts';

/** Worker ids start at 1. */
const primaryId = 0;

export class MetricsBook {
  readonly #latest = new Map<number, MetricsSnapshot>();
  #ended: MetricsSnapshot = [];

  /** Keeps the latest figures of a process. */
  take(processId: number, snapshot: MetricsSnapshot): void {
    this.#latest.set(
      processId,
      snapshot.map((metric) => ({ ...metric, aggregator: combinationOf(metric.name) })),
    );
  }

  /**
   * Keeps the figures of the primary. It has no database, no keys and no requests, so its gauges of these say nothing
   * about the node.
   */
  takeOfPrimary(snapshot: MetricsSnapshot): void {
    this.take(
      primaryId,
      snapshot.filter(({ name, type }) => String(type) !== 'gauge' || !name.startsWith(metricPrefix)),
    );
  }

  /**
   * Drops the gauges of a process that has ended. Its counters and histograms are kept, since they count what has
   * happened.
   */
  end(processId: number): void {
    const last = this.#latest.get(processId)?.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
    this.#latest.delete(processId);
    if (last) this.#ended = AggregatorRegistry.aggregate([this.#ended, last]).getMetricsAsArray() as MetricsSnapshot;
  }

  text(): Promise<string> {
    return AggregatorRegistry.aggregate([...this.#latest.values(), this.#ended]).metrics();
  }
}
