/** Statements that only the sandbox may run. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { errorCode, retryLostRace } from '../db/failures.ts';
import { databaseContended } from '../errors.ts';

/** The additionalData that marks the demo individual. */
export const demoMark = '{"demo":true}';

export type SandboxStore = ReturnType<typeof createSandboxStore>;

const until = (times: string) => `array(select t from unnest(${times}) t where t <= $1 order by t)`;
/** For arrays of records that have a time. */
const eventsUntil = (events: string) => `coalesce(
  (select array_agg(e order by e.at) from unnest(${events}) e where e.at <= $1), '{}')`;
const last = (times: string) => `${times}[cardinality(${times})]`;

/** Removes everything that is later than $1. */
const resetStatement = `
with clock as (update installation set clock_ahead_seconds = 0),
messages_ahead as (delete from messages where requested_at > $1),
events_ahead as (delete from verification_events where at > $1),
changes_ahead as (delete from phone_changes where changed_at > $1),
keys_ahead as (delete from send_keys where claimed_at > $1),
confirmations_ahead as (delete from confirmations where created_at > $1),
phones as (
  update phone_sends set
    sends = ${eventsUntil('sends')}, users = ${eventsUntil('users')}, failures = ${eventsUntil('failures')},
    proven = ${until('proven')},
    blocked_until = case when ${last('failures')}.at > $1 then null else blocked_until end
  where greatest(${last('sends')}.at, ${last('users')}.at, ${last('failures')}.at) > $1
),
sources as (
  update guard_sources set
    sends = ${until('sends')}, failures = ${until('failures')}, verified = ${until('verified')},
    blocked_until = case when ${last('failures')} > $1 then null else blocked_until end
  where greatest(${last('sends')}, ${last('failures')}, ${last('verified')}) > $1
),
codes as (delete from guard_codes where ${last('users')}.at > $1),
ranges as (delete from guard_ranges where summed_at > $1),
budgets as (delete from guard_budgets where day > $1::date),
rules as (delete from guard_fired_rules where reported_at > $1)
update verifications set
  sends = ${until('sends')}, phones = ${eventsUntil('phones')}, failures = ${until('failures')},
  blocked_until = case when ${last('failures')} > $1 then null else blocked_until end,
  confirmation_sends = ${until('confirmation_sends')},
  bound_confirmation_sends = ${until('bound_confirmation_sends')},
  confirmation_failures = ${until('confirmation_failures')},
  confirmations_blocked_until =
    case when ${last('confirmation_failures')} > $1 then null else confirmations_blocked_until end,
  latest_code = case when (latest_code).sent_at <= $1 then latest_code end, earlier_codes = '{}',
  change_failures = ${until('change_failures')},
  change_blocked_until = case when ${last('change_failures')} > $1 then null else change_blocked_until end,
  change_code = case when (change_code).sent_at <= $1 then change_code end, earlier_change_codes = '{}'
where ${last('sends')} > $1 or ${last('confirmation_sends')} > $1 or ${last('confirmation_failures')} > $1
  or ${last('failures')} > $1 or (latest_code).sent_at > $1
  or ${last('change_failures')} > $1 or (change_code).sent_at > $1`;

const emptiedTables = [
  ...['users', 'verifications', 'phone_links', 'phone_sends', 'messages', 'verification_events', 'send_keys'],
  ...['phone_changes', 'confirmations'],
  ...['guard_sources', 'guard_codes', 'guard_proofs', 'guard_ranges', 'guard_budgets', 'guard_modes', 'guard_safe'],
  ...['guard_decisions', 'guard_totals', 'guard_fired_rules', 'operator_actions', 'erased_users', 'sandbox_messages'],
  ...['transactions', 'transaction_details', 'transaction_history', 'transaction_blocks'],
  ...['event_counters', 'user_event_outbox', 'event_outbox', 'events'],
  ...['webhook_endpoints', 'webhook_secrets', 'webhook_leases', 'webhook_deliveries'],
].join(', ');

const lockNotAvailable = '55P03';
/**
 * Number of attempts that need all locks to be free at the same time; after that it waits for each lock for a while.
 */
const attemptsAtOnce = 50;
const attemptLimit = 100;
const emptyPauseMilliseconds = 20;
/** Less than the second after which PostgreSQL checks for deadlocks and would end a request that waits for this one. */
const lockWaitMilliseconds = 500;

async function emptyTables(sql: DatabaseTransaction, waits: boolean): Promise<void> {
  if (waits) await sql.unsafe(`set local lock_timeout = ${lockWaitMilliseconds}`);
  // Before the tables: the sequencer of events also locks this row first.
  await sql`update event_log set generation = gen_random_uuid(), last_position = 0`;
  await sql.unsafe(`lock table ${emptiedTables} in access exclusive mode ${waits ? '' : 'nowait'}`);
  await sql.unsafe(`truncate ${emptiedTables}`);
  // The ids of endpoints are not restarted: a request takes an id before it uses it.
  await sql`alter sequence user_ids restart`;
  await sql`update installation set clock_ahead_seconds = 0`;
}

/** Times in the future are moved back with the clock, so that the time until then stays the same. */
const resetWebhooks = `
  with clock as (select make_interval(secs => clock_ahead_seconds) as ahead from installation),
  deliveries as (
    update webhook_deliveries d set due_at = d.due_at - c.ahead from clock c where d.state = 'due' and d.due_at > $1
  ), leases as (
    update webhook_leases set failing_since = $1 where failing_since > $1
  )
  update webhook_secrets s set expires_at = s.expires_at - c.ahead from clock c where s.expires_at > $1`;

export function createSandboxStore(db: Database) {
  return {
    async readClock(): Promise<number> {
      const [row] = await db.write`select clock_ahead_seconds::float8 as seconds from installation`;
      return row?.seconds ?? 0;
    },

    /** Calls add up, even parallel ones. Undefined if the sum would exceed `limit`. */
    async advanceClock(seconds: number, limit: number): Promise<number | undefined> {
      const [row] = await db.write`
        update installation set clock_ahead_seconds = clock_ahead_seconds + ${seconds}
        where clock_ahead_seconds + ${seconds} <= ${limit}
        returning clock_ahead_seconds::float8 as seconds`;
      return row?.seconds;
    },

    /**
     * Otherwise codes, counters and blocks that were made while the clock was ahead would have times in the future. Other
     * requests lock some of these rows in another order. If that is a deadlock, the statement is run again.
     */
    async resetClock(realNow: Date): Promise<void> {
      await retryLostRace(() => db.write.unsafe(resetWebhooks, [realNow], { prepare: true }));
      await retryLostRace(() => db.write.unsafe(resetStatement, [realNow], { prepare: true }));
    },

    /**
     * Other requests lock the tables in another order, so waiting for one while holding the others would be a deadlock.
     * So it takes all locks together or none. After some tries it waits for each lock, so that continuous traffic
     * cannot delay it forever.
     */
    async empty(): Promise<void> {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await db.transaction((sql) => emptyTables(sql, attempt > attemptsAtOnce));
        } catch (error) {
          if (errorCode(error) !== lockNotAvailable) throw error;
          if (attempt === attemptLimit) throw databaseContended();
          await sleep(emptyPauseMilliseconds);
        }
      }
    },

    async hasDemo(userId: number): Promise<boolean> {
      const rows = await db.write`select from users where id = ${userId} and additional_data::text = ${demoMark}`;
      return rows.length === 1;
    },

    async isEmpty(): Promise<boolean> {
      const rows = await db.write`select from users limit 1`;
      return rows.length === 0;
    },
  };
}
