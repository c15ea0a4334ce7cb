/** The sandbox's own controls: its inbox, its clock, and emptying it. */
import type { ServiceClock } from '../clock.ts';
import type { Inbox } from '../sms/inbox.ts';
import type { SandboxStore } from './sandbox.store.ts';

export interface ClockReading {
  now: Date;
  aheadSeconds: number;
}

export interface SandboxParts {
  store: SandboxStore;
  clock: ServiceClock;
  inbox: Inbox;
  /** Drops what this process remembers of the database. */
  forget(): Promise<void> | void;
  /** Returns when the other processes have dropped it, too. */
  notifyOthers(): Promise<void>;
}

export type Sandbox = ReturnType<typeof createSandbox>;

export function createSandbox({ store, clock, inbox, forget, notifyOthers }: SandboxParts) {
  /** A reading that was begun before a change and ends after it must not undo it. */
  let changes = 0;

  return {
    inbox,

    async advanceClock(seconds: number, limit: number): Promise<ClockReading | undefined> {
      const ahead = await store.advanceClock(seconds, limit);
      if (ahead === undefined) return undefined;
      changes += 1;
      // Two answers may arrive in any order. The clock that is further ahead is right.
      clock.aheadSeconds = Math.max(clock.aheadSeconds, ahead);
      await notifyOthers();
      return { now: clock.now(), aheadSeconds: ahead };
    },

    async resetClock(): Promise<void> {
      changes += 1;
      clock.aheadSeconds = 0;
      await store.resetClock(clock.now());
      changes += 1;
      await forget();
      await notifyOthers();
    },

    async empty(): Promise<void> {
      await store.empty();
      changes += 1;
      clock.aheadSeconds = 0;
      await forget();
      await notifyOthers();
    },

    /** Takes the clock over from the database, where another process may have moved it. */
    async follow(): Promise<void> {
      const before = changes;
      const ahead = await store.readClock();
      if (changes === before) clock.aheadSeconds = ahead;
    },
  };
}
