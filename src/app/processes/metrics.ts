/** Adds up the metrics of several processes. Counters of processes that have ended stay in the sums. */
import { AggregatorRegistry } from 'prom-client';
import type { MetricsSnapshot } from '../../observe.ts';

export class MetricsBook {
  readonly #latest = new Map<number, MetricsSnapshot>();
  #ended: MetricsSnapshot = [];

  /** Keeps the latest figures of a process. */
  take(processId: number, snapshot: MetricsSnapshot): void {
    this.#latest.set(processId, snapshot);
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
