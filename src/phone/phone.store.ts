/** The statements that decide about phones. Where two callers can race, one statement decides. */
import { secondsAfter } from '../clock.ts';
import { array, type Database } from '../db/database.ts';
import {
  noSource,
  type FailurePlan,
  type Need,
  type PrefixLimit,
  type SendPlan,
  type SharedNeeds,
  type Source,
} from './guard.ts';
import { windowStarts, type FailureRate } from './limits.ts';
import { insertMessage, messageParameters, type MessageRow } from './trail.store.ts';

/** A window's count and start, by slot. */
const count = (slot: number) => `($5::int[])[${slot}]`;
const since = (slot: number) => `($6::timestamptz[])[${slot}]`;
const enforced = (slot: number) => `($7::boolean[])[${slot}]`;

/** The moment that fills a window: the one `count` places from the end, if it is still inside. */
const filling = (times: string, slot: number) =>
  `case when ${times}[cardinality(${times}) - ${count(slot)} + 1] > ${since(slot)}
    then ${times}[cardinality(${times}) - ${count(slot)} + 1] end`;

/** The same over different values, each with its last moment: one that is inside already takes no place. */
const fillingAnew = (times: string, place: string, slot: number) =>
  `case when not coalesce(${times}[${place}] > ${since(slot)}, false) then ${filling(times, slot)} end`;

/** How many moments two windows need. */
const kept = (first: number, second: number) => `coalesce(greatest(${count(first)}, ${count(second)}), 0)`;

/** Appends a value and keeps the last `most`. */
const append = (list: string, value: string, most: string) =>
  `(${list} || ${value})[cardinality(${list}) + 2 - ${most} :]`;

/** Takes out what stands at a place; all stays where there is no such place. */
const without = (list: string, place: string) =>
  `coalesce(${list}[: ${place} - 1] || ${list}[${place} + 1 :], ${list})`;

/** The list with a value at its end, from wherever it stood. */
const moveToEnd = (list: string, place: string, value: string, most: string) =>
  append(without(list, place), value, most);

/** Where a moment stands; two calls may share it, and then only one goes. */
const placeOf = (times: string, moment: string) => `array_position(${times}, ${moment})`;

/** Where a user's moment stands in a phone's lists. */
const placeOfUser = (times: string, users: string, moment: string, user: string) =>
  `(select min(x.place) from unnest(${times}, ${users}) with ordinality as x (at, who, place)
    where x.at = ${moment} and x.who = ${user})::int`;

/** A user's own among the phone's sends. */
const ownSends = (row: string) =>
  `array(select x.at from unnest(${row}.sends, ${row}.senders) as x (at, who) where x.who = $1::int)`;

/** A list as it was locked; of a row that is not there yet, nothing. */
const known = (list: string, type: string) => `(coalesce(${list}, '{}'::${type}[]))`;

/** The different values with this one at the end, unless they are not counted or the send is not for the phone. */
const ifDifferent = (list: string, type: string, place: string, value: string, slot: number, unless: string) =>
  `case when ${unless} or ${count(slot)} is null then ${known(list, type)}
      else ${moveToEnd(known(list, type), place, value, count(slot))} end`;

/** Whether an enforced window is full. */
const ofVerdict = (...slots: number[]) =>
  slots.map((slot) => `(f.moments[${slot}] is not null and ${enforced(slot)})`).join(' or ');

/**
 * Counts a send for the user, the phone, the address and the token, or for none, and numbers the code.
 * Slots: 1, 2 user; 3, 4 phone; 5, 6 the user's share of the phone; 7, 8 address; 9, 10 token; 11 phones of
 * the user; 12 users of the phone. A phone that another user holds still draws on the user's budget and the
 * source's, so that nobody can look numbers up for free. $8 says that the send must not be let through.
 *
 * Rows are locked in one order, phone, sources, user, and what is shared is leased after that. A row that
 * was not there to be locked is only ever inserted: who finds it there after all has lost a race, is not
 * counted, and asks again. What a send does not need is left out, since every part costs.
 */
function reserveSendStatement(withSources: boolean, withLeases: boolean): string {
  return `
with person as (
  select id from users where id = $1::int
), held as materialized (
  select sends, senders, users, user_times, ${placeOf('users', '$1::int')} as place from phone_sends
  where phone = $2::text and coalesce(${count(3)}, ${count(4)}, ${count(12)}) is not null
  for update
)${
    withSources
      ? `, sources as materialized (
  select kind, sends from guard_sources
  where key in ($9::bytea, $10::bytea) and (select count(*) from held) >= 0
  order by key for update
)`
      : ''
  }, mine as materialized (
  select verified_phone, sends, sent_phone, phones, phone_times, ${placeOf('phones', '$2::text')} as place
  from verifications
  where user_id = $1::int and (select count(*) from ${withSources ? 'sources' : 'held'}) >= 0
  for update
), filled as materialized (
  select m.verified_phone is not null as verified,
    exists (select from phone_links where phone = $2::text and user_id <> $1::int) as other,
    array[
      ${filling('m.sends', 1)}, ${filling('m.sends', 2)},
      ${filling('h.sends', 3)}, ${filling('h.sends', 4)},
      ${filling('o.times', 5)}, ${filling('o.times', 6)},
      ${
        withSources
          ? `${filling('a.sends', 7)}, ${filling('a.sends', 8)}, ${filling('t.sends', 9)}, ${filling('t.sends', 10)}`
          : 'null, null, null, null'
      },
      ${fillingAnew('m.phone_times', 'm.place', 11)},
      ${fillingAnew('h.user_times', 'h.place', 12)}
    ] as moments
  from person
  left join mine m on true
  left join held h on true
  left join lateral (select ${ownSends('h')} as times) o on true
  ${
    withSources
      ? `left join sources a on a.kind = 'address'
  left join sources t on t.kind = 'token'`
      : ''
  }
), verdict as materialized (
  select f.*,
    not f.verified and not (${withSources ? ofVerdict(1, 2, 7, 8, 9, 10) : ofVerdict(1, 2)})
      and (f.other or not ($8::boolean or ${ofVerdict(3, 4, 5, 6, 11, 12)})) as allowed
  from filled f
)${withLeases ? leaseParts : ''}, cleared as materialized (
  select v.*, v.allowed ${withLeases ? leasesGranted : ''} as goes from verdict v
), counted as (
  insert into verifications as v (user_id, issued, sends, sent_phone, sent_correlation_type, phones, phone_times)
  select $1::int, 1, ${append(known('m.sends', 'timestamptz'), '$3::timestamptz', kept(1, 2))},
    case when other then m.sent_phone else $2::text end, $4::smallint,
    ${ifDifferent('m.phones', 'text', 'm.place', '$2::text', 11, 'other')},
    ${ifDifferent('m.phone_times', 'timestamptz', 'm.place', '$3::timestamptz', 11, 'other')}
  from cleared left join mine m on true where goes
  on conflict (user_id) do update set
    issued = v.issued + 1, sends = excluded.sends, sent_phone = excluded.sent_phone,
    sent_correlation_type = excluded.sent_correlation_type, phones = excluded.phones, phone_times = excluded.phone_times
  where exists (select from mine)
  returning v.issued
), phone_counted as (
  insert into phone_sends as b (phone, sends, senders, users, user_times)
  select $2::text, ${append(known('h.sends', 'timestamptz'), '$3::timestamptz', kept(3, 4))},
    ${append(known('h.senders', 'int'), '$1::int', kept(3, 4))},
    ${ifDifferent('h.users', 'int', 'h.place', '$1::int', 12, 'false')},
    ${ifDifferent('h.user_times', 'timestamptz', 'h.place', '$3::timestamptz', 12, 'false')}
  from counted, cleared left join held h on true
  where not other and coalesce(${count(3)}, ${count(4)}, ${count(12)}) is not null
  on conflict (phone) do update set
    sends = excluded.sends, senders = excluded.senders, users = excluded.users, user_times = excluded.user_times
  where exists (select from held)
  returning 1
)${
    withSources
      ? `, sources_counted as (
  insert into guard_sources as g (key, kind, label, sends)
  select s.key, s.kind, s.label, ${append(known('o.sends', 'timestamptz'), '$3::timestamptz', 's.most')}
  from counted, (select count(*) from phone_counted) as after_phone,
    (values ($9::bytea, 'address', $11::text, ${kept(7, 8)}), ($10::bytea, 'token', $12::text, ${kept(9, 10)}))
      as s (key, kind, label, most)
    left join sources o on o.kind = s.kind
  where s.key is not null and s.most > 0
  order by s.key
  on conflict (key) do update set sends = excluded.sends
  where exists (select from sources o where o.kind = g.kind)
  returning kind
)`
      : ''
  }
select c.verified, c.other, c.allowed, c.goes,
  (select issued from counted) as issued,
  exists (select from phone_counted) as phone_counted,
  ${withSources ? "(select string_agg(kind, ' ') from sources_counted)" : 'null'} as sources_counted,
  case when coalesce(${Array.from({ length: 12 }, (_, slot) => `c.moments[${slot + 1}]`).join(', ')}) is not null then array_to_json(c.moments)::text end as moments,
  ${
    withLeases
      ? `(select granted from prefix_lease) as prefix_granted,
  (select case when granted then window_start end from prefix_lease) as prefix_from,
  (select json_agg(json_build_array(name, granted)) from budget_lease)::text as budgets`
      : 'null as prefix_granted, null as prefix_from, null as budgets'
  }
from cleared c`;
}

/**
 * Blocks of what everybody shares. A prefix ($13; block, limit, percent and window in $14) is judged when it
 * asks for more: see docs/decisions/0002-guard.md. A budget gives what it has left.
 */
const leaseParts = `, prefix_now as materialized (
  select g.*, g.window_start <= $3::timestamptz - ($14::int[])[4] * interval '1 second' as fresh,
    case when g.blocked_until < $3::timestamptz - interval '1 day' then 0 else g.level end as past
  from guard_prefixes g
  where g.prefix = $13::text and exists (select from verdict where allowed and not other)
  for update
), prefix_next as materialized (
  select p.*, p.fresh or p.verified * 100 >= ($14::int[])[3] * p.sent
      or p.sent + ($14::int[])[1] <= case when p.past > 0 then (($14::int[])[2] + 3) / 4 else ($14::int[])[2] end
      as grants
  from prefix_now p where p.blocked_until is null or p.blocked_until <= $3::timestamptz
), prefix_lease as (
  insert into guard_prefixes as g (prefix, window_start, sent, verified, level, blocked_until, granted)
  select prefix,
    case when not grants then '-infinity' when fresh then $3::timestamptz else window_start end,
    case when not grants then 0 when fresh then ($14::int[])[1] else sent + ($14::int[])[1] end,
    case when not grants or fresh then 0 else verified end,
    case when grants then past else least(past + 1, 6) end,
    case when grants then blocked_until
      else $3::timestamptz + least(interval '30 minutes' * (1 << past), interval '12 hours') end,
    grants
  from prefix_next
  union all
  select $13::text, $3::timestamptz, ($14::int[])[1], 0, 0, null, true from verdict
  where allowed and not other and $13::text is not null and not exists (select from prefix_now)
  on conflict (prefix) do update set
    window_start = excluded.window_start, sent = excluded.sent, verified = excluded.verified, level = excluded.level,
    blocked_until = excluded.blocked_until, granted = excluded.granted
  where exists (select from prefix_now)
  returning granted, window_start
), wanted as (
  select * from unnest($16::text[], $17::bigint[], $18::bigint[], $19::bigint[], $20::boolean[])
    as w (name, units, block, cap, enforced)
), budget_lease as (
  insert into guard_budgets as g (name, day, cap, used, granted)
  select w.name, $21::date, w.cap, least(w.block, w.cap), least(w.block, w.cap)
  from verdict, wanted w where allowed and not other and w.units <= w.cap
  order by w.name
  on conflict (name, day) do update set
    cap = excluded.cap,
    granted = least(excluded.granted, excluded.cap - g.used),
    used = g.used + least(excluded.granted, excluded.cap - g.used)
  where g.used < excluded.cap
  returning name, granted
)`;

const leasesGranted = `and (v.other or (
    ($13::text is null or not $15::boolean or exists (select from prefix_lease where granted))
    and not exists (
      select from wanted w where w.enforced
        and not exists (select from budget_lease b where b.name = w.name and b.granted >= w.units))
  ))`;

/** Made once each; the driver knows a statement by its text. */
const sendStatements = {
  plain: reserveSendStatement(false, false),
  sources: reserveSendStatement(true, false),
  leases: reserveSendStatement(true, true),
};

/** The accepted code counts from now on, unless a newer one was accepted first or the user is verified. */
export const acceptCodeStatement = `
with told as (${insertMessage(7, 'accepted')})
update verifications set
  code_number = $2, code_phone = $3, code_digest = $4, code_issued_at = $5, code_expires_at = $6, code_attempts = 0
where user_id = $1 and code_number < $2 and verified_phone is null`;

/** Verify's slots: 1, 2 user; 3, 4 phone; 5, 6 address; 7, 8 token. Blocks stand in $4, by slot. */
const blockedUntil = (failures: string, first: number) => `case
    when ${filling(failures, first + 1)} is not null then ($4::timestamptz[])[${first + 1}]
    when ${filling(failures, first)} is not null then ($4::timestamptz[])[${first}]
  end`;

/** Users who failed on a phone stay known while it is blocked, also those who come one by one. */
const phoneFailuresKept = `(${kept(3, 4)} + 50)`;

const blocks = (row: string) => `coalesce(${row}.blocked_until > $2::timestamptz, false)`;
const addressOrToken = (row: string, address: string, token: string) =>
  `case ${row}.kind when 'address' then ${address} else ${token} end`;

/**
 * Counts the attempt as failed before anyone compares, so that parallel guesses cannot pass a limit: for the
 * user, the phone the code went to, the address and the token. Whoever is blocked is not counted. The digest
 * is handed out if the code still counts and every enforced rule has counted the attempt.
 */
export const reserveAttemptStatement = `
with target as (
  select code_phone, blocked_until from verifications where user_id = $1::int
), locked as materialized (
  select failed_users, blocked_until from phone_sends
  where phone = (select code_phone from target) and ${kept(3, 4)} > 0
  for update
), sources as materialized (
  select kind, blocked_until from guard_sources
  where key in ($8::bytea, $9::bytea) and (select count(*) from locked) >= 0
  order by key for update
), barred as materialized (
  select
    (select l.blocked_until from locked l where ${blocks('l')} and $1::int = any(l.failed_users)) as phone,
    (select s.blocked_until from sources s where kind = 'address' and ${kept(5, 6)} > 0 and ${blocks('s')}) as address,
    (select s.blocked_until from sources s where kind = 'token' and ${kept(7, 8)} > 0 and ${blocks('s')}) as token,
    (select c.blocked_until from guard_codes c where key = $12::bytea and ${blocks('c')}) as code
), attempt as (
  insert into verifications as v (user_id, failures, blocked_until)
  select $1::int, ${append("'{}'::timestamptz[]", '$2::timestamptz', kept(1, 2))}, ${blockedUntil('(array[$2::timestamptz])', 1)}
  from barred
  where not (phone is not null and ${enforced(2)} or address is not null and ${enforced(3)}
    or token is not null and ${enforced(4)} or code is not null and $13::boolean)
  on conflict (user_id) do update set
    failures = ${append('v.failures', '$2::timestamptz', kept(1, 2))},
    code_attempts = least(v.code_attempts + 1, $3::int + 1),
    blocked_until = ${blockedUntil('(v.failures || $2::timestamptz)', 1)}
  where not (${blocks('v')} and ${enforced(1)})
  returning v.code_number, v.code_phone,
    case when v.verified_phone is null and v.code_expires_at > $2::timestamptz and v.code_attempts <= $3::int
      then v.code_digest end as digest
), phone_failed as (
  insert into phone_sends as p (phone, failures, failed_users, blocked_until)
  select code_phone, array[$2::timestamptz], array[$1::int], ${blockedUntil('(array[$2::timestamptz])', 3)}
  from attempt where code_phone is not null and ${kept(3, 4)} > 0
  on conflict (phone) do update set
    failures = ${append('p.failures', '$2::timestamptz', phoneFailuresKept)},
    failed_users = ${append('p.failed_users', '$1::int', phoneFailuresKept)},
    blocked_until = greatest(p.blocked_until, ${blockedUntil('(p.failures || $2::timestamptz)', 3)})
  where not (${blocks('p')} and $1::int = any(p.failed_users) and ${enforced(2)})
  returning phone
), sources_failed as (
  insert into guard_sources as g (key, kind, label, failures, blocked_until)
  select s.key, s.kind, s.label, array[$2::timestamptz], s.blocked
  from attempt, (select count(*) from phone_failed) as after_phone, (values
    ($8::bytea, 'address', $10::text, ${kept(5, 6)}, ${blockedUntil('(array[$2::timestamptz])', 5)}),
    ($9::bytea, 'token', $11::text, ${kept(7, 8)}, ${blockedUntil('(array[$2::timestamptz])', 7)})
  ) as s (key, kind, label, most, blocked)
  where s.key is not null and s.most > 0
  order by s.key
  on conflict (key) do update set
    failures = ${append('g.failures', '$2::timestamptz', addressOrToken('g', kept(5, 6), kept(7, 8)))},
    blocked_until = ${addressOrToken('g', blockedUntil('(g.failures || $2::timestamptz)', 5), blockedUntil('(g.failures || $2::timestamptz)', 7))}
  where not (${blocks('g')} and ${addressOrToken('g', enforced(3), enforced(4))})
  returning kind
)
select a.code_number, a.code_phone, a.digest, a.code_number is not null as counted,
  (select count(*) from phone_failed)::int as phones, (select count(*) from sources_failed)::int as sources,
  (select t.blocked_until from target t where ${blocks('t')}) as user_until,
  b.phone as phone_until, b.address as address_until, b.token as token_until, b.code as code_until
from barred b left join attempt a on true`;

/** A block that the reserved failure itself brought goes with it; $6 are the ends it could have. */
const unblocked = (row: string) =>
  `case when ${row}.blocked_until = any($6::timestamptz[]) then null else ${row}.blocked_until end`;

/**
 * Uses the code up, links the phone, notes it for the prefix and takes the reserved failure back: all of it,
 * or nothing. Rows are locked in the order in which an attempt locks them.
 */
export const consumeCodeStatement = `
with locked as materialized (
  select phone from phone_sends where phone = $4::text for update
), sources as materialized (
  select key from guard_sources where key in ($7::bytea, $8::bytea) and (select count(*) from locked) >= 0 order by key for update
), code as (
  select code_phone from verifications
  where user_id = $1::int and code_number = $2::int and code_digest is not null and verified_phone is null
    and (select count(*) from sources) >= 0
  for update
), linked as (
  insert into phone_links as l (phone, user_id, linked_at)
  select code_phone, $1::int, $3::timestamptz from code
  on conflict (phone) do update set linked_at = excluded.linked_at where l.user_id = excluded.user_id
  returning phone
), told as (
  update messages set verified_at = $3::timestamptz from linked where user_id = $1::int and code_number = $2::int
), phone_freed as (
  update phone_sends p set
    failures = ${without('p.failures', placeOfUser('p.failures', 'p.failed_users', '$3::timestamptz', '$1::int'))},
    failed_users = ${without('p.failed_users', placeOfUser('p.failures', 'p.failed_users', '$3::timestamptz', '$1::int'))},
    blocked_until = ${unblocked('p')}
  from linked where p.phone = linked.phone and cardinality(p.failures) > 0
), sources_freed as (
  update guard_sources g set
    failures = ${without('g.failures', placeOf('g.failures', '$3::timestamptz'))}, blocked_until = ${unblocked('g')}
  from linked where g.key in ($7::bytea, $8::bytea) and cardinality(g.failures) > 0
), converted as (
  update guard_prefixes set verified = verified + 1 from linked where prefix = $5::text
)
update verifications v set
  verified_phone = linked.phone, verified_at = $3::timestamptz, code_digest = null,
  failures = ${without('v.failures', placeOf('v.failures', '$3::timestamptz'))}, blocked_until = null
from linked where v.user_id = $1::int
returning v.user_id`;

/** Notes a user on whom a code failed, and blocks the code when it has failed on too many. */
export const noteFailedCodeStatement = `
insert into guard_codes as g (key, users, user_times, blocked_until)
values ($1::bytea, array[$2::int], array[$3::timestamptz], case when $4::int = 1 then $6::timestamptz end)
on conflict (key) do update set
  users = ${moveToEnd('g.users', placeOf('g.users', '$2::int'), '$2::int', '$4::int')},
  user_times = ${moveToEnd('g.user_times', placeOf('g.users', '$2::int'), '$3::timestamptz', '$4::int')},
  blocked_until = case
    when (${moveToEnd('g.user_times', placeOf('g.users', '$2::int'), '$3::timestamptz', '$4::int')})[1] > $5::timestamptz
      and cardinality(${moveToEnd('g.users', placeOf('g.users', '$2::int'), '$2::int', '$4::int')}) >= $4::int
    then $6::timestamptz else g.blocked_until end`;

export interface SendAttempt {
  userId: number;
  phone: string;
  correlationType: number;
  now: Date;
  plan: SendPlan;
  source: Source;
  /** An enforced rule forbids the number itself, or a shared budget was refused a moment ago. */
  forbidden: boolean;
  /** What this process must lease for the send. */
  leases: SharedNeeds;
  prefix: PrefixLimit | undefined;
  enforces(need: Need): boolean;
}

export interface SendReservation {
  verified: boolean;
  /** Whether another user holds the phone. */
  other: boolean;
  /** The new code's number; null when a rule refused. */
  issued: number | null;
  phoneCounted: boolean;
  /** The sources it was counted for. */
  counted: Source;
  /** Every rule let it through, but a row that was first written meanwhile did not: to be asked again. */
  lostRace: boolean;
  /** Whether it came as far as the shared budgets. */
  leased: boolean;
  /** By slot, the moments that fill its window; undefined when none does. */
  moments: (Date | null)[] | undefined;
  /** Whether the prefix got its block, and since when its window runs. */
  prefix: { granted: boolean; from: Date | undefined } | undefined;
  /** What the budgets granted, by name. */
  budgets: ReadonlyMap<string, number>;
}

export interface IssuedCode {
  userId: number;
  number: number;
  phone: string;
  digest: Buffer;
  issuedAt: Date;
  expiresAt: Date;
}

export interface AttemptReservation {
  /** Undefined when the attempt was refused. */
  code: { number: number; phone: string; digest: Buffer | null } | undefined;
  /** Until when each rule would refuse, as it was before this attempt. */
  blocks: Partial<Record<'user' | 'phone' | 'address' | 'token' | 'code', Date>>;
}

export interface Attempt {
  userId: number;
  now: Date;
  plan: FailurePlan;
  attempts: number;
  source: Source;
  code: { key: Buffer; enforced: boolean };
}

export interface LastSend {
  phone: string | null;
  correlationType: number;
  locale: string | undefined;
  verified: boolean;
}

export type PhoneStore = ReturnType<typeof createPhoneStore>;

const asDate = (text: string | null) => (text === null ? null : new Date(text));

/** Until when each slot's block would last if it began now. */
function blockEnds(now: Date, { blockSeconds }: FailurePlan): string[] {
  return blockSeconds.map((seconds) => secondsAfter(now, seconds).toISOString());
}

export function createPhoneStore(db: Database) {
  return {
    async reserveSend(attempt: SendAttempt): Promise<SendReservation | undefined> {
      const { userId, phone, now, plan, source, leases, prefix } = attempt;
      const { address, token } = source;
      const { budgets } = leases;
      const leased = leases.prefix !== undefined || budgets.length > 0;
      const statement = leased ? 'leases' : address || token ? 'sources' : 'plain';
      const parameters = [
        userId,
        phone,
        now,
        attempt.correlationType,
        array(plan.counts),
        array(windowStarts(now, plan.seconds).map((start) => start.toISOString())),
        array(plan.enforced.map(String)),
        attempt.forbidden,
      ];
      const sourceParameters = [address?.key ?? null, token?.key ?? null, address?.label ?? null, token?.label ?? null];
      const leaseParameters = [
        leases.prefix?.name ?? null,
        array([leases.prefix?.block ?? 0, prefix?.count ?? 0, prefix?.percent ?? 0, prefix?.seconds ?? 0]),
        leases.prefix !== undefined && attempt.enforces(leases.prefix),
        array(budgets.map(({ name }) => name)),
        array(budgets.map(({ units }) => units)),
        array(budgets.map(({ block }) => block)),
        array(budgets.map(({ cap }) => cap)),
        array(budgets.map((need) => String(attempt.enforces(need)))),
        now.toISOString().slice(0, 10),
      ];
      const [row] = await db.write.unsafe(
        sendStatements[statement],
        [
          ...parameters,
          ...(statement === 'plain' ? [] : sourceParameters),
          ...(statement === 'leases' ? leaseParameters : []),
        ],
        { prepare: true },
      );
      if (!row) return undefined;
      const countedFor = (kind: string) => (row.sources_counted ?? '').includes(kind);
      const counted = {
        address: countedFor('address') ? address : undefined,
        token: countedFor('token') ? token : undefined,
      };
      const limited = (...slots: number[]) => slots.some((slot) => plan.counts[slot - 1] !== null);
      const complete =
        (row.phone_counted || row.other || !limited(3, 4, 12)) &&
        (counted.address === address || !limited(7, 8)) &&
        (counted.token === token || !limited(9, 10));
      return {
        verified: row.verified,
        other: row.other,
        issued: row.issued,
        phoneCounted: row.phone_counted,
        counted,
        leased: row.allowed && !row.other,
        lostRace: row.goes && (row.issued === null || !complete),
        moments: row.moments === null ? undefined : (JSON.parse(row.moments) as (string | null)[]).map(asDate),
        prefix: leases.prefix && { granted: row.prefix_granted === true, from: row.prefix_from ?? undefined },
        budgets: new Map<string, number>(JSON.parse(row.budgets ?? '[]') as [string, number][]),
      };
    },

    async readPrefixBlock(prefix: string): Promise<Date | undefined> {
      const [row] = await db.read`select blocked_until from guard_prefixes where prefix = ${prefix}`;
      return row?.blocked_until ?? undefined;
    },

    /** Gives the user, the source, and the phone if it was counted, their send of that moment back. */
    async giveBackSend(
      userId: number,
      phone: string | undefined,
      moment: Date,
      { address, token }: Source = noSource,
    ): Promise<void> {
      const place = placeOfUser('sends', 'senders', '$3::timestamptz', '$1::int');
      await db.write.unsafe(
        `with phone_given as (
           update phone_sends set sends = ${without('sends', place)}, senders = ${without('senders', place)}
           where phone = $2 returning 1
         ), sources_given as (
           update guard_sources set sends = ${without('sends', placeOf('sends', '$3::timestamptz'))}
           where key in ($4, $5) and (select count(*) from phone_given) >= 0 returning 1
         )
         update verifications set sends = ${without('sends', placeOf('sends', '$3::timestamptz'))}
         where user_id = $1 and (select count(*) from sources_given) >= 0`,
        [userId, phone ?? null, moment, address?.key ?? null, token?.key ?? null],
        { prepare: true },
      );
    },

    async acceptCode(code: IssuedCode, message: MessageRow): Promise<void> {
      await db.write.unsafe(
        acceptCodeStatement,
        [
          ...[code.userId, code.number, code.phone, code.digest, code.issuedAt, code.expiresAt],
          ...messageParameters(message),
        ],
        { prepare: true },
      );
    },

    async readLastSend(userId: number): Promise<LastSend | undefined> {
      const [row] = await db.read`
        select v.sent_phone, v.sent_correlation_type, v.verified_phone is not null as verified,
          (select m.locale from messages m where m.user_id = u.id order by m.code_number desc limit 1) as locale
        from users u left join verifications v on v.user_id = u.id where u.id = ${userId}`;
      return (
        row && {
          phone: row.sent_phone,
          correlationType: row.sent_correlation_type ?? 0,
          locale: row.locale ?? undefined,
          verified: row.verified,
        }
      );
    },

    async reserveAttempt({ userId, now, plan, attempts, source, code }: Attempt): Promise<AttemptReservation> {
      const { address, token } = source;
      const [row] = await db.write.unsafe(
        reserveAttemptStatement,
        [
          userId,
          now,
          attempts,
          array(blockEnds(now, plan)),
          array(plan.counts),
          array(windowStarts(now, plan.seconds).map((start) => start.toISOString())),
          array(plan.enforced.map(String)),
          address?.key ?? null,
          token?.key ?? null,
          address?.label ?? null,
          token?.label ?? null,
          code.key,
          code.enforced,
        ],
        { prepare: true },
      );
      const { counted, code_number: number, code_phone: phone, digest } = row!;
      const limited = (...slots: number[]) => slots.some((slot) => plan.counts[slot - 1] !== null);
      const sources = Number(address !== undefined && limited(5, 6)) + Number(token !== undefined && limited(7, 8));
      const complete = counted && row!.sources === sources && (phone === null || !limited(3, 4) || row!.phones === 1);
      return {
        code: complete ? { number, phone, digest } : undefined,
        blocks: {
          user: row!.user_until,
          phone: row!.phone_until,
          address: row!.address_until,
          token: row!.token_until,
          code: row!.code_until,
        },
      };
    },

    async consumeCode(
      { userId, now, plan, source: { address, token } }: Attempt,
      { number, phone }: { number: number; phone: string },
      prefix: string,
    ): Promise<boolean> {
      const rows = await db.write.unsafe(
        consumeCodeStatement,
        [
          userId,
          number,
          now,
          phone,
          prefix,
          array(blockEnds(now, plan).slice(2)),
          address?.key ?? null,
          token?.key ?? null,
        ],
        { prepare: true },
      );
      return rows.length === 1;
    },

    async noteFailedCode(key: Buffer, userId: number, now: Date, rate: FailureRate): Promise<void> {
      await db.write.unsafe(
        noteFailedCodeStatement,
        [key, userId, now, rate.count, secondsAfter(now, -rate.seconds), secondsAfter(now, rate.blockSeconds)],
        { prepare: true },
      );
    },

    /**
     * Codes in flight die with the link: none of them may link the phone again behind the operator's back.
     * The lock comes first, in a statement of its own: what waits for it may just have linked the phone,
     * and only a later statement sees that.
     */
    async unlinkPhone(userId: number): Promise<boolean> {
      return db.transaction(async (sql) => {
        const [, rows] = await Promise.all([
          sql`select from verifications where user_id = ${userId} for update`.execute(),
          sql`
            with unlinked as (
              delete from phone_links l using verifications v
              where v.user_id = ${userId} and l.phone = v.verified_phone and l.user_id = ${userId}
            ), cleared as (
              update verifications set
                verified_phone = null, verified_at = null, sent_phone = null, code_digest = null, code_number = issued
              where user_id = ${userId}
            )
            select 1 from users where id = ${userId}`,
        ]);
        return rows.length === 1;
      });
    },
  };
}
