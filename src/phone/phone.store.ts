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
import { type FailureRate } from './limits.ts';
import { insertMessage, messageParameters, type MessageRow } from './trail.store.ts';

/**
 * A plan's windows in SQL, by slot from 1 on. What a plan fixes stands in the statement itself, and what it
 * leaves out is left out: most of what these statements cost is the number of their parts.
 */
function windowsOf(
  { counts, seconds }: { counts: readonly (number | null)[]; seconds: readonly number[] },
  now: string,
) {
  const has = isLimited({ counts });
  const since = (slot: number) => `${now} - interval '${seconds[slot - 1]} s'`;
  const last = (times: string, slot: number) => `${times}[cardinality(${times}) - ${counts[slot - 1]! - 1}]`;
  /** The moment that fills a window: the one `count` places from the end, if it is still inside. */
  const filling = (times: string, slot: number) =>
    has(slot) ? `case when ${last(times, slot)} > ${since(slot)} then ${last(times, slot)} end` : 'null::timestamptz';
  return {
    has,
    filling,
    /** The same over different values, each with its last moment: one that is inside already takes no place. */
    fillingAnew: (times: string, place: string, slot: number) =>
      has(slot)
        ? `case when not coalesce(${times}[${place}] > ${since(slot)}, false) then ${filling(times, slot)} end`
        : 'null::timestamptz',
    /** How many moments the windows need. */
    kept: (...slots: number[]) => Math.max(0, ...slots.map((slot) => counts[slot - 1] ?? 0)),
  };
}

/** Appends a value and keeps the last `most`. */
const append = (list: string, value: string, most: number | string) =>
  `(${list} || ${value})[cardinality(${list}) + ${typeof most === 'number' ? 2 - most : `2 - ${most}`} :]`;

/** Takes out what stands at a place; all stays where there is no such place. */
const without = (list: string, place: string) =>
  `coalesce(${list}[: ${place} - 1] || ${list}[${place} + 1 :], ${list})`;

/** The list with a value at its end, from wherever it stood. */
const moveToEnd = (list: string, place: string, value: string, most: number | string) =>
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

/** What a send needs besides its user. */
interface SendParts {
  sources: boolean;
  prefix: boolean;
  budgets: boolean;
}

/**
 * Counts a send for the user, the phone, the address and the token, or for none, and numbers the code.
 * Slots: 1, 2 user; 3, 4 phone; 5, 6 the user's share of the phone; 7, 8 address; 9, 10 token; 11 phones of
 * the user; 12 users of the phone. A phone that another user holds still draws on the user's budget and the
 * source's, so that nobody can look numbers up for free. $5 says that the send must not be let through.
 *
 * Rows are locked in one order, phone, sources, user, and what is shared is leased after that. A row that
 * was not there to be locked is only ever inserted: who finds it there after all has lost a race, is not
 * counted, and asks again. Nor does it wait for that row, whose holder may be waiting for the user's: that
 * is why phones and sources are not upserted.
 */
function reserveSendStatement(plan: SendPlan, parts: SendParts): string {
  const { has, filling, fillingAnew, kept } = windowsOf(plan, '$3::timestamptz');
  const phone = has(3, 4, 12);
  const { sources } = parts;
  const leases = parts.prefix || parts.budgets;
  const budgetsFrom = parts.prefix ? 9 : 6;
  const sourcesFrom = budgetsFrom + (parts.budgets ? 6 : 0);
  const [address, token, addressLabel, tokenLabel] = [0, 1, 2, 3].map((index) => `$${sourcesFrom + index}`);
  const inSlots = Array.from({ length: 12 }, (_, index) => index + 1).filter(
    (slot) => has(slot) && (phone || ![5, 6].includes(slot)) && (sources || ![7, 8, 9, 10].includes(slot)),
  );
  /** Whether an enforced window is full. */
  const full = (...slots: number[]) =>
    slots
      .filter((slot) => inSlots.includes(slot) && plan.enforced[slot - 1])
      .map((slot) => ` or f.moment_${slot} is not null`)
      .join('');
  const moments: Record<number, string> = {
    1: filling('m.sends', 1),
    2: filling('m.sends', 2),
    3: filling('h.sends', 3),
    4: filling('h.sends', 4),
    5: filling('o.times', 5),
    6: filling('o.times', 6),
    7: filling('a.sends', 7),
    8: filling('a.sends', 8),
    9: filling('t.sends', 9),
    10: filling('t.sends', 10),
    11: fillingAnew('m.phone_times', 'm.place', 11),
    12: fillingAnew('h.user_times', 'h.place', 12),
  };
  const listed = inSlots.map((slot) => `c.moment_${slot}`);
  const inOrder = Array.from({ length: 12 }, (_, index) =>
    inSlots.includes(index + 1) ? `c.moment_${index + 1}` : 'null',
  );
  return `
with ${
    phone
      ? `held as materialized (
  select sends, senders, users, user_times${has(12) ? `, ${placeOf('users', '$1::int')} as place` : ''} from phone_sends
  where phone = $2::text
  for update
), `
      : ''
  }${
    sources
      ? `sources as materialized (
  select kind, sends from guard_sources
  where key in (${address}::bytea, ${token}::bytea)${phone ? ' and (select count(*) from held) >= 0' : ''}
  order by key for update
), `
      : ''
  }mine as materialized (
  select verified_phone, sends, sent_phone, phones, phone_times${has(11) ? `, ${placeOf('phones', '$2::text')} as place` : ''}
  from verifications
  where user_id = $1::int${sources || phone ? ` and (select count(*) from ${sources ? 'sources' : 'held'}) >= 0` : ''}
  for update
), filled as materialized (
  select m.verified_phone is not null as verified,
    exists (select from phone_links where phone = $2::text and user_id <> $1::int) as other
    ${inSlots.map((slot) => `, ${moments[slot]} as moment_${slot}`).join('')}
  from users
  left join mine m on true
  ${phone ? 'left join held h on true' : ''}
  ${
    // Without the offset it would be worked out anew wherever it is named.
    inSlots.includes(5) || inSlots.includes(6)
      ? `left join lateral (select ${ownSends('h')} as times offset 0) o on true`
      : ''
  }
  ${
    sources
      ? `left join sources a on a.kind = 'address'
  left join sources t on t.kind = 'token'`
      : ''
  }
  where id = $1::int
), verdict as materialized (
  select f.*,
    not (f.verified${full(1, 2, 7, 8, 9, 10)}) and (f.other or not ($5::boolean${full(3, 4, 5, 6, 11, 12)})) as allowed
  from filled f
)${parts.prefix ? prefixParts : ''}${parts.budgets ? budgetParts(budgetsFrom) : ''}${
    leases
      ? `, cleared as materialized (
  select v.*, v.allowed and (v.other or (${[parts.prefix && prefixGranted, parts.budgets && budgetsGranted].filter(Boolean).join(' and ')})) as goes
  from verdict v
)`
      : ''
  }, counted as (
  insert into verifications as v (user_id, issued, sends, sent_phone, sent_correlation_type, phones, phone_times)
  select $1::int, 1, ${append(known('m.sends', 'timestamptz'), '$3::timestamptz', kept(1, 2))},
    case when other then m.sent_phone else $2::text end, $4::smallint,
    ${withPhone('m.phones', 'text', '$2::text', kept(11))},
    ${withPhone('m.phone_times', 'timestamptz', '$3::timestamptz', kept(11))}
  from ${leases ? 'cleared' : 'verdict'} left join mine m on true where ${leases ? 'goes' : 'allowed'}
  on conflict (user_id) do update set
    issued = v.issued + 1, sends = excluded.sends, sent_phone = excluded.sent_phone,
    sent_correlation_type = excluded.sent_correlation_type${
      has(11) ? ', phones = excluded.phones, phone_times = excluded.phone_times' : ''
    }
  where exists (select from mine)
  returning v.issued
)${
    phone
      ? `, phone_first as (
  insert into phone_sends (phone, sends, senders, users, user_times)
  select $2::text, ${append("'{}'::timestamptz[]", '$3::timestamptz', kept(3, 4))},
    ${append("'{}'::int[]", '$1::int', kept(3, 4))},
    ${has(12) ? 'array[$1::int], array[$3::timestamptz]' : "'{}', '{}'"}
  from counted, verdict where not other and not exists (select from held)
  on conflict (phone) do nothing
  returning 1
), phone_next as (
  update phone_sends b set
    sends = ${append('b.sends', '$3::timestamptz', kept(3, 4))}, senders = ${append('b.senders', '$1::int', kept(3, 4))}${
      has(12)
        ? `,
    users = ${moveToEnd('b.users', 'h.place', '$1::int', kept(12))},
    user_times = ${moveToEnd('b.user_times', 'h.place', '$3::timestamptz', kept(12))}`
        : ''
    }
  from counted, verdict, held h where b.phone = $2::text and not other
  returning 1
), phone_counted as (
  select from phone_first union all select from phone_next
)`
      : ''
  }${
    sources
      ? `, sources_first as (
  insert into guard_sources (key, kind, label, sends)
  select s.key, s.kind, s.label, array[$3::timestamptz]
  from counted, ${phone ? '(select count(*) from phone_counted) as after_phone,' : ''}
    (values (${address}::bytea, 'address', ${addressLabel}::text, ${kept(7, 8)}), (${token}::bytea, 'token', ${tokenLabel}::text, ${kept(9, 10)}))
      as s (key, kind, label, most)
  where s.key is not null and s.most > 0 and not exists (select from sources o where o.kind = s.kind)
  order by s.key
  on conflict (key) do nothing
  returning kind
), sources_next as (
  update guard_sources g set
    sends = ${addressOrToken('g', append('g.sends', '$3::timestamptz', kept(7, 8)), append('g.sends', '$3::timestamptz', kept(9, 10)))}
  from counted, sources o
  where g.key in (${address}::bytea, ${token}::bytea) and g.kind = o.kind${
    has(7, 8) && has(9, 10) ? '' : ` and g.kind = '${has(7, 8) ? 'address' : 'token'}'`
  }
  returning g.kind
), sources_counted as (
  select kind from sources_first union all select kind from sources_next
)`
      : ''
  }
select c.verified, c.other, c.allowed, ${leases ? 'c.goes' : 'c.allowed as goes'},
  (select issued from counted) as issued,
  ${phone ? 'exists (select from phone_counted)' : 'false'} as phone_counted,
  ${sources ? "(select string_agg(kind, ' ') from sources_counted)" : 'null'} as sources_counted,
  ${listed.length > 0 ? `case when coalesce(${listed.join(', ')}) is not null then json_build_array(${inOrder.join(', ')})::text end` : 'null'} as moments,
  ${
    parts.prefix
      ? `(select granted from prefix_lease) as prefix_granted,
  (select case when granted then window_start end from prefix_lease) as prefix_from`
      : 'null as prefix_granted, null as prefix_from'
  },
  ${parts.budgets ? '(select json_agg(json_build_array(name, granted)) from budget_lease)::text' : 'null'} as budgets
from ${leases ? 'cleared' : 'verdict'} c`;
}

/** The user's phones with this one at the end, unless none are kept or the send is not for the phone. */
function withPhone(list: string, type: string, value: string, most: number): string {
  if (most === 0) return known(list, type);
  return `case when other then ${known(list, type)} else ${moveToEnd(known(list, type), 'm.place', value, most)} end`;
}

/**
 * Blocks of what everybody shares. A prefix ($6; block, limit, percent and window in $7) is judged when it
 * asks for more: see docs/decisions/0002-guard.md. A budget gives what it has left.
 */
const prefixParts = `, prefix_now as materialized (
  select g.*, g.window_start <= $3::timestamptz - ($7::int[])[4] * interval '1 second' as fresh,
    case when g.blocked_until < $3::timestamptz - interval '1 day' then 0 else g.level end as past
  from guard_prefixes g
  where g.prefix = $6::text and exists (select from verdict where allowed and not other)
  for update
), prefix_next as materialized (
  select p.*, p.fresh or p.verified * 100 >= ($7::int[])[3] * p.sent
      or p.sent + ($7::int[])[1] <= case when p.past > 0 then (($7::int[])[2] + 3) / 4 else ($7::int[])[2] end
      as grants
  from prefix_now p where p.blocked_until is null or p.blocked_until <= $3::timestamptz
), prefix_lease as (
  insert into guard_prefixes as g (prefix, window_start, sent, verified, level, blocked_until, granted)
  select prefix,
    case when not grants then '-infinity' when fresh then $3::timestamptz else window_start end,
    case when not grants then 0 when fresh then ($7::int[])[1] else sent + ($7::int[])[1] end,
    case when not grants or fresh then 0 else verified end,
    case when grants then past else least(past + 1, 6) end,
    case when grants then blocked_until
      else $3::timestamptz + least(interval '30 minutes' * (1 << past), interval '12 hours') end,
    grants
  from prefix_next
  union all
  select $6::text, $3::timestamptz, ($7::int[])[1], 0, 0, null, true from verdict
  where allowed and not other and $6::text is not null and not exists (select from prefix_now)
  on conflict (prefix) do update set
    window_start = excluded.window_start, sent = excluded.sent, verified = excluded.verified, level = excluded.level,
    blocked_until = excluded.blocked_until, granted = excluded.granted
  where exists (select from prefix_now)
  returning granted, window_start
)`;

const budgetParts = (from: number) => `, wanted as (
  select * from unnest($${from}::text[], $${from + 1}::bigint[], $${from + 2}::bigint[], $${from + 3}::bigint[], $${from + 4}::boolean[])
    as w (name, units, block, cap, enforced)
), budget_lease as (
  insert into guard_budgets as g (name, day, cap, used, granted)
  select w.name, $${from + 5}::date, w.cap, least(w.block, w.cap), least(w.block, w.cap)
  from verdict, wanted w where allowed and not other and w.units <= w.cap
  order by w.name
  on conflict (name, day) do update set
    cap = excluded.cap,
    granted = least(excluded.granted, excluded.cap - g.used),
    used = g.used + least(excluded.granted, excluded.cap - g.used)
  where g.used < excluded.cap
  returning name, granted
)`;

const prefixGranted = '(not $8::boolean or exists (select from prefix_lease where granted))';
const budgetsGranted = `not exists (
    select from wanted w where w.enforced
      and not exists (select from budget_lease b where b.name = w.name and b.granted >= w.units))`;

/** Statements are made once for a plan and what is needed of it; the driver knows one by its text. */
function perPlan<Plan extends object, Parts>(make: (plan: Plan, parts: Parts) => string) {
  const made = new WeakMap<Plan, Map<string, string>>();
  return (plan: Plan, parts: Parts): string => {
    const ofPlan = made.get(plan) ?? new Map<string, string>();
    made.set(plan, ofPlan);
    const key = JSON.stringify(parts);
    const statement = ofPlan.get(key) ?? make(plan, parts);
    ofPlan.set(key, statement);
    return statement;
  };
}

const sendStatement = perPlan(reserveSendStatement);
const attemptStatement = perPlan(reserveAttemptStatement);
const consumeStatement = perPlan(consumeCodeStatement);

const isLimited =
  ({ counts }: { counts: readonly (number | null)[] }) =>
  (...slots: number[]) =>
    slots.some((slot) => counts[slot - 1] !== null);

/** The accepted code counts from now on, unless a newer one was accepted first or the user is verified. */
export const acceptCodeStatement = `
with told as (${insertMessage(7, 'accepted')})
update verifications set
  code_number = $2, code_phone = $3, code_digest = $4, code_issued_at = $5, code_expires_at = $6, code_attempts = 0
where user_id = $1 and code_number < $2 and verified_phone is null`;

const blocks = (row: string) => `coalesce(${row}.blocked_until > $2::timestamptz, false)`;
const addressOrToken = (row: string, address: string, token: string) =>
  address === token ? address : `case ${row}.kind when 'address' then ${address} else ${token} end`;

/** Users who failed on a phone stay known while it is blocked, also those who come one by one. */
const phoneFailuresKept = 50;

/**
 * Counts the attempt as failed before anyone compares, so that parallel guesses cannot pass a limit: for the
 * user, the phone the code went to, the address and the token. Whoever is blocked is not counted. The digest
 * is handed out if the code still counts and every enforced rule has counted the attempt.
 * Slots: 1, 2 user; 3, 4 phone; 5, 6 address; 7, 8 token.
 */
function reserveAttemptStatement(plan: FailurePlan, sources: boolean): string {
  const { has, filling, kept } = windowsOf(plan, '$2::timestamptz');
  const [user, phone, address, token] = plan.enforced;
  const onPhone = has(3, 4);
  const blockedUntil = (failures: string, first: number) => {
    const whens = [first + 1, first]
      .filter((slot) => has(slot))
      .map((slot) => `when ${filling(failures, slot)} is not null then ${blockEnd(plan, slot, '$2::timestamptz')}`);
    return whens.length > 0 ? `case ${whens.join(' ')} end` : 'null::timestamptz';
  };
  const first = '(array[$2::timestamptz])';
  const next = (row: string) => `(${row}.failures || $2::timestamptz)`;
  const barred = [
    onPhone && phone && 'phone is not null',
    sources && address && 'address is not null',
    sources && token && 'token is not null',
    'code is not null and $5::boolean',
  ].filter(Boolean);
  const barredBy = (kind: string, first: number) =>
    sources && has(first, first + 1)
      ? `(select s.blocked_until from sources s where kind = '${kind}' and ${blocks('s')})`
      : 'null::timestamptz';
  return `
with target as (
  select code_phone, blocked_until from verifications where user_id = $1::int
), ${
    onPhone
      ? `locked as materialized (
  select failed_users, blocked_until from phone_sends where phone = (select code_phone from target) for update
), `
      : ''
  }${
    sources
      ? `sources as materialized (
  select kind, blocked_until from guard_sources
  where key in ($6::bytea, $7::bytea)${onPhone ? ' and (select count(*) from locked) >= 0' : ''}
  order by key for update
), `
      : ''
  }barred as materialized (
  select
    ${onPhone ? `(select l.blocked_until from locked l where ${blocks('l')} and $1::int = any(l.failed_users))` : 'null::timestamptz'} as phone,
    ${barredBy('address', 5)} as address,
    ${barredBy('token', 7)} as token,
    (select c.blocked_until from guard_codes c where key = $4::bytea and ${blocks('c')}) as code
), attempt as (
  insert into verifications as v (user_id, failures, blocked_until)
  select $1::int, ${append("'{}'::timestamptz[]", '$2::timestamptz', kept(1, 2))}, ${blockedUntil(first, 1)}
  from barred where not (${barred.join(' or ')})
  on conflict (user_id) do update set
    failures = ${append('v.failures', '$2::timestamptz', kept(1, 2))},
    code_attempts = least(v.code_attempts + 1, $3::int + 1),
    blocked_until = ${blockedUntil(next('v'), 1)}
  ${user ? `where not ${blocks('v')}` : ''}
  returning v.code_number, v.code_phone,
    case when v.verified_phone is null and v.code_expires_at > $2::timestamptz and v.code_attempts <= $3::int
      then v.code_digest end as digest
)${
    onPhone
      ? `, phone_failed as (
  insert into phone_sends as p (phone, failures, failed_users, blocked_until)
  select code_phone, ${first}, array[$1::int], ${blockedUntil(first, 3)}
  from attempt where code_phone is not null
  on conflict (phone) do update set
    failures = ${append('p.failures', '$2::timestamptz', kept(3, 4) + phoneFailuresKept)},
    failed_users = ${append('p.failed_users', '$1::int', kept(3, 4) + phoneFailuresKept)},
    blocked_until = greatest(p.blocked_until, ${blockedUntil(next('p'), 3)})
  ${phone ? `where not (${blocks('p')} and $1::int = any(p.failed_users))` : ''}
  returning phone
)`
      : ''
  }${
    sources
      ? `, sources_failed as (
  insert into guard_sources as g (key, kind, label, failures, blocked_until)
  select s.key, s.kind, s.label, ${first}, s.blocked
  from attempt, ${onPhone ? '(select count(*) from phone_failed) as after_phone,' : ''} (values
    ($6::bytea, 'address', $8::text, ${kept(5, 6)}, ${blockedUntil(first, 5)}),
    ($7::bytea, 'token', $9::text, ${kept(7, 8)}, ${blockedUntil(first, 7)})
  ) as s (key, kind, label, most, blocked)
  where s.key is not null and s.most > 0
  order by s.key
  on conflict (key) do update set
    failures = ${addressOrToken('g', append('g.failures', '$2::timestamptz', kept(5, 6)), append('g.failures', '$2::timestamptz', kept(7, 8)))},
    blocked_until = ${addressOrToken('g', blockedUntil(next('g'), 5), blockedUntil(next('g'), 7))}
  where not (${blocks('g')} and ${addressOrToken('g', String(address), String(token))})
  returning kind
)`
      : ''
  }
select a.code_number, a.code_phone, a.digest, a.code_number is not null as counted,
  ${onPhone ? '(select count(*) from phone_failed)::int' : '0'} as phones,
  ${sources ? '(select count(*) from sources_failed)::int' : '0'} as sources,
  (select t.blocked_until from target t where ${blocks('t')}) as user_until,
  b.phone as phone_until, b.address as address_until, b.token as token_until, b.code as code_until
from barred b left join attempt a on true`;
}

/** Until when a slot's block lasts if it begins now. */
const blockEnd = ({ blockSeconds }: FailurePlan, slot: number, now: string) =>
  `${now} + interval '${blockSeconds[slot - 1]} s'`;

/**
 * Uses the code up, links the phone, notes it for the prefix and takes the reserved failure back: all of it,
 * or nothing. Rows are locked in the order in which an attempt locks them.
 */
function consumeCodeStatement(plan: FailurePlan, sources: boolean): string {
  const { has } = windowsOf(plan, '$3::timestamptz');
  const onPhone = has(3, 4);
  const before = sources ? 'sources' : onPhone ? 'locked' : undefined;
  /** A block that the reserved failure itself brought goes with it. */
  const unblocked = (row: string, ...slots: number[]) =>
    `case when ${row}.blocked_until in (${slots
      .filter((slot) => has(slot))
      .map((slot) => blockEnd(plan, slot, '$3::timestamptz'))
      .join(', ')}) then null else ${row}.blocked_until end`;
  const place = placeOfUser('p.failures', 'p.failed_users', '$3::timestamptz', '$1::int');
  return `
with ${onPhone ? `locked as materialized (select phone from phone_sends where phone = $5::text for update), ` : ''}${
    sources
      ? `sources as materialized (
  select key from guard_sources
  where key in ($${onPhone ? 6 : 5}::bytea, $${onPhone ? 7 : 6}::bytea)${onPhone ? ' and (select count(*) from locked) >= 0' : ''}
  order by key for update
), `
      : ''
  }code as (
  select code_phone from verifications
  where user_id = $1::int and code_number = $2::int and code_digest is not null and verified_phone is null
    ${before ? `and (select count(*) from ${before}) >= 0` : ''}
  for update
), linked as (
  insert into phone_links as l (phone, user_id, linked_at)
  select code_phone, $1::int, $3::timestamptz from code
  on conflict (phone) do update set linked_at = excluded.linked_at where l.user_id = excluded.user_id
  returning phone
), told as (
  update messages set verified_at = $3::timestamptz from linked where user_id = $1::int and code_number = $2::int
)${
    onPhone
      ? `, phone_freed as (
  update phone_sends p set
    failures = ${without('p.failures', place)}, failed_users = ${without('p.failed_users', place)},
    blocked_until = ${unblocked('p', 3, 4)}
  from linked where p.phone = $5::text and cardinality(p.failures) > 0
)`
      : ''
  }${
    sources
      ? `, sources_freed as (
  update guard_sources g set
    failures = ${without('g.failures', placeOf('g.failures', '$3::timestamptz'))}, blocked_until = ${unblocked('g', 5, 6, 7, 8)}
  from linked where g.key in ($${onPhone ? 6 : 5}::bytea, $${onPhone ? 7 : 6}::bytea) and cardinality(g.failures) > 0
)`
      : ''
  }, converted as (
  update guard_prefixes set verified = verified + 1 from linked where prefix = $4::text
)
update verifications v set
  verified_phone = linked.phone, verified_at = $3::timestamptz, code_digest = null,
  failures = ${without('v.failures', placeOf('v.failures', '$3::timestamptz'))}, blocked_until = null
from linked where v.user_id = $1::int
returning v.user_id`;
}

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

export function createPhoneStore(db: Database) {
  return {
    async reserveSend(attempt: SendAttempt): Promise<SendReservation | undefined> {
      const { userId, phone, now, plan, source, leases, prefix } = attempt;
      const { address, token } = source;
      const { budgets } = leases;
      const limited = isLimited(plan);
      const parts = {
        sources: (address !== undefined && limited(7, 8)) || (token !== undefined && limited(9, 10)),
        prefix: leases.prefix !== undefined,
        budgets: budgets.length > 0,
      };
      const parameters: (string | number | boolean | Date | Buffer | null)[] = [
        userId,
        phone,
        now,
        attempt.correlationType,
        attempt.forbidden,
      ];
      if (leases.prefix) {
        parameters.push(
          leases.prefix.name,
          array([leases.prefix.block, prefix?.count ?? 0, prefix?.percent ?? 0, prefix?.seconds ?? 0]),
          attempt.enforces(leases.prefix),
        );
      }
      if (parts.budgets) {
        parameters.push(
          array(budgets.map(({ name }) => name)),
          array(budgets.map(({ units }) => units)),
          array(budgets.map(({ block }) => block)),
          array(budgets.map(({ cap }) => cap)),
          array(budgets.map((need) => String(attempt.enforces(need)))),
          now.toISOString().slice(0, 10),
        );
      }
      if (parts.sources) {
        parameters.push(address?.key ?? null, token?.key ?? null, address?.label ?? null, token?.label ?? null);
      }
      const [row] = await db.write.unsafe(sendStatement(plan, parts), parameters, { prepare: true });
      if (!row) return undefined;
      const countedFor = (kind: string) => (row.sources_counted ?? '').includes(kind);
      const counted = {
        address: countedFor('address') ? address : undefined,
        token: countedFor('token') ? token : undefined,
      };
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
      const limited = isLimited(plan);
      const sources = Number(address !== undefined && limited(5, 6)) + Number(token !== undefined && limited(7, 8));
      const [row] = await db.write.unsafe(
        attemptStatement(plan, sources > 0),
        [
          ...[userId, now, attempts, code.key, code.enforced],
          ...(sources > 0
            ? [address?.key ?? null, token?.key ?? null, address?.label ?? null, token?.label ?? null]
            : []),
        ],
        { prepare: true },
      );
      const { counted, code_number: number, code_phone: phone, digest } = row!;
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
      const limited = isLimited(plan);
      const sources = (address !== undefined && limited(5, 6)) || (token !== undefined && limited(7, 8));
      const rows = await db.write.unsafe(
        consumeStatement(plan, sources),
        [
          ...[userId, number, now, prefix],
          ...(limited(3, 4) ? [phone] : []),
          ...(sources ? [address?.key ?? null, token?.key ?? null] : []),
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
