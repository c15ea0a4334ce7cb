/**
 * The phases of a stop. First the readiness check fails, while connections are still accepted until the load balancers
 * have noticed; every answer closes its connection, so that its caller comes back to a node that stays. Then the port is
 * closed, and what is in flight is finished.
 */

export type Stopping = ReturnType<typeof createStopping>;

/** A connection in use gets an answer and is then closed. That takes less than this time. */
export const settleSeconds = 2;

export function createStopping() {
  const controller = new AbortController();
  let isLeaving = false;
  let isClosing = false;
  return {
    /** Whether balancers should send requests to another node. */
    get isLeaving(): boolean {
      return isLeaving;
    },
    /** Whether the port is closed, or is about to be. */
    get isClosing(): boolean {
      return isClosing;
    },
    /** Aborted when the stop begins. Answers without a fixed end, such as event streams, end then. */
    signal: controller.signal,
    leave(): void {
      isLeaving = true;
      controller.abort();
    },
    close(): void {
      isClosing = true;
      controller.abort();
    },
  };
}
