/**
 * The first phase of a stop: the readiness check fails, and requests are still answered until the load balancers have
 * noticed.
 */
import { setTimeout as sleep } from 'node:timers/promises';

export interface StopOptions {
  /** Another process of the same node has taken over: the node stays ready, and only its connections move. */
  isReplaced?: boolean;
}

export interface Stopping {
  readonly hasBegun: boolean;
  /** Whether balancers should send requests to another node. */
  readonly isLeaving: boolean;
  /** Aborted when the stop begins. Answers without a fixed end, such as event streams, end then. */
  readonly signal: AbortSignal;
  /** Begins the stop, and returns when load balancers should have stopped sending new requests. */
  drain(options?: StopOptions): Promise<void>;
}

/** A connection in use gets an answer and is then closed. That takes less than this time. */
const replacedSeconds = 2;

export function createStopping(drainSeconds: number): Stopping {
  const controller = new AbortController();
  let isLeaving = false;
  return {
    get hasBegun() {
      return controller.signal.aborted;
    },
    get isLeaving() {
      return isLeaving;
    },
    signal: controller.signal,
    async drain({ isReplaced = false } = {}) {
      isLeaving = !isReplaced;
      controller.abort();
      const seconds = isReplaced ? Math.max(replacedSeconds, drainSeconds) : drainSeconds;
      if (seconds > 0) await sleep(seconds * 1000);
    },
  };
}
