/** Shares the endpoints between processes by leases, and wakes the worker of each endpoint that has something due. */
import { secondsBetween } from '../../clock.ts';
import { EndpointWorker, type WorkerParts } from './endpoint-worker.ts';
import type { DeliveriesStore, Lease } from './deliveries.store.ts';

export interface DispatcherParts extends WorkerParts {
  deliveries: DeliveriesStore;
  /** A UUID: which process this is. */
  id: string;
  onError(error: unknown): void;
}

export const leaseSeconds = 10;
/** What is in flight when the process stops may take so long; after that it is tried again by somebody else. */
const stopMilliseconds = 3000;
/** A lease that is given up waits for all that is in flight. */
const giveUpMilliseconds = 20_000;

export function createDispatcher(parts: DispatcherParts) {
  const { deliveries, clock, observe, id, onError } = parts;
  const workers = new Map<number, EndpointWorker>();
  let renewing: Promise<void> | undefined;
  let isStopped = false;
  let oldestDueSeconds = 0;

  function startWorker(lease: Lease): EndpointWorker {
    const worker: EndpointWorker = new EndpointWorker(lease, parts, () => giveUp(worker));
    workers.set(lease.endpointId, worker);
    return worker;
  }

  async function stopWorker(worker: EndpointWorker, waitMilliseconds: number): Promise<void> {
    await worker.stop(waitMilliseconds);
    await deliveries.release(worker.lease);
    const { endpointId } = worker.lease;
    if (workers.get(endpointId) === worker) workers.delete(endpointId);
  }

  async function lease(): Promise<void> {
    // Counted from before the request: the database's lease lasts at least as long.
    const until = performance.now() + leaseSeconds * 1000;
    const leases = await deliveries.lease(id, leaseSeconds);
    if (isStopped) return;
    const held = new Map(leases.map((one) => [one.endpointId, one]));
    for (const [endpointId, worker] of workers) {
      if (held.get(endpointId)?.epoch === worker.lease.epoch) continue;
      worker.abandon();
      workers.delete(endpointId);
    }
    for (const one of leases) (workers.get(one.endpointId) ?? startWorker(one)).extendLease(until);
    for (const { endpointId, isSurplus } of leases) if (isSurplus) giveUp(workers.get(endpointId)!);
  }

  const givingUp = new Set<EndpointWorker>();

  /** In the background: the renewal must go on meanwhile. */
  function giveUp(worker: EndpointWorker): void {
    if (givingUp.has(worker)) return;
    givingUp.add(worker);
    stopWorker(worker, giveUpMilliseconds)
      // The lease runs out by itself.
      .catch((error: unknown) => onError(error))
      .finally(() => givingUp.delete(worker));
  }

  return {
    /** Whether this process delivers to somebody. */
    get hasEndpoints(): boolean {
      return workers.size > 0;
    },

    /** Renews the leases and takes free ones. Called every few seconds, and when an endpoint was made or enabled. */
    renew(): Promise<void> {
      if (isStopped) return Promise.resolve();
      renewing ??= lease().finally(() => (renewing = undefined));
      return renewing;
    },

    /** Called often: one statement for all endpoints. */
    async run(): Promise<void> {
      const now = clock.now();
      const due = workers.size === 0 ? [] : await deliveries.findDue([...workers.keys()], now);
      for (const { endpointId } of due) workers.get(endpointId)?.wake();
      oldestDueSeconds = Math.max(0, ...due.map(({ oldestDueAt }) => secondsBetween(oldestDueAt, now)));
    },

    /** Called every few seconds, for the metrics. */
    async observeQueue(): Promise<void> {
      observe({ kind: 'webhook-queue', oldestDueSeconds });
    },

    /** Somebody else may go on at once. */
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.allSettled([renewing]);
      const stops = [...workers.values()].map((worker) => stopWorker(worker, stopMilliseconds));
      // A database that is away must not hold up the stop: the leases run out by themselves.
      const ended = await Promise.allSettled([...stops, deliveries.leave(id)]);
      for (const result of ended) if (result.status === 'rejected') onError(result.reason);
    },
  };
}
