/** The statements about the outboxes and the log. */
import { array, type Database } from '../db/database.ts';
import { createDistributedOutbox } from './distributed-outbox.store.ts';
import type { EventType } from './catalogue.ts';
import type { LoggedEvent } from './event.ts';
import type { Owner } from '../sharing/slots.ts';

export interface EventFilter {
  /** Any of these; undefined for all. */
  types: readonly string[] | undefined;
  userId: number | undefined;
}

export interface PageRequest extends EventFilter {
  afterPosition: number;
  /** Older events have expired, even if they have not been removed yet. */
  keptSince: Date;
  limit: number;
}

export interface EventSearch extends EventFilter {
  from: string | undefined;
  to: string | undefined;
  /** The id of the event before which the page begins. */
  before: string | undefined;
  limit: number;
}

export interface LogPage {
  generation: string;
  /** The end of the log as the page saw it. */
  lastPosition: number;
  events: LoggedEvent[];
}

export type EventLogStore = ReturnType<typeof createEventLogStore>;

/** The members of a `LoggedEvent`, from this table. */
export const eventColumns = (table: string) =>
  `${table}.position::float8 as position, ${table}.id, ${table}.type, ${table}.at, ${table}.user_id as "userId",
   ${table}.sequence, ${table}.data::text as data`;

const columns = 'e.position, e.id, e.type, e.at, e.user_id, e.sequence, e.data';
const inPage = 'e.position > $1 and e.at > $2 order by e.position limit $3';

/**
 * One statement for each kind of filter, since a plan is made once and kept. $4 is the user, the last parameter the
 * types.
 */
const pages = {
  all: `select ${columns} from events e where ${inPage}`,
  user: `select ${columns} from events e where e.user_id = $4 and ${inPage}`,
  userAndTypes: `select ${columns} from events e where e.user_id = $4 and e.type = any($5::text[]) and ${inPage}`,
  // Each type is read by its own index: a rare type is found without reading the others.
  types: `select e.* from unnest($4::text[]) as wanted (type)
    cross join lateral (select ${columns} from events e where e.type = wanted.type and ${inPage}) e
    order by e.position limit $3`,
};

function pageOf({ types, userId }: EventFilter): { text: string; parameters: (string | number)[] } {
  if (userId !== undefined) {
    return types
      ? { text: pages.userAndTypes, parameters: [userId, array(types)] }
      : { text: pages.user, parameters: [userId] };
  }
  return types ? { text: pages.types, parameters: [array(types)] } : { text: pages.all, parameters: [] };
}

export function createEventLogStore(db: Database) {
  const distributed = db.isDistributed ? createDistributedOutbox(db) : undefined;

  return {
    /** Writes an event about no user that is not part of another statement. */
    async writeEvent(type: EventType, at: Date, data: string): Promise<void> {
      await db.write`select write_event(${type}, null, ${at}, ${data}::text::json)`;
    },

    /** Whether an event waits that is not `transactions.*` or `user.created`. On Citus, this asks no worker. */
    async isLocalEventWaiting(): Promise<boolean> {
      return (await db.write`select id from event_outbox limit 1`).length > 0;
    },

    /** Whether an outbox contains an event. It locks nothing, so that an idle service can check often. */
    async isEventWaiting(): Promise<boolean> {
      if (distributed) return distributed.isEventWaiting();
      const [row] = await db.write`
        select exists (select from event_outbox) or exists (select from user_event_outbox) as waiting`;
      return row!.waiting;
    },

    /** Moves events to the log. True if there may be more. */
    async sequenceEvents(now: Date, batchLimit: number): Promise<boolean> {
      if (distributed) return distributed.sequenceEvents(now, batchLimit);
      const [row] = await db.write`select sequence_events(${now}, ${batchLimit}) as moved`;
      return row!.moved >= batchLimit;
    },

    /** The page and the end of the log as one statement sees them. */
    async readPage(request: PageRequest): Promise<LogPage> {
      const { text, parameters } = pageOf(request);
      const rows = await db.read.unsafe<(Omit<LogPage, 'events'> & LoggedEvent)[]>(
        `select l.generation, l.last_position::float8 as "lastPosition", ${eventColumns('p')}
         from event_log l left join lateral (${text}) p on true order by p.position`,
        [request.afterPosition, request.keptSince, request.limit, ...parameters],
        { prepare: true },
      );
      const { generation, lastPosition } = rows[0]!;
      return { generation, lastPosition, events: rows.filter(({ id }) => id !== null) };
    },

    /** Newest first by time. Finding a rare type among many events may take long. */
    async findEvents({ types, userId, from, to, before, limit }: EventSearch, owner: Owner): Promise<LoggedEvent[]> {
      return db.long(
        (sql) => sql<LoggedEvent[]>`
          select ${sql.unsafe(eventColumns('e'))}
          from events e
          where e.at >= ${from ?? '-infinity'}::text::timestamptz and e.at <= ${to ?? 'infinity'}::text::timestamptz
            ${userId === undefined ? sql`` : sql`and e.user_id = ${userId}`}
            ${types ? sql`and e.type = any(${array(types)}::text[])` : sql``}
            ${before === undefined ? sql`` : sql`and (e.at, e.position) < (select b.at, b.position from events b where b.id = ${before}::uuid)`}
          order by e.at desc, e.position desc limit ${limit}`,
        owner,
      );
    },
  };
}
