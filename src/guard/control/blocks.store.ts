/** The statements that list and lift blocks. The one that lifts records who did it. */
import type { Database, Sql, Statement } from '../../db/database.ts';
import { callRecordAction } from '../../db/record-action.ts';
import type { Operator } from '../../audit/operator-actions.ts';
import type { Owner } from '../../sharing/slots.ts';

export interface Block {
  /** The id that a lift uses. It does not reveal a phone number, and identifies a single block. */
  id: string;
  rule: string;
  /** Who is blocked: a user's id, an address, a token's person, a prefix, a masked number. */
  subject: string;
  /** The users it refuses; null if it refuses everybody. */
  userIds: number[] | null;
  until: Date;
}

/** `phone` and `source` are all blocks and counts of a key, the others are one block each. */
export type LiftTarget =
  | { userId: number }
  | { confirmationsOf: number }
  | { phoneKey: Buffer; label: string }
  | { source: Buffer; label: string }
  | { code: Buffer }
  | { prefix: string }
  | { blockedPhoneKey: Buffer };

export interface Lifted {
  /** How many users, phones, sources, codes or ranges have nothing counted any more. */
  lifted: number;
  /** Whether a block was in force. If not, only counters were reset. */
  wasBlocked: boolean;
}

export function createBlocksStore(db: Database) {
  return {
    async listBlocks(now: Date, limit: number, owner?: Owner): Promise<Block[]> {
      return db.long((sql) => selectBlocks(sql, now, limit), owner);
    },

    /** Removes the block, if there is one, with everything that was counted for it. */
    async liftBlock(target: LiftTarget, who: Operator, now: Date): Promise<Lifted> {
      const userId = 'userId' in target ? target.userId : 'confirmationsOf' in target ? target.confirmationsOf : null;
      // The lift is also written to the user's trail, so that the trail does not show the block as still in force.
      const rows = await db.write`
        with lifted as (${liftStatement(db.write, target, now)}), trail as (
          insert into verification_events (user_id, at, kind, reason, times)
          select l.user_id, ${now}::timestamptz, 'block-lifted', ${who.subject}::text, 1 from lifted l
          where l.user_id is not null
        )
        select l.blocked_until > ${now}::timestamptz as was_blocked,
          case when l.until is not null
            then write_event('phone.block_lifted', l.user_id, ${now}::timestamptz, block_data(l.until, l.rule)) end,
          ${callRecordAction(db.write, { who, now, action: 'lift', target: labelOf(target), userId })}
        from lifted l`;
      return { lifted: rows.length, wasBlocked: rows.some(({ was_blocked }) => was_blocked === true) };
    },
  };
}

function selectBlocks(sql: Sql, now: Date, limit: number): Statement<Block[]> {
  return sql<Block[]>`
    select id, rule, subject, to_json(users) as "userIds", blocked_until as until from (
      (select 'user:' || user_id as id, 'user-failures' as rule, user_id::text as subject,
        null::int[] as users, greatest(blocked_until, change_blocked_until) as blocked_until
      from verifications where blocked_until > ${now} or change_blocked_until > ${now} order by 5 desc limit ${limit})
      union all
      (select 'confirmations:' || user_id, 'confirmation-failures', user_id::text, null, confirmations_blocked_until
      from verifications where confirmations_blocked_until > ${now}
      order by confirmations_blocked_until desc limit ${limit})
      union all
      (select 'phone:' || encode(key, 'hex'), 'phone-failures', label,
        array(select distinct f.user_id from unnest(failures) f order by f.user_id), blocked_until
      from phone_sends where blocked_until > ${now} order by blocked_until desc limit ${limit})
      union all
      (select kind || ':' || encode(key, 'hex'), kind || '-failures', label, null, blocked_until
      from guard_sources where blocked_until > ${now} order by blocked_until desc limit ${limit})
      union all
      (select 'code:' || encode(key, 'hex'), 'one-code', cardinality(users) || ' users', null, blocked_until
      from guard_codes where blocked_until > ${now} order by blocked_until desc limit ${limit})
      union all
      (select 'prefix:' || name, 'prefix', case when name like '%+%' then name || '…' else name end, null,
        limited_until
      from guard_ranges where limited_until > ${now} order by limited_until desc limit ${limit})
    ) blocks order by blocked_until desc, id limit ${limit}`;
}

/**
 * Returns `user_id`, `until` and `rule` of the block whose event was written, or nulls if there was none; and
 * `blocked_until`, the end of the block, whether it had an event or not.
 */
function liftStatement(sql: Sql, target: LiftTarget, now: Date): Statement {
  const noUser = sql`null::int as user_id, null::timestamptz as until, null as rule`;
  if ('userId' in target) {
    // Write the lift event only if the block event was written.
    return sql`
      update verifications v set
        failures = '{}', blocked_until = null, change_failures = '{}', change_blocked_until = null,
        sends = '{}', phones = '{}', confirmation_sends = '{}', bound_confirmation_sends = '{}',
        confirmation_failures = '{}', confirmations_blocked_until = null
      from (
        select user_id, blocked_until, reported_block_until, change_blocked_until, reported_change_block_until,
          confirmations_blocked_until
        from verifications where user_id = ${target.userId} for update
      ) b
      where v.user_id = b.user_id
      returning v.user_id, greatest(
        case when b.blocked_until > ${now}::timestamptz and b.reported_block_until = b.blocked_until
          then b.blocked_until end,
        case when b.change_blocked_until > ${now}::timestamptz
          and b.reported_change_block_until = b.change_blocked_until then b.change_blocked_until end) as until, 'user-failures' as rule,
        greatest(b.blocked_until, b.change_blocked_until, b.confirmations_blocked_until) as blocked_until`;
  }
  if ('confirmationsOf' in target) {
    return sql`
      update verifications v set confirmation_failures = '{}', confirmations_blocked_until = null
      from (
        select user_id, confirmations_blocked_until as until from verifications
        where user_id = ${target.confirmationsOf} and confirmations_blocked_until > ${now}::timestamptz for update
      ) b
      where v.user_id = b.user_id
      returning v.user_id, b.until, 'confirmation-failures' as rule, b.until as blocked_until`;
  }
  if ('phoneKey' in target) {
    return sql`
      update phone_sends p set sends = '{}', users = '{}', proven = '{}', failures = '{}', blocked_until = null
      from (select key, blocked_until from phone_sends where key = ${target.phoneKey} for update) b
      where p.key = b.key returning ${noUser}, b.blocked_until`;
  }
  if ('blockedPhoneKey' in target) {
    return sql`
      update phone_sends p set failures = '{}', blocked_until = null
      from (
        select key, blocked_until from phone_sends
        where key = ${target.blockedPhoneKey} and blocked_until > ${now}::timestamptz for update
      ) b
      where p.key = b.key returning ${noUser}, b.blocked_until`;
  }
  if ('source' in target) {
    return sql`
      update guard_sources s set sends = '{}', failures = '{}', blocked_until = null
      from (select key, blocked_until from guard_sources where key = ${target.source} for update) b
      where s.key = b.key returning ${noUser}, b.blocked_until`;
  }
  if ('code' in target)
    return sql`delete from guard_codes where key = ${target.code} returning ${noUser}, blocked_until`;
  // The normal sums of the range are kept. Because of `refused_at`, older refusals of other processes are ignored: see
  // exchange_ranges.
  return sql`
    update guard_ranges r set unverified = 0, day_sends = 0, hour_sends = 0, hour_verified = 0, failed = 0,
      shrinks = 0, refused_at = ${now}::timestamptz, limited_until = null
    from (select name, limited_until from guard_ranges where name = ${target.prefix} for update) b
    where r.name = b.name returning ${noUser}, b.limited_until as blocked_until`;
}

/** The text that the audit shows. */
function labelOf(target: LiftTarget): string {
  if ('userId' in target) return `user ${target.userId}`;
  if ('confirmationsOf' in target) return `confirmations of user ${target.confirmationsOf}`;
  if ('phoneKey' in target) return `phone ${target.label}`;
  if ('blockedPhoneKey' in target) return `phone ${target.blockedPhoneKey.toString('hex', 0, 4)}`;
  if ('source' in target) return target.label;
  return 'code' in target ? 'a code' : `prefix ${target.prefix}`;
}
