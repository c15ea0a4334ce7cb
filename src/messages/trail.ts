/** Keeps the trail of verifications: notes what happened, after the answer, and reads it back. */
import { secondsAfter, secondsBetween, type Clock } from '../clock.ts';
import { unknownUser } from '../errors.ts';
import type { Observation, Observe } from '../observe.ts';
import type { EventRow, TrailStore } from './trail.store.ts';

export interface TrailOptions {
  store: TrailStore;
  clock: Clock;
  observe: Observe;
  keepDays: number;
}

/** While the database is away, no more than this waits. */
const mostPending = 10_000;
/** Of what anybody may cause as often as they like, one row a minute says how often. */
const holdSeconds = 60;
const keySeconds = 86_400;
const mostRows = 200;

interface Note extends EventRow {
  /** When the last row like it was written. */
  writtenAt: Date | undefined;
  held: boolean;
}

export type Trail = ReturnType<typeof createTrail>;

export function createTrail({ store, clock, observe, keepDays }: TrailOptions) {
  const notes = new Map<string, Note>();
  let flushing: Promise<void> | undefined;

  function note(observation: Observation): void {
    const event = eventOf(observation);
    if (!event) return;
    const key = `${event.userId} ${event.kind} ${event.reason}`;
    const known = notes.get(key);
    if (known && known.times > 0) known.times += 1;
    else if (known) Object.assign(known, { times: 1, at: clock.now() });
    else if (notes.size < mostPending) {
      notes.set(key, { ...event, at: clock.now(), times: 1, writtenAt: undefined });
    }
  }

  /** Writes what is noted. What is held back waits for its minute, unless `all` is wanted. */
  async function flush(all = false): Promise<void> {
    await flushing;
    flushing = write(all);
    await flushing;
  }

  async function write(all: boolean): Promise<void> {
    const now = clock.now();
    const due = [...notes].filter(
      ([, { times, held, writtenAt }]) =>
        times > 0 && (all || !held || !writtenAt || secondsBetween(writtenAt, now) >= holdSeconds),
    );
    const rows = due.map(([, { userId, at, kind, reason, times }]) => ({ userId, at, kind, reason, times }));
    for (const [, one] of due) Object.assign(one, { times: 0, writtenAt: now });
    for (const [key, { times, held, writtenAt }] of notes) {
      if (times === 0 && (!held || secondsBetween(writtenAt!, now) >= holdSeconds)) notes.delete(key);
    }
    if (rows.length === 0) return;
    try {
      await store.recordEvents(rows);
    } catch {
      observe({ kind: 'trail-lost', events: rows.length });
    }
  }

  async function cleanUp(): Promise<void> {
    const now = clock.now();
    while (await store.removeOlder(secondsAfter(now, -keepDays * 86_400), secondsAfter(now, -keySeconds)));
  }

  return {
    note,
    flush,
    cleanUp,
    async read(userId: number): Promise<string> {
      await flush(true);
      const trail = await store.readTrail(userId, clock.now(), mostRows);
      if (trail === undefined) throw unknownUser();
      return trail;
    },
  };
}

/** What of all that happens belongs to a user's trail, beside the messages themselves. */
function eventOf(observation: Observation): (Omit<EventRow, 'at' | 'times'> & { held: boolean }) | undefined {
  switch (observation.kind) {
    case 'send-refused':
      return { userId: observation.userId, kind: observation.kind, reason: observation.reason, held: true };
    case 'verify-refused':
      return {
        userId: observation.userId,
        kind: observation.kind,
        reason: observation.reason,
        held: observation.reason === 'blocked',
      };
    case 'verified':
    case 'phone-unlinked':
      return { userId: observation.userId, kind: observation.kind, reason: null, held: false };
  }
  return undefined;
}
