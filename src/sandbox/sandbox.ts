/** The sandbox's own controls: its inbox, its clock, and emptying it. */
import type { ServiceClock } from '../clock.ts';
import type { Inbox } from '../sms/inbox.ts';
import type { SandboxStore } from './sandbox.store.ts';

export interface ClockReading {
  now: Date;
  aheadSeconds: number;
}

export type Sandbox = ReturnType<typeof createSandbox>;

/** `forget` drops what the process remembers of the database. */
export function createSandbox(
  store: SandboxStore,
  clock: ServiceClock,
  inbox: Inbox,
  forget: () => Promise<void> | void,
) {
  return {
    inbox,

    async advanceClock(seconds: number, most: number): Promise<ClockReading | undefined> {
      const ahead = await store.advanceClock(seconds, most);
      if (ahead === undefined) return undefined;
      // Of two answers that overtake each other the later clock is the right one.
      clock.aheadSeconds = Math.max(clock.aheadSeconds, ahead);
      return { now: clock.now(), aheadSeconds: ahead };
    },

    async resetClock(): Promise<void> {
      clock.aheadSeconds = 0;
      await store.resetClock(clock.now());
      await forget();
    },

    async empty(): Promise<void> {
      await store.empty();
      inbox.clear();
      clock.aheadSeconds = 0;
      await forget();
    },
  };
}
