-- contract: Counters and codes as named records. Values that belong together were parallel arrays before; now each such
-- pair is one array of a composite type. The functions that use them are in src/db/functions/.

-- Earlier definitions. The current ones are applied from files.
drop function reserve_send(integer, text, timestamptz, smallint, boolean, integer[], integer[], boolean[], bytea, text,
  bytea, text, jsonb);
drop function give_back_send(integer, text, timestamptz, bytea, bytea);
drop function reserve_attempt(integer, timestamptz, integer, bytea, integer[], integer[], integer[], boolean[], bytea,
  text, bytea, text);
drop function consume_code(integer, integer, text, timestamptz, text, integer[], bytea, bytea);
drop function lease_prefix(text, integer, integer, integer, interval, timestamptz);
drop function blocked_by(timestamptz[], timestamptz, integer[], integer[], integer[], integer);
drop function filled_by(timestamptz[], integer, timestamptz);
drop function appended(anyarray, anyelement, integer);
drop function without(anyarray, integer);
drop function place_of(timestamptz[], integer[], timestamptz, integer);
drop function sends_against(timestamptz[], integer[], integer, integer);
drop function lost_race();

-- What the service passes to the functions: see src/guard/rules.ts.

-- At most `count` events in any `seconds`. After so many failures the key is blocked for `block_seconds`.
create type guard_window as (
  rule text, is_enforced boolean, count integer, seconds integer, block_seconds integer
);
-- The windows over one counter. With fewer events than `smallest_count` none of them is full. `kept` is how many of
-- the latest events are kept for them; 0 where no rule is on.
create type guard_limit as (smallest_count integer, kept integer, windows guard_window[]);
create type send_limits as (
  user_sends guard_limit, user_phones guard_limit, phone_sends guard_limit, phone_users guard_limit
);
create type failure_limits as (user_failures guard_limit, phone_failures guard_limit);
-- A client address or a token that a call is counted against. The key is a keyed digest; operators see the label.
create type guard_source as (kind text, key bytea, label text, counted guard_limit);
-- A rule that refuses a call, or would if it were enforced, and until when.
create type guard_refusal as (rule text, is_enforced boolean, until timestamptz);

-- What the tables hold.

create type user_event as (at timestamptz, user_id integer);
-- One of several different values, such as the phones of a user, and when it was last seen.
create type seen_value as (at timestamptz, value text);

-- pending: handed to a gateway, no answer yet. unknown: the text may arrive. accepted: a gateway accepted it.
-- A code that certainly reached nobody is removed.
create type code_state as enum ('pending', 'unknown', 'accepted');
-- refused: no gateway took it. It only moves forward.
create type message_state as enum ('refused', 'unknown', 'accepted', 'failed', 'delivered');
create type issued_code as (
  number integer,
  phone text,
  -- The code is derived from the digest key, the user, the phone and this: see src/phone/code.ts.
  seed bytea,
  -- Null once the code is used.
  digest bytea,
  state code_state,
  -- Texts with this code that were handed to a gateway and have no outcome yet.
  texts_in_flight integer,
  sent_at timestamptz,
  expires_at timestamptz,
  attempts integer
);

create function pg_temp.user_events(times timestamptz[], user_ids integer[]) returns user_event[]
language sql immutable as $$
  select array(
    select row(e.at, e.user_id)::user_event from unnest(times, user_ids) with ordinality e (at, user_id, place)
    order by e.place)
$$;
create function pg_temp.seen_values(times timestamptz[], seen text[]) returns seen_value[]
language sql immutable as $$
  select array(
    select row(v.at, v.value)::seen_value from unnest(times, seen) with ordinality v (at, value, place)
    order by v.place)
$$;

alter table phone_sends
  alter column sends drop default,
  alter column users drop default,
  alter column failures drop default;
alter table phone_sends
  alter column sends type user_event[] using pg_temp.user_events(sends, senders),
  alter column users type seen_value[] using pg_temp.seen_values(user_times, users::text[]),
  alter column failures type user_event[] using pg_temp.user_events(failures, failed_users),
  drop column senders,
  drop column user_times,
  drop column failed_users;
alter table phone_sends
  alter column sends set default '{}',
  alter column users set default '{}',
  alter column failures set default '{}';

alter table guard_codes alter column users drop default;
alter table guard_codes
  alter column users type seen_value[] using pg_temp.seen_values(user_times, users::text[]),
  drop column user_times;
alter table guard_codes alter column users set default '{}';

-- Which kinds of sources there are is decided by the table of rules.
alter table guard_sources drop constraint guard_sources_kind_check;

-- Codes that were on their way are void: their digests were made from their numbers, which have no seed.
alter table verifications alter column phones drop default;
alter table verifications
  alter column phones type seen_value[] using pg_temp.seen_values(phone_times, phones),
  drop column phone_times,
  drop column code_number,
  drop column code_phone,
  drop column code_digest,
  drop column code_issued_at,
  drop column code_expires_at,
  drop column code_attempts,
  add column latest_code issued_code,
  -- Earlier codes that stay good while the latest one is pending, latest first.
  add column earlier_codes issued_code[] not null default '{}';
alter table verifications alter column phones set default '{}';
alter table verifications rename column issued to last_code_number;
alter table verifications add column last_message_number integer not null default 0;
update verifications set last_message_number = last_code_number where last_code_number > 0;

-- Several messages may carry the same code, so a message has a number of its own. Gateways' references hold it.
alter table messages add column message_number integer;
update messages set message_number = code_number;
alter table messages
  alter column message_number set not null,
  drop constraint messages_pkey,
  add primary key (user_id, message_number),
  alter column state type message_state using state::message_state;

alter table verification_events
  add constraint verification_events_kind_check
    check (kind in ('send-refused', 'verify-refused', 'verified', 'phone-unlinked', 'block-lifted')),
  add constraint verification_events_times_check check (times > 0);
alter table guard_decisions
  add constraint guard_decisions_operation_check check (operation in ('send-code', 'verify-phone'));
alter table guard_totals add constraint guard_totals_action_check check (action in ('refused', 'shadow'));
alter table guard_budgets add constraint guard_budgets_used_check check (used between 0 and cap);
alter table guard_prefixes add constraint guard_prefixes_counts_check check (sent >= 0 and verified >= 0);
alter table send_keys add constraint send_keys_status_check check (status in (204, 400));

comment on index messages_pkey is 'A receipt names the user and the message; a trail reads one user.';
comment on index messages_by_time is 'Clean-up removes the oldest; overview and gateway order read the latest days.';
comment on index messages_by_smpp_id is 'SMPP receipts name nothing but the id that the SMSC gave.';
comment on index verification_events_of_user is 'A trail reads one user, newest first.';
comment on index verification_events_by_time is 'Clean-up removes the oldest.';
comment on index send_keys_by_time is 'Clean-up removes the oldest.';
comment on index verifications_blocked is 'Lists the blocked users, who are few.';
comment on index verifications_by_sent_phone is 'Finds the user whom a number was sent to, also one who never verified it.';
comment on index phone_sends_blocked is 'Lists the blocked phones, which are few.';
comment on index guard_sources_blocked is 'Lists the blocked addresses and tokens, which are few.';
comment on index guard_codes_blocked is 'Lists the blocked codes, which are few.';
comment on index guard_prefixes_blocked is 'Lists the closed prefixes, which are few.';
comment on index guard_decisions_by_time is 'Clean-up removes the oldest.';
