/** The controls of the sandbox: its inbox, its clock, and emptying it. */
import type { ServiceClock } from '../values/clock.ts';
import { createLatestRead } from '../sharing/latest-read.ts';
import type { Inbox } from '../sms/inbox.ts';
import type { SandboxStore } from './sandbox.store.ts';

interface ClockReading {
  now: Date;
  aheadSeconds: number;
}

interface SandboxParts {
  store: SandboxStore;
  clock: ServiceClock;
  inbox: Inbox;
  /** Drops what this process keeps in memory from the database. */
  forget(): Promise<void> | void;
  /** Returns when the other processes have dropped it too. */
  notifyOthers(): Promise<void>;
}

export type Sandbox = ReturnType<typeof createSandbox>;

export function createSandbox({ store, clock, inbox, forget, notifyOthers }: SandboxParts) {
  /** A read that started before a change and ends after it must not undo the change. */
  let changes = 0;
  /** Until a reset is committed, a read finds the clock as it was before. */
  let resetsUnderWay = 0;

  return {
    inbox,

    async advanceClock(seconds: number, limit: number): Promise<ClockReading | undefined> {
      const ahead = await store.advanceClock(seconds, limit);
      if (ahead === undefined) return undefined;
      changes += 1;
      // Two answers may arrive in any order. The larger offset is the right one.
      clock.aheadSeconds = Math.max(clock.aheadSeconds, ahead);
      await notifyOthers();
      return { now: clock.now(), aheadSeconds: ahead };
    },

    async resetClock(): Promise<void> {
      changes += 1;
      resetsUnderWay += 1;
      clock.aheadSeconds = 0;
      try {
        await store.resetClock(clock.now());
      } finally {
        resetsUnderWay -= 1;
        changes += 1;
      }
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

    /** Reads the clock from the database, where another process may have moved it. */
    follow: createLatestRead(
      async () => ({ before: changes, ahead: await store.readClock() }),
      ({ before, ahead }) => {
        if (changes === before && resetsUnderWay === 0) clock.aheadSeconds = ahead;
      },
    ),
  };
}
