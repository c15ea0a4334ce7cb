/** What a process of a node knows of the others that share its port, its connections and its settings. */

/** What changed in the database that a process keeps in memory too. */
export type Topic = 'sandbox' | 'guard';

export interface Siblings {
  /** How many processes the node has, this one included. */
  count: number;
  /** Returns when the others have taken the change in, so that the caller's next request finds it everywhere. */
  notify(topic: Topic): Promise<void>;
  /** Called when another process notifies of a change. */
  onNotified(topic: Topic, take: () => Promise<void>): void;
  /** The metrics of all processes together; undefined where there is only this one. */
  readMetrics: (() => Promise<string>) | undefined;
}

export const noSiblings: Siblings = {
  count: 1,
  notify: async () => {},
  onNotified: () => {},
  readMetrics: undefined,
};
