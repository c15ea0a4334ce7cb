/** Lists events from a cursor on: every event exactly once, in the order of the log. */
import { daySeconds, secondsAfter, type Clock } from '../values/clock.ts';
import { invalidFields } from '../errors.ts';
import { readCursor, writeCursor, type Cursor } from './cursor.ts';
import { writeEvent } from './event.ts';
import type { EventFilter, EventLogStore, LogPage } from './event-log.store.ts';

export interface EventsRequest extends EventFilter {
  /** A cursor from an earlier answer; undefined for the oldest event that is kept. */
  after: string | undefined;
  limit: number;
}

export interface EventsReply {
  /** JSON texts. */
  events: string[];
  next: string;
}

export interface ListEventsOptions {
  store: EventLogStore;
  /** Moves committed events to the log. */
  sequence(): Promise<unknown>;
  clock: Clock;
  keepDays: number;
}

export type ListEvents = ReturnType<typeof createListEvents>;

function refuse(why: string): never {
  throw invalidFields({ After: [`The field After ${why}.`] });
}

export function createListEvents({ store, sequence, clock, keepDays }: ListEventsOptions) {
  return async function listEvents({ after, limit, ...filter }: EventsRequest): Promise<EventsReply> {
    const now = clock.now();
    const keptSince = secondsAfter(now, -keepDays * daySeconds);
    const cursor = after === undefined ? undefined : parseCursor(after, keptSince);
    await sequence();
    const afterPosition = cursor?.position ?? 0;
    // One event more than requested shows whether the page ends at the end of the log.
    const page = await store.readPage({ ...filter, afterPosition, keptSince, limit: limit + 1 });
    if (cursor) checkLog(cursor, page);
    const events = page.events.slice(0, limit);
    return { events: events.map(writeEvent), next: writeCursor(nextCursor(page, limit, now)) };
  };
}

function parseCursor(text: string, keptSince: Date): Cursor {
  const cursor = readCursor(text) ?? refuse('is not a value of next');
  return cursor.at > keptSince ? cursor : refuse('is older than the events that are kept');
}

/** A log that was emptied has another generation; a log that was restored from a backup may end before the cursor. */
function checkLog(cursor: Cursor, { generation, lastPosition }: LogPage): void {
  if (cursor.generation !== generation || cursor.position > lastPosition) refuse('belongs to a log that is gone');
}

function nextCursor({ generation, lastPosition, events }: LogPage, limit: number, now: Date): Cursor {
  const last = events.length > limit ? events[limit - 1]! : undefined;
  return last ? { generation, position: last.position, at: last.at } : { generation, position: lastPosition, at: now };
}
