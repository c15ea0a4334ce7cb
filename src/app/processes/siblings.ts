/** What a process of a node knows about the other processes, which share its port, its connections and its settings. */
import type { Socket } from 'node:net';

/** Data in the database that processes also keep in memory, and that was changed. */
export type Topic = 'sandbox' | 'guard' | 'events';

export interface Siblings {
  /** How many processes the node has, this one included. */
  count: number;
  /**
   * Returns when the other processes have applied the change, so that the caller's next request sees it in every
   * process.
   */
  notify(topic: Topic): Promise<void>;
  /** Called when another process notifies of a change. */
  onNotified(topic: Topic, take: () => Promise<void>): void;
  /** Receives the connections that the primary passes on; undefined if this process has its own port. */
  takeConnections: ((take: (socket: Socket) => void) => void) | undefined;
  /** The metrics of all processes together; undefined if there is only this one. */
  readMetrics: (() => Promise<string>) | undefined;
}

export const noSiblings: Siblings = {
  count: 1,
  notify: async () => {},
  onNotified: () => {},
  takeConnections: undefined,
  readMetrics: undefined,
};
