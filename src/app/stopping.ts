/**
 * The phases of a stop. First the readiness check fails, and requests are answered as before until the load balancers
 * have noticed. Then the port is closed, and after that every answer closes its connection. In this order a proxy that
 * keeps connections opens few new ones, and finds the port closed when it needs one, so that it asks another node.
 */

export interface Stopping {
  /** Whether balancers should send requests to another node. */
  readonly isLeaving: boolean;
  /** Whether each answer closes its connection. */
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
