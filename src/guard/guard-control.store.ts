/**
 * The statements of guard control: modes, blocks, safe list, decisions, actions. Lists run on connections of their
 * own, so that no request of a user waits behind them.
 */
import type { Database } from '../db/database.ts';
import type { OperatorActionName } from '../operator-actions.ts';
import type { Owner } from '../slots.ts';
import type { RuleMode } from './rules.ts';

export interface Operator {
  subject: string;
  client: string;
  /** Why the operator acts, in the operator's words. */
  reason?: string | undefined;
}

export interface Block {
  /** What `lift` takes. It says nothing about a phone, and names one block only. */
  id: string;
  rule: string;
  /** Whom it holds: a user's id, an address, a token's person, a prefix, a masked number. */
  subject: string;
  /** Users it refuses, where it does not refuse everybody. */
  userIds: number[] | null;
  until: Date;
}

export interface SafeEntry {
  id: string;
  /** The prefix, or the masked number. */
  label: string;
  isPrefix: boolean;
  addedAt: Date;
  addedBy: string;
}

export interface DecisionFilter {
  rule: string | undefined;
  action: string | undefined;
  userId: number | undefined;
  /** Only decisions with a smaller id. */
  before: number | undefined;
  limit: number;
}

export interface ActionFilter {
  subject?: string | undefined;
  action?: string | undefined;
  userId?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** Only actions with a smaller id. */
  before?: number | undefined;
  limit: number;
}

export interface OperatorAction {
  id: number;
  at: Date;
  subject: string;
  client: string;
  action: string;
  target: string;
  detail: string | null;
  reason: string | null;
  userId: number | null;
}

export type LiftTarget =
  | { userId: number }
  | { phone: Buffer; label: string }
  | { source: Buffer; label: string }
  | { code: Buffer }
  | { prefix: string }
  | { blockedPhone: Buffer };

/** The statement that does something also records who did it, and writes the event. */
const acted = (condition: string) => `
  insert into operator_actions (acted_at, subject, client, action, target, detail, user_id, reason)
  select $1::timestamptz, $2, $3, $4, $5, $6, $7::int, $8
  from (
    select write_event('operator.acted', $7::int, $1::timestamptz,
      json_build_object('action', $4::text, 'actor', $2::text, 'target', $5::text))
    where ${condition}
  ) event`;

export type GuardControlStore = ReturnType<typeof createGuardControlStore>;

export function createGuardControlStore(db: Database) {
  const act = (condition: string, now: Date, who: Operator, action: string, target: string, more: Extra = {}) =>
    ({
      text: acted(condition),
      parameters: [
        now,
        who.subject,
        who.client,
        action,
        target,
        more.detail ?? null,
        more.userId ?? null,
        who.reason ?? null,
      ],
    }) as const;

  return {
    async readModes(owner?: Owner): Promise<{ rule: string; mode: RuleMode; changedAt: Date; changedBy: string }[]> {
      const rows = await db.long((sql) => sql`select rule, mode, changed_at, changed_by from guard_modes`, owner);
      return rows.map(({ rule, mode, changed_at, changed_by }) => ({
        rule,
        mode,
        changedAt: changed_at,
        changedBy: changed_by,
      }));
    },

    /** Without a mode the rule is as configured again. */
    async setMode(rule: string, mode: RuleMode | undefined, who: Operator, now: Date): Promise<void> {
      const { text, parameters } = act('true', now, who, 'set-mode', rule, { detail: mode ?? 'configured' });
      await db.write.unsafe(
        `with done as (${text}), gone as (delete from guard_modes where rule = $5 and $9::text is null)
         insert into guard_modes (rule, mode, changed_at, changed_by)
         select $5, $9, $1::timestamptz, $2 where $9::text is not null
         on conflict (rule) do update set
           mode = excluded.mode, changed_at = excluded.changed_at, changed_by = excluded.changed_by`,
        [...parameters, mode ?? null],
      );
    },

    async listBlocks(now: Date, limit: number, owner?: Owner): Promise<Block[]> {
      const rows = await db.long(
        (sql) => sql`
        select id, rule, subject, users, blocked_until from (
          (select 'user:' || user_id as id, 'user-failures' as rule, user_id::text as subject,
            null::int[] as users, blocked_until
          from verifications where blocked_until > ${now} order by blocked_until desc limit ${limit})
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
          (select 'prefix:' || name, 'prefix', case when name like '+%' then name || '…' else name end, null,
            limited_until
          from guard_ranges where limited_until > ${now} order by limited_until desc limit ${limit})
        ) blocks order by blocked_until desc, id limit ${limit}`,
        owner,
      );
      return rows.map(({ id, rule, subject, users, blocked_until }) => ({
        id,
        rule,
        subject,
        userIds: users === null ? null : asNumbers(users),
        until: blocked_until,
      }));
    },

    /** Takes back what was counted along with the block. How many were lifted. */
    async lift(target: LiftTarget, who: Operator, now: Date): Promise<number> {
      const { statement, value, label, userId } = liftStatement(target);
      const { text, parameters } = act('exists (select from lifted)', now, who, 'lift', label, { userId });
      // The user's trail shows it too, so that nobody reads the block as standing.
      const rows = await db.write.unsafe(
        `with lifted as (${statement}), told as (
           select write_event('phone.block_lifted', $7::int, $1::timestamptz, block_data(l.until))
           from lifted l where l.until is not null
         ), done as (${text}), noted as (
           insert into verification_events (user_id, at, kind, reason, times)
           select $7::int, $1::timestamptz, 'block-lifted', $2, 1 where $7::int is not null and exists (select from lifted)
         )
         select (select count(*) from lifted)::int as lifted, (select count(*) from told) as told`,
        [...parameters, value],
      );
      return rows[0]!.lifted;
    },

    async listSafe(owner?: Owner): Promise<SafeEntry[]> {
      const rows = await db.long(
        (sql) => sql`select key, label, is_prefix, added_at, added_by from guard_safe order by added_at desc, key`,
        owner,
      );
      return rows.map(({ key, label, is_prefix, added_at, added_by }) => ({
        id: key,
        label,
        isPrefix: is_prefix,
        addedAt: added_at,
        addedBy: added_by,
      }));
    },

    /** False when the list is full. Adding what stands there changes nothing. */
    async addSafe(
      { key, label, isPrefix }: { key: string; label: string; isPrefix: boolean },
      limit: number,
      who: Operator,
      now: Date,
    ): Promise<boolean> {
      const { text, parameters } = act('exists (select from added)', now, who, 'add-safe', label);
      const [row] = await db.write.unsafe(
        `with added as (
           insert into guard_safe (key, label, is_prefix, added_at, added_by)
           select $9::text, $5, $10::boolean, $1::timestamptz, $2
           where (select count(*) from guard_safe) < $11::int
           on conflict (key) do nothing returning key
         ), done as (${text})
         select exists (select from added) or exists (select from guard_safe where key = $9::text) as there`,
        [...parameters, key, isPrefix, limit],
      );
      return row!.there;
    },

    async removeSafe(key: string, who: Operator, now: Date): Promise<boolean> {
      const rows = await db.write.unsafe(
        `with removed as (delete from guard_safe where key = $5 returning label)
         select record_action($1, $2, $3, $4, r.label, null, null, null) from removed r`,
        [now, who.subject, who.client, 'remove-safe', key],
      );
      return rows.length === 1;
    },

    async recordAction(
      who: Operator,
      action: OperatorActionName,
      target: string,
      userId: number | undefined,
      now: Date,
    ): Promise<void> {
      const { subject, client, reason = null } = who;
      await db.write`
        select record_action(${now}, ${subject}, ${client}, ${action}, ${target}, null, ${userId ?? null}, ${reason})`;
    },

    async readDecisions({ rule, action, userId, before, limit }: DecisionFilter, owner?: Owner) {
      // Some rules decide often and others hardly ever: only a plan for the given values finds the right index.
      const rows = await db.planned((sql) => {
        const conditions = [
          sql`true`,
          ...(rule === undefined ? [] : [sql`and rule = ${rule}`]),
          ...(action === undefined ? [] : [sql`and action = ${action}`]),
          ...(userId === undefined ? [] : [sql`and user_id = ${userId}`]),
          ...(before === undefined ? [] : [sql`and id < ${before}`]),
        ];
        return sql`
            select id::float8 as id, decided_at, rule, action, operation, user_id, phone,
              encode(phone_key, 'hex') as phone_key, country, source, evidence
            from guard_decisions where ${conditions} order by id desc limit ${limit}`;
      }, owner);
      return rows.map(
        ({
          id,
          decided_at,
          rule: name,
          action: what,
          operation,
          user_id,
          phone,
          phone_key,
          country,
          source,
          evidence,
        }) => ({
          id: Number(id),
          at: decided_at as Date,
          rule: String(name),
          action: String(what),
          operation: String(operation),
          userId: Number(user_id),
          phone: phone as string | null,
          phoneKey: phone_key as string | null,
          country: country as string | null,
          source: source as string | null,
          evidence: evidence as string | null,
        }),
      );
    },

    async readTotals(since: Date, owner?: Owner): Promise<{ rule: string; action: string; decisions: number }[]> {
      const rows = await db.long(
        (sql) => sql`
          select rule, action, sum(decisions)::float8 as decisions from guard_totals where hour > ${since}
          group by rule, action`,
        owner,
      );
      return rows.map(({ rule, action, decisions }) => ({ rule, action, decisions }));
    },

    async readActions(filter: ActionFilter, owner?: Owner): Promise<OperatorAction[]> {
      const { subject: who, action: name, userId, from, to, before, limit } = filter;
      const rows = await db.long((sql) => {
        const conditions = [
          sql`true`,
          ...(who === undefined ? [] : [sql`and subject = ${who}`]),
          ...(name === undefined ? [] : [sql`and action = ${name}`]),
          ...(userId === undefined ? [] : [sql`and user_id = ${userId}`]),
          ...(from === undefined ? [] : [sql`and acted_at >= ${from}::text::timestamptz`]),
          ...(to === undefined ? [] : [sql`and acted_at <= ${to}::text::timestamptz`]),
          ...(before === undefined ? [] : [sql`and id < ${before}`]),
        ];
        return sql`
          select id::float8 as id, acted_at, subject, client, action, target, detail, reason, user_id
          from operator_actions where ${conditions} order by id desc limit ${limit}`;
      }, owner);
      return rows.map(({ id, acted_at, subject, client, action, target, detail, reason, user_id }) => ({
        id,
        at: acted_at,
        subject,
        client,
        action,
        target,
        detail,
        reason,
        userId: user_id,
      }));
    },
  };
}

interface Extra {
  detail?: string;
  userId?: number | undefined;
}

/** No event tells of this block. */
const noUntil = 'null::timestamptz as until';
const noFailures = "failures = '{}', blocked_until = null";
const noPhoneCounts = `sends = '{}', users = '{}', ${noFailures}`;

function liftStatement(target: LiftTarget): {
  statement: string;
  value: string | number | Buffer;
  label: string;
  userId: number | undefined;
} {
  if ('userId' in target) {
    return {
      // Only a block that an event has told of is told to be lifted.
      statement: `update verifications v set ${noFailures}, sends = '{}', phones = '{}'
        from (select user_id, blocked_until, told_block_until from verifications where user_id = $9::int for update) b
        where v.user_id = b.user_id
        returning case when b.blocked_until > $1::timestamptz and b.told_block_until = b.blocked_until
          then b.blocked_until end as until`,
      value: target.userId,
      label: `user ${target.userId}`,
      userId: target.userId,
    };
  }
  if ('phone' in target) {
    return {
      statement: `update phone_sends set ${noPhoneCounts} where key = $9::bytea returning ${noUntil}`,
      value: target.phone,
      label: `phone ${target.label}`,
      userId: undefined,
    };
  }
  if ('blockedPhone' in target) {
    return {
      statement: `update phone_sends set ${noFailures}
        where key = $9::bytea and blocked_until > $1::timestamptz returning ${noUntil}`,
      value: target.blockedPhone,
      label: `phone ${target.blockedPhone.toString('hex', 0, 4)}`,
      userId: undefined,
    };
  }
  if ('source' in target) {
    return {
      statement: `update guard_sources set sends = '{}', ${noFailures} where key = $9::bytea returning ${noUntil}`,
      value: target.source,
      label: target.label,
      userId: undefined,
    };
  }
  if ('code' in target) {
    return {
      statement: `delete from guard_codes where key = $9::bytea returning ${noUntil}`,
      value: target.code,
      label: 'a code',
      userId: undefined,
    };
  }
  return {
    // What is normal for the range stays known. By `refused_at` other processes' older
    // refusals are ignored: see exchange_ranges.
    statement: `update guard_ranges set unverified = 0, day_sends = 0, hour_sends = 0, hour_verified = 0, failed = 0,
      shrinks = 0, refused_at = $1::timestamptz, limited_until = null where name = $9::text returning ${noUntil}`,
    value: target.prefix,
    label: `prefix ${target.prefix}`,
    userId: undefined,
  };
}

/** The driver gives an array as its text. */
function asNumbers(text: string): number[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(Number);
}
