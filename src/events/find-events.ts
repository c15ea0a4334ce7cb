/** Searches the log, newest first, for the operator's console. */
import type { Owner } from '../sharing/slots.ts';
import { writeEvent } from './event.ts';
import type { EventLogStore, EventSearch } from './event-log.store.ts';

export type FindEvents = ReturnType<typeof createFindEvents>;

export function createFindEvents(store: EventLogStore, sequence: () => Promise<unknown>) {
  /** JSON texts. */
  return async function findEvents(search: EventSearch, owner: Owner): Promise<string[]> {
    await sequence();
    return (await store.findEvents(search, owner)).map(writeEvent);
  };
}
