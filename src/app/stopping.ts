/** The first phase of a stop: the service says that it is going, and goes on answering until others have noticed. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Stopping {
  readonly hasBegun: boolean;
  /** Aborted when the stop begins. Answers without an end, such as event streams, end then. */
  readonly signal: AbortSignal;
  /** Begins the stop, and returns when no balancer should send new requests any more. */
  drain(): Promise<void>;
}

export function createStopping(drainSeconds: number): Stopping {
  const controller = new AbortController();
  return {
    get hasBegun() {
      return controller.signal.aborted;
    },
    signal: controller.signal,
    async drain() {
      controller.abort();
      if (drainSeconds > 0) await sleep(drainSeconds * 1000);
    },
  };
}
