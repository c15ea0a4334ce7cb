/** Shares the endpoints between processes by leases, and wakes the worker of each endpoint that has due deliveries. */
import { secondsBetween } from '../../values/clock.ts';
import { EndpointWorker, type WorkerParts } from './endpoint-worker.ts';
import type { DeliveriesStore, Lease } from './deliveries.store.ts';
import { HostLimits } from './host-limits.ts';

export interface DispatcherParts extends Omit<WorkerParts, 'hosts'> {
  deliveries: DeliveriesStore;
  /** A UUID that identifies this process. */
  id: string;
  onError(error: unknown): void;
  /** Called when a renewal of the leases finds deliveries that are due. */
  onDue(): void;
}

const leaseSeconds = 10;
/** How long requests in flight may take when the process stops; after that another process tries them again. */
const stopMilliseconds = 3000;
/** How long a worker that gives up its lease waits for requests in flight. */
const giveUpMilliseconds = 20_000;

export function createDispatcher(parts: DispatcherParts) {
  const { deliveries, clock, observe, id, onError } = parts;
  const workers = new Map<number, EndpointWorker>();
  const hosts = new HostLimits(parts.limits);
  let renewing: Promise<void> | undefined;
  let isStopped = false;
  let oldestDueSeconds = 0;

  function startWorker(lease: Lease): EndpointWorker {
    const worker: EndpointWorker = new EndpointWorker(lease, { ...parts, hosts }, () => giveUp(worker));
    workers.set(lease.endpointId, worker);
    return worker;
  }

  async function stopWorker(worker: EndpointWorker, waitMilliseconds: number): Promise<void> {
    const { endpointId } = worker.lease;
    try {
      await worker.stop(waitMilliseconds);
      await deliveries.release(worker.lease);
    } finally {
      // A lease that could not be released is still this process's: the next renewal starts another worker under it.
      if (workers.get(endpointId) === worker) workers.delete(endpointId);
    }
  }

  async function lease(): Promise<void> {
    // Counted from before the request, so the lease in the database lasts at least as long.
    const until = performance.now() + leaseSeconds * 1000;
    const leases = await deliveries.lease(id, leaseSeconds, clock.now());
    if (isStopped) return;
    const leaseOf = new Map(leases.map((leased) => [leased.endpointId, leased]));
    for (const [endpointId, worker] of workers) {
      if (leaseOf.get(endpointId)?.epoch === worker.lease.epoch) continue;
      worker.abandon();
      workers.delete(endpointId);
    }
    for (const leased of leases) (workers.get(leased.endpointId) ?? startWorker(leased)).extendLease(until);
    for (const { endpointId, isSurplus } of leases) if (isSurplus) giveUp(workers.get(endpointId)!);
    if (leases.some(({ hasDue }) => hasDue)) parts.onDue();
  }

  const givingUp = new Set<EndpointWorker>();

  /** In the background, since the renewal must continue meanwhile. */
  function giveUp(worker: EndpointWorker): void {
    if (givingUp.has(worker)) return;
    givingUp.add(worker);
    stopWorker(worker, giveUpMilliseconds)
      .catch((error: unknown) => onError(error))
      .finally(() => givingUp.delete(worker));
  }

  return {
    /** Whether this process delivers to any endpoint. */
    get hasEndpoints(): boolean {
      return workers.size > 0;
    },

    /** Renews the leases and takes free ones. Called every few seconds, and when an endpoint was created or enabled. */
    async renew(): Promise<void> {
      if (isStopped) return;
      renewing ??= lease().finally(() => (renewing = undefined));
      await renewing;
    },

    /** One statement for all endpoints. True if a delivery is due. */
    async run(): Promise<boolean> {
      const now = clock.now();
      const due = workers.size === 0 ? [] : await deliveries.findDue([...workers.keys()], now);
      for (const { endpointId } of due) workers.get(endpointId)?.wake();
      oldestDueSeconds = Math.max(0, ...due.map(({ oldestDueAt }) => secondsBetween(oldestDueAt, now)));
      return due.length > 0;
    },

    /** Called every few seconds, for the metrics. */
    async observeQueue(): Promise<void> {
      observe({ kind: 'webhook-queue', oldestDueSeconds });
    },

    /** Other processes may take over immediately. */
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.allSettled([renewing]);
      const stops = [...workers.values()].map((worker) => stopWorker(worker, stopMilliseconds));
      // An unavailable database must not delay the stop: the leases expire by themselves.
      const ended = await Promise.allSettled([...stops, deliveries.leave(id)]);
      for (const result of ended) if (result.status === 'rejected') onError(result.reason);
    },
  };
}
