/** The outboxes if that of the users is distributed: see docs/decisions/0004-events.md. */
import { array, type Database } from '../db/database.ts';
import { findAwayWorkers, isWorkerAway } from '../db/citus/workers.ts';

/** How long a worker that could not be reached is left out before it is tried again. */
const leftOutMilliseconds = 5000;

/** Events on workers that cannot be reached wait there; those of the others are logged. */
export function createDistributedOutbox(db: Database) {
  let awayWorkers: readonly number[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function look(): Promise<void> {
    awayWorkers = await findAwayWorkers(db);
    lookedAt = performance.now();
  }

  /** Runs work again without the workers that it failed for. */
  async function withoutAway<T>(work: () => Promise<T>): Promise<T> {
    if (awayWorkers.length > 0 && performance.now() - lookedAt > leftOutMilliseconds) await look();
    try {
      return await work();
    } catch (error) {
      if (!isWorkerAway(error)) throw error;
      await look();
      if (awayWorkers.length === 0) throw error;
      return work();
    }
  }

  async function isEventWaiting(): Promise<boolean> {
    // Reading the outboxes of the other workers takes as long as logging them.
    if (awayWorkers.length > 0) return true;
    const [onCoordinator, onWorkers] = await Promise.all([
      db.write`select id from event_outbox limit 1`,
      db.write`select id from user_event_outbox limit 1`,
    ]);
    return onCoordinator.length + onWorkers.length > 0;
  }

  async function sequenceEvents(now: Date, batchLimit: number): Promise<boolean> {
    const [row] = await db.write`
      select has_more, settled::text as settled
      from sequence_reachable_events(${now}, ${batchLimit}, ${array(awayWorkers)}::int[])`;
    const { has_more: hasMore, settled } = row!;
    if (settled !== null) {
      const userIds = (JSON.parse(settled) as { user_id: number }[]).map(({ user_id }) => user_id);
      // The time is compared too: after the sandbox was emptied, another event may have the same number. The ids keep
      // the statement to the shards that have the rows.
      await db.write`
        delete from user_event_outbox o
        using json_to_recordset(${settled}::text::json) as s (user_id integer, id bigint, at timestamptz)
        where o.user_id = s.user_id and o.id = s.id and o.at = s.at
          and o.user_id = any(${array([...new Set(userIds)])}::int[])`;
    }
    return hasMore;
  }

  return {
    isEventWaiting: () => withoutAway(isEventWaiting),
    /**
     * True if there may be more. Events that a failure leaves in the outbox are found there and in the log by the next
     * call.
     */
    sequenceEvents: (now: Date, batchLimit: number) => withoutAway(() => sequenceEvents(now, batchLimit)),
  };
}
