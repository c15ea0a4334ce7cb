/**
 * The phases of a stop. First the readiness check fails, while connections are still accepted until the load balancers
 * have noticed; every answer closes its connection, so that its caller comes back to a node that stays. Then the port is
 * closed, and what is in flight is finished.
 */

export interface Stopping {
  /** Whether balancers should send requests to another node. */
  readonly isLeaving: boolean;
  /** Whether the port is closed, or is about to be. */
  readonly isClosing: boolean;
  /** Aborted when the stop begins. Answers without a fixed end, such as event streams, end then. */
  readonly signal: AbortSignal;
  leave(): void;
  close(): void;
}

/** A connection in use gets an answer and is then closed. That takes less than this time. */
export const settleSeconds = 2;

export function createStopping(): Stopping {
  const controller = new AbortController();
  let isLeaving = false;
  let isClosing = false;
  return {
    get isLeaving() {
      return isLeaving;
    },
    get isClosing() {
      return isClosing;
    },
    signal: controller.signal,
    leave() {
      isLeaving = true;
      controller.abort();
    },
    close() {
      isClosing = true;
      controller.abort();
    },
  };
}
