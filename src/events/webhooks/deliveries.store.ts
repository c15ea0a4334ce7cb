/** The statements about deliveries and the leases under which they are made. */
import { array, type Database, type DatabaseTransaction } from '../../db/database.ts';
import { eventColumns } from '../event-log.store.ts';
import type { LoggedEvent } from '../event.ts';
import { deliveryStates, type DeliveryState } from './delivery-state.ts';
import { recordChange, type AuditedChange } from './endpoints.store.ts';

interface DueEndpoint {
  endpointId: number;
  oldestDueAt: Date;
}

export interface DueDelivery {
  id: number;
  attempts: number;
  event: LoggedEvent;
}

/** The outcome of a try. */
export interface DeliveryOutcome {
  id: number;
  state: DeliveryState;
  attempts: number;
  /** When the next try is due. */
  dueAt?: Date;
  attemptedAt: Date;
  status?: number | undefined;
  error?: string | undefined;
  answer?: string | undefined;
  /** Whether the last try failed. */
  isExhausted: boolean;
}

export interface MarkRequest {
  endpointId: number;
  epoch: string;
  outcomes: readonly DeliveryOutcome[];
  failingSince: Date | null;
  disableReason: string | undefined;
  now: Date;
}

export interface Lease {
  endpointId: number;
  /** A bigint, as text. */
  epoch: string;
  isSurplus: boolean;
  /** Whether a delivery is due. */
  hasDue: boolean;
}

export interface Delivery {
  eventId: string;
  type: string;
  state: DeliveryState;
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
  nextAttemptAt: Date | null;
}

/** With the details that only the operator's console shows. */
export interface DeliveryDetail {
  delivery: Delivery;
  lastAttemptAt: Date | null;
  lastAnswer: string | null;
  event: LoggedEvent;
}

export interface ReplayRequest extends AuditedChange {
  endpointId: number;
  /** By time, or by id. */
  range: { from: string; to: string; types: readonly string[] } | { eventIds: readonly string[] };
}

export type DeliveriesStore = ReturnType<typeof createDeliveriesStore>;

const replayedAtOnce = 10_000;
/** No replay begins while more deliveries of earlier replays to the endpoint are due. */
const replayedDueLimit = 10_000;
const batchLimit = 5000;

export function createDeliveriesStore(db: Database) {
  return {
    async lease(dispatcher: string, leaseSeconds: number, now: Date): Promise<Lease[]> {
      return db.write<Lease[]>`
        select l.endpoint_id as "endpointId", l.epoch::text, l.is_surplus as "isSurplus", exists (
          select from webhook_deliveries w
          where w.endpoint_id = l.endpoint_id and w.state = 'due' and w.due_at <= ${now}
        ) as "hasDue"
        from lease_endpoints(${dispatcher}::uuid, ${leaseSeconds}) l`;
    },

    /** Another process may take the lease immediately. */
    async release({ endpointId, epoch }: Pick<Lease, 'endpointId' | 'epoch'>): Promise<void> {
      await db.write`
        update webhook_leases set holder = null, held_until = '-infinity'
        where endpoint_id = ${endpointId} and epoch = ${epoch}::bigint`;
    },

    async leave(dispatcher: string): Promise<void> {
      await db.write`delete from webhook_dispatchers where id = ${dispatcher}::uuid`;
    },

    /** The endpoints that have due deliveries, and since when. */
    async findDue(endpointIds: readonly number[], now: Date): Promise<DueEndpoint[]> {
      return db.read<DueEndpoint[]>`
        select e.id as "endpointId", d.due_at as "oldestDueAt" from unnest(${array(endpointIds)}::int[]) as e (id)
        cross join lateral (
          select w.due_at from webhook_deliveries w
          where w.endpoint_id = e.id and w.state = 'due' and w.due_at <= ${now} order by w.due_at limit 1
        ) d`;
    },

    /** The deliveries that have been due longest first, without those that are being processed. */
    async readDue(endpointId: number, inHand: readonly number[], limit: number, now: Date): Promise<DueDelivery[]> {
      const rows = await db.read<({ deliveryId: number; attempts: number } & LoggedEvent)[]>`
        select d.id::float8 as "deliveryId", d.attempts, ${db.read.unsafe(eventColumns('e'))}
        from (
          select w.id, w.attempts, w.due_at, w.event_position from webhook_deliveries w
          where w.endpoint_id = ${endpointId} and w.state = 'due' and w.due_at <= ${now}
            and w.id <> all(${array(inHand)}::bigint[])
          order by w.due_at, w.id limit ${limit}
        ) d join events e on e.position = d.event_position
        order by d.due_at, d.id`;
      return rows.map(({ deliveryId, attempts, ...event }) => ({ id: deliveryId, attempts, event }));
    },

    /** False if the lease is lost: then nothing was written. */
    async mark({ endpointId, epoch, outcomes, failingSince, disableReason, now }: MarkRequest): Promise<boolean> {
      const [row] = await db.write`
        select mark_deliveries(of_endpoint => ${endpointId}, lease_epoch => ${epoch}::bigint, moment => ${now},
          outcomes => ${JSON.stringify(outcomes)}::text::jsonb, failing => ${failingSince},
          disable_reason => ${disableReason ?? null}) as is_marked`;
      return row!.is_marked;
    },

    async list(endpointId: number, state: DeliveryState | undefined, limit: number): Promise<DeliveryDetail[]> {
      const rows = await db.read<
        (Omit<Delivery, 'eventId'> & Omit<DeliveryDetail, 'delivery' | 'event'> & LoggedEvent)[]
      >`
        select d.state, d.attempts, d.last_status as "lastStatus", d.last_error as "lastError",
          case d.state when 'due' then d.due_at end as "nextAttemptAt", d.last_attempt_at as "lastAttemptAt",
          d.last_answer as "lastAnswer", ${db.read.unsafe(eventColumns('e'))}
        from (
          select x.* from unnest(${array(state ? storedStates(state) : deliveryStates)}::text[]) as s (state)
          cross join lateral (
            select w.id, w.event_position, w.attempts, w.last_status, w.last_error, w.last_attempt_at, w.last_answer,
              w.due_at, case when w.state = 'due' and not t.enabled then 'failed' else w.state end as state
            from webhook_deliveries w join webhook_endpoints t on t.id = w.endpoint_id
            where w.endpoint_id = ${endpointId} and w.state = s.state order by w.id desc limit ${limit}
          ) x
          where ${state ?? null}::text is null or x.state = ${state ?? null}
          order by x.id desc limit ${limit}
        ) d join events e on e.position = d.event_position
        order by d.id desc`;
      return rows.map(
        ({ state: shown, attempts, lastStatus, lastError, nextAttemptAt, lastAttemptAt, lastAnswer, ...event }) => ({
          delivery: {
            eventId: event.id,
            type: event.type,
            state: shown,
            attempts,
            lastStatus,
            lastError,
            nextAttemptAt,
          },
          lastAttemptAt,
          lastAnswer,
          event,
        }),
      );
    },

    /**
     * Queues events again, as new deliveries, and returns how many; undefined if too many of earlier replays are still
     * due. It works in batches, so that a long range locks nothing for long. The first is recorded in the audit.
     */
    async replay(request: ReplayRequest): Promise<number | undefined> {
      const [end] = await db.read`select last_position::float8 as last_position from event_log`;
      let batch = await db.transaction(async (sql) => {
        // Replays of one endpoint wait here, so that they cannot exceed the limit together.
        await sql`select from webhook_endpoints where id = ${request.endpointId} for no key update`;
        if ((await countReplayed(sql, request.endpointId)) > replayedDueLimit) return undefined;
        const first = await queueBatch(sql, request, 0, end!.last_position);
        await recordChange(sql, 'replay-webhook-events', request.endpointId, request);
        return first;
      });
      if (!batch) return undefined;
      let total = batch.count;
      while (batch.count >= replayedAtOnce) {
        batch = await queueBatch(db.write, request, batch.last, end!.last_position);
        total += batch.count;
      }
      return total;
    },

    /** Marks due deliveries of a disabled endpoint as failed. */
    async failDue(endpointId: number): Promise<void> {
      await inBatches(async () => {
        const [row] = await db.write`select fail_due_deliveries(${endpointId}, ${batchLimit}) as failed`;
        return row!.failed;
      });
    },

    /** Deleted endpoints that still have deliveries. */
    async findOrphaned(): Promise<number[]> {
      // Uses the index to skip from one endpoint to the next, since an endpoint may have millions of deliveries.
      const rows = await db.read`
        with recursive named as (
          select min(endpoint_id) as id from webhook_deliveries
          union all
          select (select min(d.endpoint_id) from webhook_deliveries d where d.endpoint_id > n.id) from named n
          where n.id is not null
        )
        select n.id from named n
        where n.id is not null and not exists (select from webhook_endpoints e where e.id = n.id)`;
      return rows.map(({ id }) => id);
    },

    /** Those that retention removes with their events are skipped: it locks them in another order. */
    async removeOfEndpoint(endpointId: number): Promise<void> {
      await inBatches(async () => {
        const rows = await db.write`
          delete from webhook_deliveries where id = any(array(
            select id from webhook_deliveries where endpoint_id = ${endpointId} limit ${batchLimit}
            for update skip locked
          )) returning 1`;
        return rows.length;
      });
    },
  };
}

/** Repeats a statement until it finds less than a batch. */
async function inBatches(runBatch: () => Promise<number>): Promise<void> {
  while ((await runBatch()) >= batchLimit);
}

/** A due delivery of a disabled endpoint counts as failed. */
function storedStates(state: DeliveryState): DeliveryState[] {
  return state === 'failed' ? ['failed', 'due'] : [state];
}

async function countReplayed(sql: DatabaseTransaction, endpointId: number): Promise<number> {
  const [row] = await sql`
    select count(*)::int as count from (
      select from webhook_deliveries where endpoint_id = ${endpointId} and state = 'due' and is_replay
      limit ${replayedDueLimit + 1}
    ) due`;
  return row!.count;
}

/** Queues the events after a position, up to the end of the log as it was when the replay began. */
async function queueBatch(
  sql: Pick<DatabaseTransaction, 'unsafe'>,
  { endpointId, range, now }: ReplayRequest,
  after: number,
  end: number,
): Promise<{ count: number; last: number }> {
  const byIds = 'eventIds' in range;
  const wanted = byIds
    ? 'id = any($5::uuid[])'
    : `at >= $5::text::timestamptz and at <= $6::text::timestamptz and ($7::text[] = '{}' or type = any($7::text[]))`;
  const [row] = await sql.unsafe(
    `with batch as (
       select position from events where position > $3 and position <= $4 and ${wanted}
       order by position limit ${replayedAtOnce}
     ), queued as (
       insert into webhook_deliveries (endpoint_id, event_position, due_at, is_replay)
       select $1::int, position, $2::timestamptz, true from batch order by position
     )
     select count(*)::int as count, max(position)::float8 as last from batch`,
    [endpointId, now, after, end, ...(byIds ? [array(range.eventIds)] : [range.from, range.to, array(range.types)])],
  );
  return { count: row!.count, last: row!.last };
}
