/**
 * Tells watchers that the transactions of an individual have changed, in whichever process that happened. Nothing is
 * replayed: a message says how things stand, and the watcher asks the list.
 */
import { unknownIndividual } from '../../errors.ts';
import type { IndividualState, LiveStore } from './live.store.ts';

export interface Change {
  /** Of the latest event of the individual's transactions; 0 if there is none. */
  eventId: string;
  sequence: number;
  transactionCount: number;
}

export interface Watcher {
  onChange(change: Change): void;
  /** The individual is gone. */
  onGone(): void;
}

export interface LiveTransactionsOptions {
  store: LiveStore;
  /** Brings committed events into the log, so that they have their ids. */
  sequence(): Promise<unknown>;
}

export type LiveTransactions = ReturnType<typeof createLiveTransactions>;

interface Watched {
  sequence: number;
  watchers: Set<Watcher>;
}

export function createLiveTransactions({ store, sequence }: LiveTransactionsOptions) {
  const watched = new Map<number, Watched>();

  async function changesOf(states: readonly IndividualState[]): Promise<Map<number, Change>> {
    if (states.length === 0) return new Map();
    await sequence();
    const ids = await store.readEventIds(states.map(({ individualId }) => individualId));
    return new Map(
      states.map(({ individualId, ...state }) => [individualId, { eventId: ids.get(individualId) ?? '0', ...state }]),
    );
  }

  function add(individualId: number, watcher: Watcher, knownSequence: number): () => void {
    let entry = watched.get(individualId);
    // The oldest known sequence wins: a message that is sent twice does no harm, a missed one does.
    if (entry) entry.sequence = Math.min(entry.sequence, knownSequence);
    else watched.set(individualId, (entry = { sequence: knownSequence, watchers: new Set() }));
    entry.watchers.add(watcher);
    return () => {
      entry.watchers.delete(watcher);
      if (entry.watchers.size === 0 && watched.get(individualId) === entry) watched.delete(individualId);
    };
  }

  return {
    /** Tells the watcher how things stand, and then of every change. Returns how to stop. */
    async watch(individualId: number, watcher: Watcher): Promise<() => void> {
      const [state] = await store.readStates([individualId]);
      if (!state) throw unknownIndividual();
      const changes = await changesOf([state]);
      watcher.onChange(changes.get(individualId)!);
      return add(individualId, watcher, state.sequence);
    },

    /** One look for all that are watched here. Called twice a second. */
    async run(): Promise<void> {
      if (watched.size === 0) return;
      const asked = [...watched];
      const states = await store.readStates(asked.map(([individualId]) => individualId));
      const present = new Map(states.map((state) => [state.individualId, state]));
      const moved = asked.flatMap(([individualId, entry]) => {
        const state = present.get(individualId);
        return state && state.sequence !== entry.sequence ? [state] : [];
      });
      const changes = await changesOf(moved);
      for (const [individualId, entry] of asked) {
        const change = changes.get(individualId);
        if (change) entry.sequence = change.sequence;
        for (const watcher of entry.watchers) {
          if (change) watcher.onChange(change);
          else if (!present.has(individualId)) watcher.onGone();
        }
      }
    },
  };
}
