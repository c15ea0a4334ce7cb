/** Runs the sequencer of the event log: on demand, and in the background. */
import type { Clock } from '../values/clock.ts';
import type { EventLogStore } from './event-log.store.ts';

/** Large enough to keep up with a bulk import, small enough that nothing waits long for the lock. */
const batchLimit = 5000;

/** Passes may take this share of the time; if they are slow, the pause grows, up to the longest. */
const shareOfTime = 0.2;
const longestPauseMilliseconds = 5000;

export interface SequencerOptions {
  store: Pick<EventLogStore, 'isEventWaiting' | 'sequenceEvents'>;
  clock: Clock;
  /** Called when events have got their positions. Absent on the command line. */
  onSequenced?(): void;
}

export function createSequencer({ store, clock, onSequenced }: SequencerOptions) {
  let running: Promise<boolean> | undefined;
  let next: Promise<boolean> | undefined;
  let endedAt = Number.NEGATIVE_INFINITY;
  let pauseMilliseconds = 0;
  let hasFound = false;

  /** True if there is more to do. */
  async function pass(): Promise<boolean> {
    const begunAt = performance.now();
    try {
      hasFound = await store.isEventWaiting();
      if (!hasFound) return false;
      const hasMore = await store.sequenceEvents(clock.now(), batchLimit);
      onSequenced?.();
      return hasMore;
    } finally {
      endedAt = performance.now();
      pauseMilliseconds = Math.min((endedAt - begunAt) / shareOfTime, longestPauseMilliseconds);
    }
  }

  function start(): Promise<boolean> {
    running = pass().finally(() => (running = undefined));
    return running;
  }

  /**
   * After this, every event that was committed before the call is in the log, unless more than a batch waited. A pass
   * in progress may have missed such an event, so callers that arrive during a pass share the next one.
   */
  function sequence(): Promise<boolean> {
    if (!running) return start();
    next ??= running
      .catch(() => false)
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  }

  return {
    sequence,
    /** One run of the background work. True if the last pass found something. */
    async run(): Promise<boolean> {
      if (performance.now() - endedAt < pauseMilliseconds) return hasFound;
      while (await sequence());
      return hasFound;
    },
  };
}
