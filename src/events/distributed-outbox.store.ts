/** The outboxes if that of the users is distributed: see docs/decisions/0004-events.md. */
import type { Database } from '../db/database.ts';

export async function isDistributedEventWaiting(db: Database): Promise<boolean> {
  const [onCoordinator, onWorkers] = await Promise.all([
    db.write`select id from event_outbox limit 1`,
    db.write`select id from user_event_outbox limit 1`,
  ]);
  return onCoordinator.length + onWorkers.length > 0;
}

/**
 * True if there may be more. Events that a failure leaves in the outbox are found there and in the log by the next
 * call.
 */
export async function sequenceDistributedEvents(db: Database, now: Date, batchLimit: number): Promise<boolean> {
  const [row] = await db.write`
    select has_more, settled::text as settled from sequence_distributed_events(${now}, ${batchLimit})`;
  const { has_more: hasMore, settled } = row!;
  if (settled !== null) {
    // The time is compared too: after the sandbox was emptied, another event may have the same number.
    await db.write`
      delete from user_event_outbox o
      using json_to_recordset(${settled}::text::json) as s (user_id integer, id bigint, at timestamptz)
      where o.user_id = s.user_id and o.id = s.id and o.at = s.at`;
  }
  return hasMore;
}
