/** Keeps the trail of verifications: notes what happened, writes it after the answer, and reads it back. */
import { secondsBetween, type Clock } from '../values/clock.ts';
import { causeOf, unknownUser } from '../errors.ts';
import { oneByOne } from '../sharing/one-by-one.ts';
import type { Observation, Observe } from '../monitoring/observe.ts';
import type { EventRow, TrailStore } from './trail.store.ts';

export interface TrailOptions {
  store: TrailStore;
  clock: Clock;
  observe: Observe;
}

/** Maximum number of events that wait to be written while the database is unavailable. */
const pendingLimit = 10_000;
/** Events that a caller can cause without limit are written at most once a minute, with a count. */
const holdSeconds = 60;
const rowLimit = 200;

type NotedEvent = Omit<EventRow, 'at' | 'times'> & {
  /** Whether the event is written at most once in `holdSeconds`. */
  isHeld: boolean;
};

interface Note extends NotedEvent {
  /** When it happened first since the last row. */
  at: Date;
  /** How often it happened since the last row. */
  times: number;
  /** When the last such row was written. */
  writtenAt: Date | undefined;
}

export type Trail = ReturnType<typeof createTrail>;

export function createTrail({ store, clock, observe }: TrailOptions) {
  const notes = new Map<string, Note>();
  let lostEvents = 0;

  function note(observation: Observation): void {
    const event = eventOf(observation);
    if (!event) return;
    const key = `${event.userId} ${event.kind} ${event.reason}`;
    const known = notes.get(key);
    if (known && known.times > 0) known.times += 1;
    else if (known) Object.assign(known, { times: 1, at: clock.now() });
    else if (notes.size < pendingLimit) notes.set(key, { ...event, at: clock.now(), times: 1, writtenAt: undefined });
    else lostEvents += 1;
  }

  /** Writes the events that are due; with `all`, also those that would wait for the end of their minute. */
  const flush = oneByOne((all?: boolean) => write(all ?? false));

  async function write(all: boolean): Promise<void> {
    reportLost();
    const now = clock.now();
    const due = [...notes.values()].filter((entry) => entry.times > 0 && (all || isDue(entry, now)));
    const rows = due.map(({ userId, at, kind, reason, times }) => ({ userId, at, kind, reason, times }));
    const writtenBefore = due.map(({ writtenAt }) => writtenAt);
    for (const entry of due) Object.assign(entry, { times: 0, writtenAt: now });
    if (rows.length > 0) {
      try {
        await store.recordEvents(rows);
      } catch (error) {
        observe({ kind: 'trail-unwritten', events: rows.length, reason: causeOf(error) });
        // They are due again at the next flush.
        for (const [index, entry] of due.entries()) {
          Object.assign(entry, {
            at: rows[index]!.at,
            times: entry.times + rows[index]!.times,
            writtenAt: writtenBefore[index],
          });
        }
      }
    }
    for (const [key, entry] of notes) if (entry.times === 0 && isDue(entry, now)) notes.delete(key);
  }

  function reportLost(): void {
    if (lostEvents > 0) observe({ kind: 'trail-lost', events: lostEvents });
    lostEvents = 0;
  }

  return {
    note,
    flush,
    async read(userId: number): Promise<string> {
      await flush(true);
      const trail = await store.readTrail(userId, clock.now(), rowLimit);
      if (trail === undefined) throw unknownUser();
      return trail;
    },
  };
}

function isDue({ isHeld, writtenAt }: Note, now: Date): boolean {
  return !isHeld || !writtenAt || secondsBetween(writtenAt, now) >= holdSeconds;
}

/** The events of a user's trail, in addition to the messages. */
function eventOf(observation: Observation): NotedEvent | undefined {
  switch (observation.kind) {
    case 'send-refused':
    case 'verify-refused':
    case 'confirmation-refused': {
      const { userId, kind, reason } = observation;
      return { userId, kind, reason, isHeld: kind === 'send-refused' || reason === 'blocked' };
    }
    case 'verified':
    case 'phone-changed':
    case 'confirmation-approved':
    case 'phone-unlinked':
      return { userId: observation.userId, kind: observation.kind, reason: null, isHeld: false };
  }
  return undefined;
}
