/** The metrics of several processes as one: counters of processes that have ended stay in the sums. */
import { AggregatorRegistry } from 'prom-client';
import type { MetricsSnapshot } from '../../observe.ts';

export class MetricsBook {
  readonly #latest = new Map<number, MetricsSnapshot>();
  #ended: MetricsSnapshot = [];

  /** Keeps the latest figures of a process. */
  take(processId: number, snapshot: MetricsSnapshot): void {
    this.#latest.set(processId, snapshot);
  }

  /** A gauge is about a process that runs; a counter or histogram is about what has happened, which stays true. */
  end(processId: number): void {
    const last = this.#latest.get(processId)?.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
    this.#latest.delete(processId);
    if (last) this.#ended = AggregatorRegistry.aggregate([this.#ended, last]).getMetricsAsArray() as MetricsSnapshot;
  }

  text(): Promise<string> {
    return AggregatorRegistry.aggregate([...this.#latest.values(), this.#ended]).metrics();
  }
}
