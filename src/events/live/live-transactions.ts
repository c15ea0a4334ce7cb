/**
 * Notifies watchers that the transactions of an individual have changed, in any process. Nothing is replayed: a message
 * contains the current state, and the watcher then reads the list.
 */
import { unknownIndividual } from '../../errors.ts';
import type { IndividualState, LiveStore } from './live.store.ts';

export interface Change {
  /** The id of the latest event of the individual's transactions; 0 if there is none. */
  eventId: string;
  sequence: number;
  transactionCount: number;
}

export interface Watcher {
  onChange(change: Change): void;
  /** Called when the individual no longer exists. */
  onGone(): void;
}

export interface LiveTransactionsOptions {
  store: LiveStore;
  /** Moves committed events to the log, so that they have their ids. */
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
    // The lowest known sequence is used: a repeated message does no harm, but a missed one does.
    if (entry) entry.sequence = Math.min(entry.sequence, knownSequence);
    else watched.set(individualId, (entry = { sequence: knownSequence, watchers: new Set() }));
    entry.watchers.add(watcher);
    return () => {
      entry.watchers.delete(watcher);
      if (entry.watchers.size === 0 && watched.get(individualId) === entry) watched.delete(individualId);
    };
  }

  return {
    /** Notifies the watcher of the current state, and then of every change. Returns a function that stops it. */
    async watch(individualId: number, watcher: Watcher): Promise<() => void> {
      const [state] = (await store.readStates([individualId])).states;
      if (!state) throw unknownIndividual();
      const changes = await changesOf([state]);
      watcher.onChange(changes.get(individualId)!);
      return add(individualId, watcher, state.sequence);
    },

    /** One statement for all individuals that are watched in this process. */
    async run(): Promise<void> {
      if (watched.size === 0) return;
      const asked = [...watched];
      const { states, unreachable } = await store.readStates(asked.map(([individualId]) => individualId));
      const unknown = new Set(unreachable);
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
          else if (!present.has(individualId) && !unknown.has(individualId)) watcher.onGone();
        }
      }
    },
  };
}
