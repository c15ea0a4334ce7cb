SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA ledgerline;
CREATE TYPE ledgerline.code_state AS ENUM (
    'pending',
    'unknown',
    'accepted'
);
CREATE TYPE ledgerline.guard_window AS (
	rule text,
	is_enforced boolean,
	count integer,
	seconds integer,
	block_seconds integer
);
CREATE TYPE ledgerline.guard_limit AS (
	smallest_count integer,
	kept integer,
	windows ledgerline.guard_window[]
);
CREATE TYPE ledgerline.failure_limits AS (
	user_failures ledgerline.guard_limit,
	phone_failures ledgerline.guard_limit
);
CREATE TYPE ledgerline.guard_refusal AS (
	rule text,
	is_enforced boolean,
	until timestamp with time zone
);
CREATE TYPE ledgerline.guard_source AS (
	kind text,
	key bytea,
	label text,
	counted ledgerline.guard_limit
);
CREATE TYPE ledgerline.issued_code AS (
	number integer,
	phone text,
	seed bytea,
	digest bytea,
	state ledgerline.code_state,
	texts_in_flight integer,
	sent_at timestamp with time zone,
	expires_at timestamp with time zone,
	attempts integer,
	phone_key bytea
);
CREATE TYPE ledgerline.message_state AS ENUM (
    'refused',
    'unknown',
    'accepted',
    'failed',
    'delivered'
);
CREATE TYPE ledgerline.seen_value AS (
	at timestamp with time zone,
	value text
);
CREATE TYPE ledgerline.send_limits AS (
	user_sends ledgerline.guard_limit,
	user_phones ledgerline.guard_limit,
	phone_sends ledgerline.guard_limit,
	phone_users ledgerline.guard_limit
);
CREATE TYPE ledgerline.user_event AS (
	at timestamp with time zone,
	user_id integer
);
CREATE FUNCTION ledgerline.append_event(events anyarray, event anyelement, kept integer) RETURNS anyarray
    LANGUAGE sql IMMUTABLE
    AS $$ select (events || event)[cardinality(events) + 2 - kept :] $$;
CREATE FUNCTION ledgerline.block_data(block_until timestamp with time zone) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object('until', event_timestamp(block_until), 'rule', 'user-failures')
$$;
CREATE FUNCTION ledgerline.consume_code(for_user integer, code_number integer, to_phone text, called_at timestamp with time zone, counted_phones bytea[], limits ledgerline.failure_limits, sources ledgerline.guard_source[], code_key bytea, code_limit ledgerline.guard_limit) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  counted_phone bytea;
  source guard_source;
  known_user record;
  used issued_code;
  of_country text;
begin
  foreach counted_phone in array counted_phones loop
    perform from phone_sends p where p.key = counted_phone for update;
  end loop;
  foreach source in array sources loop
    perform from guard_sources s where s.key = source.key for update;
  end loop;
  select v.latest_code, v.earlier_codes into known_user
  from verifications v where v.user_id = for_user and v.verified_phone is null for update;
  if not found then return false; end if;
  used := known_user.latest_code;
  if used.number <> code_number then used := find_code(known_user.earlier_codes, code_number); end if;
  if used.digest is null then return false; end if;
  insert into phone_links as l (phone, user_id, linked_at) values (to_phone, for_user, called_at)
  on conflict (phone) do update set linked_at = excluded.linked_at where l.user_id = excluded.user_id;
  if not found then return false; end if;
  used.digest := null;
  update verifications v set
    verified_phone = to_phone, verified_at = called_at, latest_code = used, earlier_codes = '{}', blocked_until = null,
    failures = remove_event(v.failures, called_at)
  where v.user_id = for_user;
  with verified as (
    update messages m set verified_at = called_at
    where m.user_id = for_user and m.code_number = consume_code.code_number
    returning m.country
  )
  select nullif(max(v.country), '') into of_country from verified v;
  foreach counted_phone in array counted_phones loop
    update phone_sends p set
      failures = remove_event(p.failures, row(called_at, for_user)::user_event),
      blocked_until = case when not is_begun_at(p.blocked_until, limits.phone_failures, called_at)
        then p.blocked_until end
    where p.key = counted_phone;
  end loop;
  foreach source in array sources loop
    update guard_sources s set
      failures = remove_event(s.failures, called_at),
      verified = append_event(s.verified, called_at, 100),
      blocked_until = case when not is_begun_at(s.blocked_until, source.counted, called_at)
        then s.blocked_until end
    where s.key = source.key;
  end loop;
  if code_key is not null then
    delete from guard_codes c
    where c.key = code_key and c.users = array[row(called_at, for_user::text)::seen_value];
    if not found then
      update guard_codes c set
        users = remove_event(c.users, row(called_at, for_user::text)::seen_value),
        blocked_until = case when not is_begun_at(c.blocked_until, code_limit, called_at) then c.blocked_until end
      where c.key = code_key;
    end if;
  end if;
  perform write_event('phone.verified', for_user, called_at, json_build_object('country', of_country));
  return true;
end $$;
CREATE FUNCTION ledgerline.current_codes(codes ledgerline.issued_code[], pending_since timestamp with time zone) RETURNS ledgerline.issued_code[]
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
  for place in 1 .. cardinality(codes) loop
    if supersedes(codes[place], pending_since) then return codes[: place]; end if;
  end loop;
  return codes;
end $$;
CREATE FUNCTION ledgerline.current_phone_keys(latest ledgerline.issued_code, earlier ledgerline.issued_code[], pending_since timestamp with time zone) RETURNS bytea[]
    LANGUAGE sql IMMUTABLE
    AS $$
  select case
    when latest.phone_key is null then '{}'
    when supersedes(latest, pending_since) then array[latest.phone_key]
    else phone_keys_of(current_codes(latest || earlier, pending_since)) end
$$;
CREATE FUNCTION ledgerline.disable_endpoint(of_endpoint integer, reason text, moment timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  update webhook_endpoints e set enabled = false, disabled_reason = reason where e.id = of_endpoint and e.enabled;
  if not found then return; end if;
  perform write_event(
    'endpoint.disabled', null, moment, json_build_object('endpointId', of_endpoint, 'reason', reason)
  );
  perform fail_due_deliveries(of_endpoint, 5000);
end $$;
CREATE FUNCTION ledgerline.event_id(moment timestamp with time zone) RETURNS uuid
    LANGUAGE sql
    RETURN (encode(set_bit(set_bit(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send(((EXTRACT(epoch FROM moment) * (1000)::numeric))::bigint) FROM 3) FROM 1 FOR 6), (52)::bigint, 1), (53)::bigint, 1), 'hex'::text))::uuid;
CREATE FUNCTION ledgerline.event_timestamp(moment timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select rtrim(rtrim(to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z'
$$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE ledgerline.guard_ranges (
    name text NOT NULL,
    summed_at timestamp with time zone NOT NULL,
    hour_sends double precision NOT NULL,
    hour_verified double precision NOT NULL,
    day_sends double precision NOT NULL,
    unverified double precision NOT NULL,
    normal_sends double precision NOT NULL,
    normal_verified double precision NOT NULL,
    delivered double precision DEFAULT 0 NOT NULL,
    failed double precision DEFAULT 0 NOT NULL,
    shrinks smallint DEFAULT 0 NOT NULL,
    refused_at timestamp with time zone,
    limited_until timestamp with time zone
)
WITH (fillfactor='70');
CREATE FUNCTION ledgerline.exchange_ranges(changes jsonb, called_at timestamp with time zone) RETURNS SETOF ledgerline.guard_ranges
    LANGUAGE sql
    AS $$
  insert into guard_ranges as r (
    name, summed_at, hour_sends, hour_verified, day_sends, unverified, delivered, failed, normal_sends,
    normal_verified, shrinks, refused_at, limited_until)
  select c.name, called_at, c."hourSends", c."hourVerified", c."daySends", c.unverified,
    c.delivered, c.failed, c."normalSends", c."normalVerified",
    coalesce((k.refusal ->> 'shrinks')::smallint, 0), (k.refusal ->> 'at')::timestamptz,
    (k.refusal ->> 'limitedUntil')::timestamptz
  from jsonb_to_recordset(changes) as c (
    name text, "hourSends" double precision, "hourVerified" double precision, "daySends" double precision,
    unverified double precision, delivered double precision, failed double precision, "normalSends" double precision,
    "normalVerified" double precision, refusal jsonb),
    -- A refusal counts if the process knew of the latest one. Another process may have refused since, or an operator
    -- may have lifted the range; the process learns it from the result.
    lateral (select case
      when not exists (
        select from guard_ranges g
        where g.name = c.name and g.refused_at > coalesce((c.refusal ->> 'since')::timestamptz, '-infinity'))
      then c.refusal end as refusal) k
  -- In the same order in every process, so that there is no deadlock.
  order by c.name
  on conflict (name) do update set
    summed_at = excluded.summed_at,
    hour_sends = fade(r.hour_sends, r.summed_at, excluded.summed_at, 3600) + excluded.hour_sends,
    hour_verified = fade(r.hour_verified, r.summed_at, excluded.summed_at, 3600) + excluded.hour_verified,
    day_sends = fade(r.day_sends, r.summed_at, excluded.summed_at, 86400) + excluded.day_sends,
    -- Verified codes explain earlier sends, never later ones.
    unverified = greatest(0, fade(r.unverified, r.summed_at, excluded.summed_at, 86400) + excluded.unverified),
    delivered = fade(r.delivered, r.summed_at, excluded.summed_at, 86400) + excluded.delivered,
    failed = fade(r.failed, r.summed_at, excluded.summed_at, 86400) + excluded.failed,
    normal_sends = fade(r.normal_sends, r.summed_at, excluded.summed_at, 1209600) + excluded.normal_sends,
    normal_verified = fade(r.normal_verified, r.summed_at, excluded.summed_at, 1209600) + excluded.normal_verified,
    shrinks = case when excluded.refused_at is not null then excluded.shrinks else r.shrinks end,
    refused_at = greatest(r.refused_at, excluded.refused_at),
    limited_until = coalesce(excluded.limited_until, r.limited_until)
  returning r.*
$$;
CREATE FUNCTION ledgerline.fade(value double precision, summed_at timestamp with time zone, called_at timestamp with time zone, span_seconds double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE
    AS $$
  select case
    when value < 1e-6 then 0
    else value * exp(-least(40, greatest(0, extract(epoch from called_at - summed_at)::double precision) / span_seconds))
  end
$$;
CREATE FUNCTION ledgerline.fail_due_deliveries(of_endpoint integer, batch_limit integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  failed integer;
begin
  update webhook_deliveries d
  set state = 'failed', last_error = coalesce(d.last_error, 'The endpoint was disabled.')
  where d.id in (
    select w.id from webhook_deliveries w where w.endpoint_id = of_endpoint and w.state = 'due'
    order by w.due_at limit batch_limit
  );
  get diagnostics failed = row_count;
  return failed;
end $$;
CREATE FUNCTION ledgerline.find_block(failures timestamp with time zone[], blocked_until timestamp with time zone, counted ledgerline.guard_limit, called_at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$
  select case
    when cardinality(failures) + 1 >= counted.smallest_count
      then find_new_block(failures, blocked_until, counted, called_at)
    when blocked_until > called_at then blocked_until end
$$;
CREATE FUNCTION ledgerline.find_code(codes ledgerline.issued_code[], code_number integer) RETURNS ledgerline.issued_code
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare
  code issued_code;
begin
  foreach code in array codes loop
    if code.number = code_number then return code; end if;
  end loop;
  return null;
end $$;
CREATE FUNCTION ledgerline.find_established(user_ids integer[], established_before timestamp with time zone) RETURNS integer[]
    LANGUAGE plpgsql STABLE
    AS $$
declare
  known record;
  established integer[] := '{}';
begin
  for known in select u.id, u.created_at, u.transaction_count from users u where u.id = any(user_ids) loop
    if is_established(known.created_at, known.transaction_count, established_before) then
      established := established || known.id;
    end if;
  end loop;
  return established;
end $$;
CREATE FUNCTION ledgerline.find_full_phone_windows(sends ledgerline.user_event[], counted ledgerline.guard_limit, for_user integer, called_at timestamp with time zone) RETURNS ledgerline.guard_refusal[]
    LANGUAGE plpgsql STABLE
    AS $$
declare
  limiting guard_window;
  refusals guard_refusal[];
begin
  foreach limiting in array counted.windows loop
    if cardinality(sends) >= limiting.count then
      refusals := refusals || find_full_windows(
        sends_against(sends, for_user, limiting.count), row(limiting.count, counted.kept, array[limiting])::guard_limit,
        called_at);
    end if;
  end loop;
  return refusals;
end $$;
CREATE FUNCTION ledgerline.find_full_windows(events timestamp with time zone[], counted ledgerline.guard_limit, called_at timestamp with time zone) RETURNS ledgerline.guard_refusal[]
    LANGUAGE plpgsql STABLE
    AS $$
declare
  limiting guard_window;
  -- The oldest event that still counts, if the window is full.
  oldest timestamptz;
  refusals guard_refusal[];
begin
  foreach limiting in array counted.windows loop
    oldest := events[cardinality(events) + 1 - limiting.count];
    if oldest > called_at - make_interval(secs => limiting.seconds) then
      refusals := refusals
        || row(limiting.rule, limiting.is_enforced, oldest + make_interval(secs => limiting.seconds))::guard_refusal;
    end if;
  end loop;
  return refusals;
end $$;
CREATE FUNCTION ledgerline.find_new_block(failures timestamp with time zone[], blocked_until timestamp with time zone, counted ledgerline.guard_limit, called_at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE
    AS $$
declare
  limiting guard_window;
  found_until timestamptz := case when blocked_until > called_at then blocked_until end;
begin
  foreach limiting in array counted.windows loop
    if limiting.count = 1
      or failures[cardinality(failures) + 2 - limiting.count] > called_at - make_interval(secs => limiting.seconds) then
      found_until := greatest(found_until, called_at + make_interval(secs => limiting.block_seconds));
    end if;
  end loop;
  return found_until;
end $$;
CREATE FUNCTION ledgerline.find_phone_block(failures ledgerline.user_event[], blocked_until timestamp with time zone, counted ledgerline.guard_limit, called_at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$
  select case
    when cardinality(failures) + 1 >= counted.smallest_count
      then find_new_block(times_of(failures), blocked_until, counted, called_at)
    when blocked_until > called_at then blocked_until end
$$;
CREATE FUNCTION ledgerline.finish_send(for_user integer, message_number integer, code_number integer, outcome text, to_phone text, phone_key bytea, source_keys bytea[], masked_phone text, country text, correlation_type smallint, locale text, segments smallint, gateway text, gateway_message_id text, reason text, tries json, requested_at timestamp with time zone, answered_at timestamp with time zone, expires_at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_variable
declare
  known_user record;
  codes issued_code[];
begin
  if outcome = 'unavailable' then perform give_back_send(for_user, to_phone, phone_key, requested_at, source_keys); end if;
  -- A row without a user counts failed attempts for an erased id.
  select v.latest_code, v.earlier_codes into known_user
  from verifications v where v.user_id = for_user and exists (select 1 from users u where u.id = for_user) for update;
  if not found then return; end if;
  codes := settle_code(known_user.latest_code || known_user.earlier_codes, code_number, outcome);
  update verifications v set latest_code = codes[1], earlier_codes = codes[2 :] where v.user_id = for_user;
  insert into messages (user_id, message_number, code_number, phone, country, correlation_type, locale, segments,
    gateway, gateway_message_id, state, reason, tries, requested_at, answered_at, state_at, expires_at)
  values (for_user, message_number, code_number, masked_phone, country, correlation_type, locale, segments,
    gateway, gateway_message_id, (case outcome when 'unavailable' then 'refused' else outcome end)::message_state,
    reason, tries, requested_at, answered_at, answered_at, expires_at);
  perform write_event(
    case when outcome in ('accepted', 'unknown') then 'phone.code_sent' else 'phone.send_failed' end, for_user, answered_at,
    case when outcome in ('accepted', 'unknown')
      then json_build_object(
        'country', nullif(country, ''), 'correlationType', correlation_type, 'gateway', gateway, 'outcome', outcome,
        'codeNumber', code_number)
      else json_build_object('country', nullif(country, ''), 'reason', outcome) end);
end $$;
CREATE FUNCTION ledgerline.give_back_send(for_user integer, to_phone text, phone_key bytea, counted_at timestamp with time zone, source_keys bytea[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  source_key bytea;
begin
  update phone_sends p set
    sends = remove_event(p.sends, row(counted_at, for_user)::user_event),
    users = remove_event(p.users, row(counted_at, for_user)::seen_value),
    proven = array_remove(p.proven, counted_at)
  where p.key = phone_key;
  foreach source_key in array source_keys loop
    update guard_sources s set sends = remove_event(s.sends, counted_at) where s.key = source_key;
  end loop;
  update verifications v set
    sends = remove_event(v.sends, counted_at),
    phones = remove_event(v.phones, row(counted_at, to_phone)::seen_value)
  where v.user_id = for_user;
end $$;
CREATE FUNCTION ledgerline.is_begun_at(blocked_until timestamp with time zone, counted ledgerline.guard_limit, called_at timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
declare
  limiting guard_window;
begin
  foreach limiting in array counted.windows loop
    if blocked_until = called_at + make_interval(secs => limiting.block_seconds) then return true; end if;
  end loop;
  return false;
end $$;
CREATE FUNCTION ledgerline.is_established(created_at timestamp with time zone, transaction_count integer, established_before timestamp with time zone) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ select transaction_count > 0 or created_at <= established_before $$;
CREATE FUNCTION ledgerline.is_event_of(events ledgerline.user_event[], for_user integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ select for_user in (select e.user_id from unnest(events) e) $$;
CREATE FUNCTION ledgerline.is_good(code ledgerline.issued_code, called_at timestamp with time zone, attempt_limit integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  select code.digest is not null and code.expires_at > called_at and code.attempts < attempt_limit
$$;
CREATE FUNCTION ledgerline.is_refused(refusals ledgerline.guard_refusal[]) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare
  refusal guard_refusal;
begin
  foreach refusal in array refusals loop
    if refusal.is_enforced then return true; end if;
  end loop;
  return false;
end $$;
CREATE FUNCTION ledgerline.is_repeatable(code ledgerline.issued_code, to_phone text, called_at timestamp with time zone, attempt_limit integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  select code.state <> 'accepted' and code.phone = to_phone and code.digest is not null
    and code.expires_at > called_at and code.attempts < attempt_limit
$$;
CREATE FUNCTION ledgerline.lease_budgets(wanted jsonb, on_day date, OUT granted json, OUT is_sufficient boolean) RETURNS record
    LANGUAGE sql
    AS $$
  with asked as (
    select * from jsonb_to_recordset(wanted)
      as w (name text, units bigint, block bigint, cap bigint, "isEnforced" boolean)
  ), lease as (
    insert into guard_budgets as b (name, day, cap, used, granted)
    select a.name, on_day, a.cap, least(a.block, a.cap), least(a.block, a.cap)
    from asked a where a.units <= a.cap
    order by a.name
    on conflict (name, day) do update set
      cap = excluded.cap,
      granted = least(excluded.granted, excluded.cap - b.used),
      used = b.used + least(excluded.granted, excluded.cap - b.used)
    where b.used < excluded.cap
    returning b.name, b.granted
  )
  select json_agg(json_build_array(l.name, l.granted)) filter (where l.name is not null),
    bool_and(not a."isEnforced" or coalesce(l.granted >= a.units, false))
  from asked a left join lease l on l.name = a.name
$$;
CREATE FUNCTION ledgerline.lease_endpoints(dispatcher uuid, lease_seconds integer) RETURNS TABLE(endpoint_id integer, epoch bigint, is_surplus boolean)
    LANGUAGE plpgsql
    AS $$
declare
  -- Leases use the clock of the database server, not that of the service: several processes must agree on the time.
  moment timestamptz := clock_timestamp();
  until timestamptz := seconds_after(clock_timestamp(), lease_seconds);
  share integer;
  renewed integer;
begin
  insert into webhook_dispatchers as d (id, seen_until) values (dispatcher, until)
  on conflict (id) do update set seen_until = excluded.seen_until;
  delete from webhook_dispatchers d where d.id in (
    select g.id from webhook_dispatchers g where g.seen_until < moment for update skip locked
  );
  update webhook_leases l set held_until = until
  where l.holder = dispatcher and l.held_until > moment
    and exists (select from webhook_endpoints e where e.id = l.endpoint_id and e.enabled);
  get diagnostics renewed = row_count;
  select ceil((select count(*) from webhook_endpoints e where e.enabled)::numeric / greatest(count(*), 1))
  into share from webhook_dispatchers d;
  update webhook_leases l set holder = dispatcher, epoch = nextval('webhook_lease_epochs'), held_until = until
  where l.endpoint_id in (
    select f.endpoint_id from webhook_leases f join webhook_endpoints e on e.id = f.endpoint_id and e.enabled
    where f.held_until < moment order by f.held_until limit greatest(share - renewed, 0)
    for update of f skip locked
  );
  return query
  select l.endpoint_id, l.epoch, row_number() over (order by l.endpoint_id) > share
  from webhook_leases l join webhook_endpoints e on e.id = l.endpoint_id and e.enabled
  where l.holder = dispatcher and l.held_until >= until;
end $$;
CREATE FUNCTION ledgerline.mark_deliveries(of_endpoint integer, lease_epoch bigint, moment timestamp with time zone, outcomes jsonb, failing timestamp with time zone, disable_reason text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  perform from webhook_leases l where l.endpoint_id = of_endpoint and l.epoch = lease_epoch for update;
  if not found then return false; end if;
  update webhook_deliveries d set
    state = o.state, attempts = o.attempts, due_at = coalesce(o."dueAt", d.due_at), last_attempt_at = o."attemptedAt",
    last_status = o.status, last_error = o.error, last_answer = o.answer
  from jsonb_to_recordset(outcomes) as o (
    id bigint, state text, attempts smallint, "dueAt" timestamptz, "attemptedAt" timestamptz, status smallint,
    error text, answer text
  )
  where d.id = o.id and d.state = 'due';
  update webhook_leases l set failing_since = failing
  where l.endpoint_id = of_endpoint and l.failing_since is distinct from failing;
  perform write_event(
    'endpoint.delivery_failed', null, moment, json_build_object('endpointId', of_endpoint, 'reason', o.error)
  )
  from jsonb_to_recordset(outcomes) as o (error text, "isExhausted" boolean) where o."isExhausted";
  if disable_reason is not null then perform disable_endpoint(of_endpoint, disable_reason, moment); end if;
  return true;
end $$;
CREATE FUNCTION ledgerline.mask_phone(phone text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$ select left(phone, 3) || '…' || right(phone, 2) $$;
CREATE FUNCTION ledgerline.phone_keys_of(codes ledgerline.issued_code[]) RETURNS bytea[]
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
  return array(
    select distinct c.phone_key from unnest(codes) c where c.phone_key is not null order by c.phone_key);
end $$;
CREATE FUNCTION ledgerline.raise_lost_race() RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'lost a race' using errcode = 'serialization_failure';
end $$;
CREATE FUNCTION ledgerline.record_action(called_at timestamp with time zone, of_subject text, of_client text, action text, target text, detail text, of_user integer, reason text) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into operator_actions (acted_at, subject, client, action, target, detail, user_id, reason)
  values (called_at, of_subject, of_client, action, target, detail, of_user, reason);
  perform write_event(
    'operator.acted', of_user, called_at,
    json_build_object('action', action, 'actor', of_subject, 'target', target));
end $$;
CREATE FUNCTION ledgerline.refusal_of(blocked_until timestamp with time zone, counted ledgerline.guard_limit) RETURNS ledgerline.guard_refusal
    LANGUAGE sql IMMUTABLE
    AS $$
  select row((counted.windows)[1].rule, (counted.windows)[1].is_enforced, blocked_until)::guard_refusal
$$;
CREATE FUNCTION ledgerline.remove_event(events anyarray, event anyelement) RETURNS anyarray
    LANGUAGE sql IMMUTABLE
    AS $$
  select coalesce(
    events[: array_position(events, event) - 1] || events[array_position(events, event) + 1 :], events)
$$;
CREATE FUNCTION ledgerline.require_user(for_user integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform from users u where u.id = for_user;
  if not found then perform raise_lost_race(); end if;
end $$;
CREATE FUNCTION ledgerline.reserve_attempt(for_user integer, called_at timestamp with time zone, attempt_limit integer, pending_since timestamp with time zone, limits ledgerline.failure_limits, sources ledgerline.guard_source[], code_key bytea, code_limit ledgerline.guard_limit, OUT is_counted boolean, OUT refusals json, OUT phone_keys bytea[], OUT code_number integer, OUT code_phone text, OUT code_seed bytea, OUT code_digest bytea, OUT earlier_good_codes json) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  counted_phone bytea;
  known_phone record;
  known_phones bytea[] := '{}';
  source guard_source;
  source_blocked_until timestamptz;
  known_sources bytea[] := '{}';
  known_user record;
  is_known_user boolean;
  known_code record;
  is_known_code boolean;
  latest issued_code;
  earlier issued_code[];
  good issued_code[] := '{}';
  found_refusals guard_refusal[] := '{}';
  begun_until timestamptz;
begin
  phone_keys := '{}';
  if (limits.phone_failures).kept > 0 then
    -- Without a lock, since phones are locked before users.
    select current_phone_keys(v.latest_code, v.earlier_codes, pending_since) into phone_keys
    from verifications v where v.user_id = for_user;
    if not found then phone_keys := '{}'; end if;
    foreach counted_phone in array phone_keys loop
      select p.failures, p.blocked_until into known_phone from phone_sends p where p.key = counted_phone for update;
      continue when not found;
      known_phones := known_phones || counted_phone;
      -- Only users who failed on the phone are refused: any other user has an attempt.
      if known_phone.blocked_until > called_at and is_event_of(known_phone.failures, for_user) then
        found_refusals := found_refusals || refusal_of(known_phone.blocked_until, limits.phone_failures);
      end if;
    end loop;
  end if;
  foreach source in array sources loop
    select s.blocked_until into source_blocked_until from guard_sources s where s.key = source.key for update;
    continue when not found;
    known_sources := known_sources || source.key;
    if source_blocked_until > called_at then
      found_refusals := found_refusals || refusal_of(source_blocked_until, source.counted);
    end if;
  end loop;
  select v.latest_code, v.earlier_codes, v.failures, v.blocked_until, v.verified_phone is not null as is_verified,
    current_phone_keys(v.latest_code, v.earlier_codes, pending_since) as phone_keys
  into known_user from verifications v where v.user_id = for_user for update;
  is_known_user := found;
  if is_known_user then
    if (limits.phone_failures).kept > 0 and known_user.phone_keys <> phone_keys then perform raise_lost_race(); end if;
    if known_user.blocked_until > called_at and (limits.user_failures).kept > 0 then
      found_refusals := found_refusals || refusal_of(known_user.blocked_until, limits.user_failures);
    end if;
  end if;
  if code_key is not null then
    select c.blocked_until into known_code from guard_codes c where c.key = code_key for update;
    is_known_code := found;
    if known_code.blocked_until > called_at then
      found_refusals := found_refusals || refusal_of(known_code.blocked_until, code_limit);
    end if;
  end if;
  is_counted := cardinality(found_refusals) = 0 or not is_refused(found_refusals);
  if cardinality(found_refusals) > 0 then refusals := to_json(found_refusals); end if;
  if not is_counted then return; end if;
  foreach counted_phone in array phone_keys loop
    if counted_phone = any(known_phones) then
      update phone_sends p set
        failures = append_event(p.failures, row(called_at, for_user)::user_event, (limits.phone_failures).kept),
        blocked_until = find_phone_block(p.failures, p.blocked_until, limits.phone_failures, called_at)
      where p.key = counted_phone;
    else
      insert into phone_sends (key, label, failures, blocked_until)
      select counted_phone, mask_phone(c.phone), array[row(called_at, for_user)::user_event],
        find_block('{}', null, limits.phone_failures, called_at)
      from unnest(known_user.latest_code || known_user.earlier_codes) c where c.phone_key = counted_phone
      order by c.number desc limit 1
      on conflict (key) do nothing;
      if not found then perform raise_lost_race(); end if;
    end if;
  end loop;
  foreach source in array sources loop
    if source.key = any(known_sources) then
      update guard_sources s set
        failures = append_event(s.failures, called_at, (source.counted).kept),
        blocked_until = find_block(s.failures, s.blocked_until, source.counted, called_at)
      where s.key = source.key;
    else
      insert into guard_sources (key, kind, label, failures, blocked_until)
      values (
        source.key, source.kind, source.label, array[called_at], find_block('{}', null, source.counted, called_at))
      on conflict (key) do nothing;
      if not found then perform raise_lost_race(); end if;
    end if;
  end loop;
  if is_known_code then
    update guard_codes c set
      users = see_value(c.users, for_user::text, code_limit.kept, called_at),
      blocked_until = find_block(times_of_others(c.users, for_user::text), c.blocked_until, code_limit, called_at)
    where c.key = code_key;
  elsif code_key is not null then
    insert into guard_codes (key, users, blocked_until)
    values (
      code_key, array[row(called_at, for_user::text)::seen_value], find_block('{}', null, code_limit, called_at))
    on conflict (key) do nothing;
    if not found then perform raise_lost_race(); end if;
  end if;
  if not is_known_user then
    insert into verifications (user_id, failures, blocked_until)
    values (for_user, array[called_at], find_block('{}', null, limits.user_failures, called_at))
    on conflict (user_id) do nothing
    returning blocked_until into begun_until;
    if not found then perform raise_lost_race(); end if;
    if begun_until > called_at and (limits.user_failures).windows[1].is_enforced then
      refusals := to_json(found_refusals || refusal_of(begun_until, limits.user_failures));
    end if;
    return;
  end if;
  latest := known_user.latest_code;
  if is_good(latest, called_at, attempt_limit) and not known_user.is_verified then
    latest.attempts := latest.attempts + 1;
    code_number := latest.number;
    code_phone := latest.phone;
    code_seed := latest.seed;
    code_digest := latest.digest;
  end if;
  if not supersedes(latest, pending_since) and cardinality(known_user.earlier_codes) > 0 then
    earlier := current_codes(known_user.earlier_codes, pending_since);
    for place in 1 .. cardinality(earlier) loop
      if is_good(earlier[place], called_at, attempt_limit) and not known_user.is_verified then
        earlier[place].attempts := earlier[place].attempts + 1;
        good := good || earlier[place];
      end if;
    end loop;
    earlier_good_codes := to_json(good);
    update verifications v set earlier_codes = earlier where v.user_id = for_user;
  end if;
  update verifications v set
    latest_code = latest,
    failures = append_event(v.failures, called_at, (limits.user_failures).kept),
    blocked_until = find_block(v.failures, v.blocked_until, limits.user_failures, called_at)
  where v.user_id = for_user
  returning v.blocked_until into begun_until;
  if begun_until > called_at and (limits.user_failures).windows[1].is_enforced then
    refusals := to_json(found_refusals || refusal_of(begun_until, limits.user_failures));
  end if;
end $$;
CREATE FUNCTION ledgerline.reserve_proven_send(proof_key bytea, proof_expires_at timestamp with time zone, for_user integer, to_phone text, phone_key bytea, called_at timestamp with time zone, correlation_type smallint, is_forbidden boolean, limits ledgerline.send_limits, sources ledgerline.guard_source[], established_before timestamp with time zone, leases jsonb, new_seed bytea, new_digest bytea, new_expires_at timestamp with time zone, attempt_limit integer, may_repeat boolean, OUT decision text, OUT refusals json, OUT is_leased boolean, OUT budget_leases json, OUT code_number integer, OUT message_number integer, OUT repeated_seed bytea, OUT repeated_digest bytea) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  proven_texts integer;
  most_proven_texts constant integer := 3;
begin
  insert into guard_proofs (key, expires_at) values (proof_key, proof_expires_at) on conflict (key) do nothing;
  if not found then
    decision := 'proof-used';
    return;
  end if;
  -- A phone without a row has no full window. It gets its row from one call alone: see reserve_send.
  select (select count(*) from unnest(p.proven) e (at) where e.at > called_at - interval '1 day') into proven_texts
  from phone_sends p where p.key = phone_key for update;
  limits.phone_users := without_enforcement(limits.phone_users);
  if proven_texts < most_proven_texts then limits.phone_sends := without_enforcement(limits.phone_sends); end if;
  select r.decision, r.refusals, r.is_leased, r.budget_leases, r.code_number, r.message_number, r.repeated_seed,
    r.repeated_digest
  into decision, refusals, is_leased, budget_leases, code_number, message_number, repeated_seed, repeated_digest
  from reserve_send(for_user, to_phone, phone_key, called_at, correlation_type, is_forbidden, false, limits, sources,
    established_before, leases, new_seed, new_digest, new_expires_at, attempt_limit, may_repeat) r;
  if decision = 'reserved' then
    update phone_sends p set proven = append_event(p.proven, called_at, most_proven_texts) where p.key = phone_key;
  else
    delete from guard_proofs p where p.key = proof_key;
  end if;
end $$;
CREATE FUNCTION ledgerline.reserve_send(for_user integer, to_phone text, phone_key bytea, called_at timestamp with time zone, correlation_type smallint, is_forbidden boolean, is_forbidden_to_newcomers boolean, limits ledgerline.send_limits, sources ledgerline.guard_source[], established_before timestamp with time zone, leases jsonb, new_seed bytea, new_digest bytea, new_expires_at timestamp with time zone, attempt_limit integer, may_repeat boolean, OUT decision text, OUT refusals json, OUT is_leased boolean, OUT budget_leases json, OUT code_number integer, OUT message_number integer, OUT repeated_seed bytea, OUT repeated_digest bytea) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  is_linked_to_other_user boolean;
  user_created_at timestamptz;
  user_transaction_count integer;
  is_user_established boolean;
  counts_phone boolean;
  known_phone record;
  is_known_phone boolean := false;
  known_user record;
  is_known_user boolean;
  source guard_source;
  source_sends timestamptz[];
  known_sources bytea[] := '{}';
  -- Refusals by the rules about the user and the sources, to which those about the phone are added later.
  found_refusals guard_refusal[] := '{}';
  phone_refusals guard_refusal[] := '{}';
  is_granted boolean := true;
  code issued_code;
  earlier issued_code[] := '{}';
begin
  select exists (select 1 from phone_links l where l.phone = to_phone and l.user_id <> for_user),
    u.created_at, u.transaction_count
  into is_linked_to_other_user, user_created_at, user_transaction_count from users u where u.id = for_user;
  if not found then
    decision := 'unknown-user';
    return;
  end if;
  is_user_established := is_established(user_created_at, user_transaction_count, established_before);
  counts_phone := not is_linked_to_other_user and (limits.phone_sends).kept + (limits.phone_users).kept > 0;
  if counts_phone then
    select p.sends, p.users into known_phone from phone_sends p where p.key = phone_key for update;
    is_known_phone := found;
    if is_user_established and (cardinality(known_phone.sends) >= (limits.phone_sends).smallest_count
        or cardinality(known_phone.users) >= (limits.phone_users).smallest_count) then
      known_phone.sends := sends_of_established(known_phone.sends, for_user, established_before);
      known_phone.users := users_of_established(known_phone.users, established_before);
    end if;
    if cardinality(known_phone.sends) >= (limits.phone_sends).smallest_count then
      phone_refusals := find_full_phone_windows(known_phone.sends, limits.phone_sends, for_user, called_at);
    end if;
    if cardinality(known_phone.users) >= (limits.phone_users).smallest_count then
      phone_refusals := phone_refusals
        || find_full_windows(times_of_others(known_phone.users, for_user::text), limits.phone_users, called_at);
    end if;
  end if;
  foreach source in array sources loop
    select s.sends into source_sends from guard_sources s where s.key = source.key for update;
    if found then
      known_sources := known_sources || source.key;
      if cardinality(source_sends) >= (source.counted).smallest_count then
        found_refusals := found_refusals || find_full_windows(source_sends, source.counted, called_at);
      end if;
    end if;
  end loop;
  select v.verified_phone, v.last_code_number, v.last_message_number, v.latest_code, v.earlier_codes, v.sends, v.phones,
    exists (select 1 from users u where u.id = for_user) as is_user
  into known_user from verifications v where v.user_id = for_user for update;
  is_known_user := found;
  if is_known_user then
    -- The user was erased meanwhile, and failed attempts for the id have created a new row.
    if not known_user.is_user then
      decision := 'unknown-user';
      return;
    end if;
    if known_user.verified_phone is not null then
      decision := 'verified';
      return;
    end if;
    if cardinality(known_user.sends) >= (limits.user_sends).smallest_count then
      found_refusals := found_refusals || find_full_windows(known_user.sends, limits.user_sends, called_at);
    end if;
    if cardinality(known_user.phones) >= (limits.user_phones).smallest_count then
      phone_refusals := phone_refusals
        || find_full_windows(times_of_others(known_user.phones, to_phone), limits.user_phones, called_at);
    end if;
  end if;
  -- A send to a phone of another user still counts for the user and the sources, so that nobody can find out for free
  -- which phones are verified.
  if not is_linked_to_other_user then found_refusals := found_refusals || phone_refusals; end if;
  if cardinality(found_refusals) > 0 then refusals := to_json(found_refusals); end if;
  if is_forbidden_to_newcomers and not is_user_established and not exists (
      select from messages m where m.user_id = for_user and m.verified_at is not null) then
    is_forbidden := true;
  end if;
  if is_forbidden and not is_linked_to_other_user or refusals is not null and is_refused(found_refusals) then
    decision := 'refused';
    return;
  end if;
  if leases is not null and not is_linked_to_other_user then
    is_leased := true;
    select l.granted, l.is_sufficient into budget_leases, is_granted
    from lease_budgets(leases -> 'budgets', (leases ->> 'day')::date) l;
    if not is_granted then
      decision := 'refused';
      return;
    end if;
  end if;
  if is_known_phone then
    update phone_sends p set
      sends = append_event(p.sends, row(called_at, for_user)::user_event, (limits.phone_sends).kept),
      users = see_value(p.users, for_user::text, (limits.phone_users).kept, called_at)
    where p.key = phone_key;
  elsif counts_phone then
    insert into phone_sends (key, label, sends, users)
    values (
      phone_key, mask_phone(to_phone), array[row(called_at, for_user)::user_event],
      array[row(called_at, for_user)::seen_value])
    on conflict (key) do nothing;
    if not found then perform raise_lost_race(); end if;
  end if;
  foreach source in array sources loop
    if source.key = any(known_sources) then
      update guard_sources s set sends = append_event(s.sends, called_at, (source.counted).kept)
      where s.key = source.key;
    else
      insert into guard_sources (key, kind, label, sends)
      values (source.key, source.kind, source.label, array[called_at])
      on conflict (key) do nothing;
      if not found then perform raise_lost_race(); end if;
    end if;
  end loop;
  if is_linked_to_other_user then
    decision := 'phone-taken';
    insert into verifications as v (user_id, sends) values (for_user, array[called_at])
    on conflict (user_id) do update set sends = append_event(v.sends, called_at, (limits.user_sends).kept)
    where is_known_user;
    if not found then perform raise_lost_race(); end if;
    if not is_known_user then perform require_user(for_user); end if;
    return;
  end if;
  decision := 'reserved';
  if not is_known_user then
    code_number := 1;
    message_number := 1;
    insert into verifications
      (user_id, last_code_number, last_message_number, latest_code, sends, phones, sent_phone, sent_correlation_type)
    values (
      for_user, 1, 1,
      row(1, to_phone, new_seed, new_digest, 'pending', 1, called_at, new_expires_at, 0, phone_key)::issued_code,
      array[called_at], array[row(called_at, to_phone)::seen_value], to_phone, correlation_type)
    on conflict (user_id) do nothing;
    if not found then perform raise_lost_race(); end if;
    perform require_user(for_user);
    return;
  end if;
  code := known_user.latest_code;
  earlier := known_user.earlier_codes;
  message_number := known_user.last_message_number + 1;
  if may_repeat and is_repeatable(code, to_phone, called_at, attempt_limit) then
    code_number := code.number;
    repeated_seed := code.seed;
    repeated_digest := code.digest;
    code.texts_in_flight := code.texts_in_flight + 1;
    code.sent_at := called_at;
    code.expires_at := new_expires_at;
  else
    code_number := known_user.last_code_number + 1;
    -- The limit only bounds the size of the row: no user has that many codes in flight.
    if code.number is not null then earlier := (code || earlier)[: 20]; end if;
    code := row(code_number, to_phone, new_seed, new_digest, 'pending', 1, called_at, new_expires_at, 0, phone_key);
  end if;
  update verifications v set
    last_code_number = greatest(v.last_code_number, code_number), last_message_number = message_number,
    latest_code = code, earlier_codes = earlier,
    sends = append_event(v.sends, called_at, (limits.user_sends).kept),
    phones = see_value(v.phones, to_phone, (limits.user_phones).kept, called_at),
    sent_phone = to_phone, sent_correlation_type = correlation_type
  where v.user_id = for_user;
end $$;
CREATE FUNCTION ledgerline.seconds_after(moment timestamp with time zone, seconds integer) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    RETURN (moment + make_interval(secs => (seconds)::double precision));
CREATE FUNCTION ledgerline.see_value(seen ledgerline.seen_value[], value text, kept integer, called_at timestamp with time zone) RETURNS ledgerline.seen_value[]
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare
  known seen_value;
  others seen_value[] := '{}';
begin
  foreach known in array seen loop
    if known.value <> value then others := others || known; end if;
  end loop;
  return append_event(others, row(called_at, value)::seen_value, kept);
end $$;
CREATE FUNCTION ledgerline.sends_against(sends ledgerline.user_event[], for_user integer, send_limit integer) RETURNS timestamp with time zone[]
    LANGUAGE sql IMMUTABLE
    AS $$
  select array(
    select ranked.at
    from (
      select e.at, e.user_id, e.place, row_number() over (partition by e.user_id order by e.place desc) as age
      from unnest(sends) with ordinality e (at, user_id, place)
    ) ranked
    where ranked.user_id = for_user or ranked.age <= (send_limit + 1) / 2
    order by ranked.place)
$$;
CREATE FUNCTION ledgerline.sends_of_established(sends ledgerline.user_event[], for_user integer, established_before timestamp with time zone) RETURNS ledgerline.user_event[]
    LANGUAGE plpgsql STABLE
    AS $$
declare
  established integer[] := find_established(array(select e.user_id from unnest(sends) e), established_before);
begin
  return array(
    select row(e.at, e.user_id)::user_event
    from unnest(sends) with ordinality e (at, user_id, place)
    where e.user_id = for_user or e.user_id = any(established)
    order by e.place);
end $$;
CREATE FUNCTION ledgerline.sequence_distributed_events(moment timestamp with time zone, batch_limit integer, OUT has_more boolean, OUT settled json) RETURNS record
    LANGUAGE plpgsql
    AS $$
begin
  select r.has_more, r.settled into has_more, settled from sequence_reachable_events(moment, batch_limit, '{}') r;
end $$;
CREATE FUNCTION ledgerline.sequence_events(moment timestamp with time zone, batch_limit integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  first_position bigint;
  last_id bigint;
  moved integer;
begin
  -- Only one call runs at a time. The statements below see everything that was committed before the lock was granted.
  select l.last_position into first_position from event_log l for update;
  select max(w.id) into last_id
  from (
    (select o.id from event_outbox o order by o.id limit batch_limit)
    union all
    (select o.id from user_event_outbox o order by o.id limit batch_limit)
    order by id limit batch_limit
  ) w;
  with taken as (
    delete from event_outbox o where o.id <= last_id
    returning o.id, o.type, o.at, o.user_id, o.sequence, o.data
  ), taken_with_user as (
    delete from user_event_outbox o where o.id <= last_id
    returning o.id, o.type, o.at, o.user_id, o.sequence, o.data
  ), logged as (
    insert into events (position, id, type, at, user_id, sequence, data)
    select first_position + row_number() over (order by t.id), event_id(t.at), t.type, t.at, t.user_id, t.sequence,
      t.data
    from (select * from taken union all select * from taken_with_user) t
    returning position, type, data
  ), wanting as materialized (
    -- The lock keeps an endpoint from being disabled while something is queued for it.
    select e.id, e.types from webhook_endpoints e where e.enabled for share
  ), queued as (
    insert into webhook_deliveries (endpoint_id, event_position, due_at)
    select w.id, l.position, moment
    from logged l join wanting w on w.types = '{}' or l.type = any(w.types)
    -- An event about an endpoint is sent to the other endpoints only.
    where l.type not like 'endpoint.%' or (l.data ->> 'endpointId')::integer <> w.id
    order by l.position, w.id
  )
  select count(*) into moved from logged;
  if moved > 0 then
    update event_log set last_position = first_position + moved;
  end if;
  return moved;
end $$;
CREATE FUNCTION ledgerline.sequence_reachable_events(moment timestamp with time zone, batch_limit integer, away integer[], OUT has_more boolean, OUT settled json) RETURNS record
    LANGUAGE plpgsql
    AS $_$
declare
  first_position bigint;
  coordinator_ids bigint[];
  -- The events that wait on the workers, as one array for each column.
  waiting record;
  moved integer;
  worker record;
  answer record;
  answers json := '[]';
begin
  select l.last_position into first_position from event_log l for update;
  -- Without its worker a user's first event, user.created, cannot be logged. If no event of that counter is in the log,
  -- the later ones wait for it.
  coordinator_ids := array(
    select o.id from event_outbox o
    where cardinality(away) = 0 or o.user_id is null
      or exists (select from events e where e.user_id = o.user_id and e.type not like 'transactions.%')
      or not (select p.groupid from pg_catalog.pg_dist_placement p
        where p.shardid = get_shard_id_for_distribution_column('users', o.user_id)) = any(away)
    order by o.id limit batch_limit);
  -- Read after the other outbox: the transaction that wrote there has seen the user, so user.created is visible here.
  if cardinality(away) = 0 then
    select count(*) as count, array_agg(o.id) as ids, array_agg(o.user_id) as user_ids,
      array_agg(o.sequence) as sequences, array_agg(o.type) as types, array_agg(o.at) as times,
      array_agg(o.data::text) as data
    into waiting
    from (
      select w.id, w.user_id, w.sequence, w.type, w.at, w.data from user_event_outbox w
      order by w.id, w.user_id limit batch_limit
    ) o;
  else
    -- A statement about a distributed table asks all workers. So each of the others is asked for its shards by name.
    for worker in
      select n.nodename::text as name, n.nodeport as port, string_agg(format(
        'select id, user_id, sequence, type, at, data::text as data from %s',
        shard_name(s.logicalrelid, s.shardid)), ' union all ') as shards
      from pg_catalog.pg_dist_shard s
      join pg_catalog.pg_dist_placement p on p.shardid = s.shardid
      join pg_catalog.pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
      where s.logicalrelid = 'user_event_outbox'::regclass and p.groupid <> all(away)
      group by n.nodename, n.nodeport
    loop
      select r.success, r.result into answer from master_run_on_worker(
        array[worker.name], array[worker.port], array[format(
          $$select coalesce(json_agg(o), '[]') from (select * from (%s) u order by id, user_id limit %s) o$$,
          worker.shards, batch_limit)], true) r;
      if not answer.success then
        -- connection_failure
        raise exception 'A worker was not reached.' using errcode = '08006';
      end if;
      answers := (answers::jsonb || answer.result::jsonb)::json;
    end loop;
    select count(*) as count, array_agg(o.id) as ids, array_agg(o.user_id) as user_ids,
      array_agg(o.sequence) as sequences, array_agg(o.type) as types, array_agg(o.at) as times,
      array_agg(o.data) as data
    into waiting
    from (
      select w.id, w.user_id, w.sequence, w.type, w.at, w.data
      from json_to_recordset(answers) as w (id bigint, user_id integer, sequence integer, type text, at timestamptz, data text)
      order by w.id, w.user_id limit batch_limit
    ) o;
  end if;
  has_more := waiting.count >= batch_limit;
  -- The first event of a user may be among those that were not read.
  if has_more then coordinator_ids := '{}'; end if;
  has_more := has_more or cardinality(coordinator_ids) >= batch_limit;
  with taken as (
    delete from event_outbox o where o.id = any(coordinator_ids)
    returning o.id, o.type, o.at, o.user_id, o.sequence, o.data
  ), fresh as (
    select w.id, w.type, w.at, w.user_id, w.sequence, w.data::json
    from unnest(waiting.ids, waiting.user_ids, waiting.sequences, waiting.types, waiting.times, waiting.data)
      as w (id, user_id, sequence, type, at, data)
    -- Events of a counter are logged in the order of their numbers.
    where w.sequence > coalesce((
      select e.sequence from events e
      where e.user_id = w.user_id and (e.type like 'transactions.%') = (w.type like 'transactions.%')
      order by e.position desc limit 1), 0)
  ), logged as (
    insert into events (position, id, type, at, user_id, sequence, data)
    select first_position + row_number() over (order by t.place, t.id), event_id(t.at), t.type, t.at, t.user_id,
      t.sequence, t.data
    from (
      select 1 as place, f.id, f.type, f.at, f.user_id, f.sequence, f.data from fresh f
      union all
      select 2, k.id, k.type, k.at, k.user_id, k.sequence, k.data from taken k
    ) t
    returning position, type, data
  ), wanting as materialized (
    -- The lock keeps an endpoint from being disabled while something is queued for it.
    select e.id, e.types from webhook_endpoints e where e.enabled for share
  ), queued as (
    insert into webhook_deliveries (endpoint_id, event_position, due_at)
    select w.id, l.position, moment
    from logged l join wanting w on w.types = '{}' or l.type = any(w.types)
    -- An event about an endpoint is sent to the other endpoints only.
    where l.type not like 'endpoint.%' or (l.data ->> 'endpointId')::integer <> w.id
    order by l.position, w.id
  )
  select count(*) into moved from logged;
  if moved > 0 then
    update event_log set last_position = first_position + moved;
  end if;
  select json_agg(json_build_object('user_id', w.user_id, 'id', w.id, 'at', w.at)) into settled
  from unnest(waiting.user_ids, waiting.ids, waiting.times) as w (user_id, id, at);
end $_$;
CREATE FUNCTION ledgerline.settle_code(codes ledgerline.issued_code[], code_number integer, outcome text) RETURNS ledgerline.issued_code[]
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare
  code issued_code;
  settled issued_code[] := '{}';
begin
  foreach code in array codes loop
    if code.number = code_number then
      code.texts_in_flight := code.texts_in_flight - 1;
      if outcome in ('accepted', 'unknown') then
        code.state := greatest(code.state, outcome::code_state);
        return settled || code;
      end if;
      continue when code.state = 'pending' and code.texts_in_flight = 0;
    end if;
    settled := settled || code;
  end loop;
  return settled;
end $$;
CREATE FUNCTION ledgerline.supersedes(code ledgerline.issued_code, pending_since timestamp with time zone) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ select code.state <> 'pending' or code.sent_at < pending_since $$;
CREATE FUNCTION ledgerline.times_of(events ledgerline.user_event[]) RETURNS timestamp with time zone[]
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare
  event user_event;
  times timestamptz[] := '{}';
begin
  foreach event in array events loop
    times := times || event.at;
  end loop;
  return times;
end $$;
CREATE FUNCTION ledgerline.times_of_others(seen ledgerline.seen_value[], value text) RETURNS timestamp with time zone[]
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare
  known seen_value;
  times timestamptz[] := '{}';
begin
  foreach known in array seen loop
    if known.value <> value then times := times || known.at; end if;
  end loop;
  return times;
end $$;
CREATE FUNCTION ledgerline.users_of_established(seen ledgerline.seen_value[], established_before timestamp with time zone) RETURNS ledgerline.seen_value[]
    LANGUAGE plpgsql STABLE
    AS $$
declare
  established integer[] := find_established(array(select e.value::integer from unnest(seen) e), established_before);
begin
  return array(
    select row(e.at, e.value)::seen_value
    from unnest(seen) with ordinality e (at, value, place)
    where e.value::integer = any(established)
    order by e.place);
end $$;
CREATE FUNCTION ledgerline.with_user_id(event_data json, of_user integer) RETURNS json
    LANGUAGE sql IMMUTABLE
    RETURN ((('{"userId":'::text || of_user) || CASE WHEN ((event_data)::text = '{}'::text) THEN '}'::text ELSE (','::text || substr((event_data)::text, 2)) END))::json;
CREATE FUNCTION ledgerline.without_enforcement(counted ledgerline.guard_limit) RETURNS ledgerline.guard_limit
    LANGUAGE sql IMMUTABLE
    AS $$
  select row(counted.smallest_count, counted.kept, array(
    select row(w.rule, false, w.count, w.seconds, w.block_seconds)::guard_window from unnest(counted.windows) w))::guard_limit
$$;
CREATE FUNCTION ledgerline.write_block_event(for_user integer, block_until timestamp with time zone, called_at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  update verifications v set reported_block_until = block_until
  where v.user_id = for_user and v.blocked_until = block_until and v.reported_block_until is distinct from block_until
    and exists (select 1 from users u where u.id = for_user);
  if found then
    perform write_event('phone.verification_blocked', for_user, called_at, block_data(block_until));
  end if;
end $$;
CREATE FUNCTION ledgerline.write_decisions(singles json, totals json) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  decision record;
begin
  for decision in
    select s.* from json_to_recordset(singles) s (
      decided_at timestamptz, rule text, action text, operation text, user_id integer, phone text, phone_key text,
      country text, source text, evidence jsonb)
    order by s.user_id
  loop
    perform from users u where u.id = decision.user_id for key share;
    continue when not found and exists (select from erased_users x where x.user_id = decision.user_id);
    insert into guard_decisions (
      decided_at, rule, action, operation, user_id, phone, phone_key, country, source, evidence)
    values (decision.decided_at, decision.rule, decision.action, decision.operation, decision.user_id, decision.phone,
      decode(decision.phone_key, 'hex'), decision.country, decision.source, decision.evidence);
  end loop;
  insert into guard_totals as t (rule, action, hour, decisions)
  select n.rule, n.action, n.hour, n.decisions
  from json_to_recordset(totals) n (rule text, action text, hour timestamptz, decisions bigint)
  order by n.rule, n.action, n.hour
  on conflict (rule, action, hour) do update set decisions = t.decisions + excluded.decisions;
end $$;
CREATE FUNCTION ledgerline.write_event(event_type text, of_user integer, moment timestamp with time zone, event_data json) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  first_sequence integer;
begin
  -- The common case, in one statement: a user who has had such an event before.
  with counted as (
    update event_counters c set sequence = c.sequence + 1 where c.user_id = of_user returning c.sequence
  )
  insert into event_outbox (user_id, sequence, type, at, data)
  select of_user, c.sequence, event_type, moment, with_user_id(event_data, of_user) from counted c;
  if found then return; end if;
  -- A separate statement: if users is distributed, Citus would refuse one that also writes to a local table.
  select u.has_created_event::integer + 1 into first_sequence from users u where u.id = of_user;
  if not found then
    insert into event_outbox (type, at, data) values (event_type, moment, event_data);
    return;
  end if;
  with counted as (
    insert into event_counters as c (user_id, sequence) values (of_user, first_sequence)
    on conflict (user_id) do update set sequence = c.sequence + 1
    returning c.sequence
  )
  insert into event_outbox (user_id, sequence, type, at, data)
  select of_user, c.sequence, event_type, moment, with_user_id(event_data, of_user) from counted c;
end $$;
CREATE FUNCTION ledgerline.write_fired_rule_event(data json, called_at timestamp with time zone, quiet_seconds integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into guard_fired_rules as f (rule, country, reported_at)
  values (data ->> 'rule', coalesce(data ->> 'country', ''), called_at)
  on conflict (rule, country) do update set reported_at = excluded.reported_at
  where f.reported_at <= excluded.reported_at - make_interval(secs => quiet_seconds);
  if found then perform write_event('guard.rule_fired', null, called_at, data); end if;
end $$;
CREATE FUNCTION ledgerline.write_missed_block_events(called_at timestamp with time zone, failed_before timestamp with time zone, most integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  -- In two steps: if users is distributed, a local table cannot be joined with it, and no worker is asked if nothing is
  -- missed.
  blocked integer[] := array(
    select v.user_id from verifications v
    where v.blocked_until > called_at and v.reported_block_until is distinct from v.blocked_until
      and v.failures[cardinality(v.failures)] < failed_before);
  missed record;
  written integer := 0;
begin
  if cardinality(blocked) = 0 then return 0; end if;
  blocked := array(select u.id from users u where u.id = any(blocked) order by u.id limit most);
  for missed in select v.user_id, v.blocked_until from verifications v where v.user_id = any(blocked) loop
    perform write_block_event(missed.user_id, missed.blocked_until, called_at);
    written := written + 1;
  end loop;
  return written;
end $$;
CREATE FUNCTION ledgerline.write_verification_events(noted json) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  event record;
begin
  for event in
    select n.* from json_to_recordset(noted) n (user_id integer, at timestamptz, kind text, reason text, times integer)
    order by n.user_id, n.at
  loop
    perform from users u where u.id = event.user_id for key share;
    if found then
      insert into verification_events (user_id, at, kind, reason, times)
      values (event.user_id, event.at, event.kind, event.reason, event.times);
    end if;
  end loop;
end $$;
CREATE TABLE ledgerline.digest_keys (
    fingerprint text NOT NULL,
    number integer NOT NULL,
    is_current boolean NOT NULL,
    wrapped_guard_key bytea NOT NULL
);
CREATE TABLE ledgerline.erased_users (
    user_id integer NOT NULL,
    erased_at timestamp with time zone NOT NULL,
    retained_until timestamp with time zone,
    rows_removed_at timestamp with time zone,
    is_complete boolean DEFAULT true NOT NULL,
    has_events boolean DEFAULT true NOT NULL
);
CREATE TABLE ledgerline.event_counters (
    user_id integer NOT NULL,
    sequence integer NOT NULL
)
WITH (fillfactor='80');
CREATE TABLE ledgerline.event_log (
    only_row boolean DEFAULT true NOT NULL,
    generation uuid NOT NULL,
    last_position bigint DEFAULT 0 NOT NULL,
    CONSTRAINT event_log_only_row_check CHECK (only_row)
);
CREATE SEQUENCE ledgerline.event_outbox_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE ledgerline.event_outbox (
    id bigint DEFAULT nextval('ledgerline.event_outbox_ids'::regclass) NOT NULL,
    user_id integer,
    sequence integer,
    type text NOT NULL,
    at timestamp with time zone NOT NULL,
    data json NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000');
CREATE TABLE ledgerline.events (
    "position" bigint NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL,
    at timestamp with time zone NOT NULL,
    user_id integer,
    sequence integer,
    data json NOT NULL
);
CREATE TABLE ledgerline.functions (
    id bigint NOT NULL,
    name text NOT NULL,
    digest text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ledgerline.functions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ledgerline.functions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE ledgerline.guard_budgets (
    name text NOT NULL,
    day date NOT NULL,
    cap bigint NOT NULL,
    used bigint NOT NULL,
    granted bigint NOT NULL,
    CONSTRAINT guard_budgets_used_check CHECK (((used >= 0) AND (used <= cap)))
)
WITH (fillfactor='50');
CREATE TABLE ledgerline.guard_codes (
    key bytea NOT NULL,
    users ledgerline.seen_value[] DEFAULT '{}'::ledgerline.seen_value[] NOT NULL,
    blocked_until timestamp with time zone
)
WITH (fillfactor='70');
CREATE TABLE ledgerline.guard_decisions (
    id bigint NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    rule text NOT NULL,
    action text NOT NULL,
    operation text NOT NULL,
    user_id integer NOT NULL,
    phone text,
    phone_key bytea,
    country text,
    source text,
    evidence jsonb,
    CONSTRAINT guard_decisions_action_check CHECK ((action = ANY (ARRAY['refused'::text, 'shadow'::text]))),
    CONSTRAINT guard_decisions_operation_check CHECK ((operation = ANY (ARRAY['send-code'::text, 'verify-phone'::text])))
);
ALTER TABLE ledgerline.guard_decisions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ledgerline.guard_decisions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE ledgerline.guard_fired_rules (
    rule text NOT NULL,
    country text NOT NULL,
    reported_at timestamp with time zone NOT NULL
);
CREATE TABLE ledgerline.guard_modes (
    rule text NOT NULL,
    mode text NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    changed_by text NOT NULL,
    CONSTRAINT guard_modes_mode_check CHECK ((mode = ANY (ARRAY['off'::text, 'shadow'::text, 'enforce'::text])))
);
CREATE TABLE ledgerline.guard_proofs (
    key bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE ledgerline.guard_safe (
    key text NOT NULL,
    label text NOT NULL,
    is_prefix boolean NOT NULL,
    added_at timestamp with time zone NOT NULL,
    added_by text NOT NULL
);
CREATE TABLE ledgerline.guard_sources (
    key bytea NOT NULL,
    kind text NOT NULL,
    label text NOT NULL,
    sends timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    failures timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    verified timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    blocked_until timestamp with time zone
)
WITH (fillfactor='70');
CREATE TABLE ledgerline.guard_totals (
    rule text NOT NULL,
    action text NOT NULL,
    hour timestamp with time zone NOT NULL,
    decisions bigint NOT NULL,
    CONSTRAINT guard_totals_action_check CHECK ((action = ANY (ARRAY['refused'::text, 'shadow'::text])))
);
CREATE TABLE ledgerline.installation (
    only_row boolean DEFAULT true NOT NULL,
    served_production boolean DEFAULT false NOT NULL,
    served_sandbox boolean DEFAULT false NOT NULL,
    clock_ahead_seconds bigint DEFAULT 0 NOT NULL,
    CONSTRAINT installation_only_row_check CHECK (only_row)
);
CREATE TABLE ledgerline.job_leases (
    job text NOT NULL,
    holder uuid NOT NULL,
    held_until timestamp with time zone NOT NULL
);
CREATE TABLE ledgerline.messages (
    user_id integer NOT NULL,
    message_number integer NOT NULL,
    code_number integer NOT NULL,
    phone text NOT NULL,
    country text NOT NULL,
    correlation_type smallint NOT NULL,
    locale text NOT NULL,
    segments smallint NOT NULL,
    gateway text NOT NULL,
    gateway_message_id text,
    state ledgerline.message_state NOT NULL,
    reason text,
    tries json,
    requested_at timestamp with time zone NOT NULL,
    answered_at timestamp with time zone NOT NULL,
    state_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    verified_at timestamp with time zone,
    CONSTRAINT messages_segments CHECK ((segments > 0))
)
WITH (fillfactor='90');
CREATE TABLE ledgerline.migrations (
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL,
    kind text NOT NULL
);
CREATE TABLE ledgerline.operator_actions (
    id bigint NOT NULL,
    acted_at timestamp with time zone NOT NULL,
    subject text NOT NULL,
    client text NOT NULL,
    action text NOT NULL,
    target text NOT NULL,
    detail text,
    reason text,
    user_id integer
);
ALTER TABLE ledgerline.operator_actions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ledgerline.operator_actions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE ledgerline.phone_links (
    phone text NOT NULL,
    user_id integer NOT NULL,
    linked_at timestamp with time zone NOT NULL
);
CREATE TABLE ledgerline.phone_sends (
    key bytea NOT NULL,
    label text NOT NULL,
    sends ledgerline.user_event[] DEFAULT '{}'::ledgerline.user_event[] NOT NULL,
    failures ledgerline.user_event[] DEFAULT '{}'::ledgerline.user_event[] NOT NULL,
    users ledgerline.seen_value[] DEFAULT '{}'::ledgerline.seen_value[] NOT NULL,
    proven timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    blocked_until timestamp with time zone
)
WITH (fillfactor='70');
CREATE UNLOGGED TABLE ledgerline.sandbox_messages (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    phone_key bytea NOT NULL,
    sealed bytea NOT NULL,
    sent_at timestamp with time zone NOT NULL
);
ALTER TABLE ledgerline.sandbox_messages ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ledgerline.sandbox_messages_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE ledgerline.send_keys (
    user_id integer NOT NULL,
    key_digest bytea NOT NULL,
    request_digest bytea NOT NULL,
    claimed_at timestamp with time zone NOT NULL,
    status smallint,
    error text,
    CONSTRAINT send_keys_status_check CHECK ((status = ANY (ARRAY[204, 400])))
);
CREATE TABLE ledgerline.transaction_blocks (
    individual_id integer NOT NULL,
    start_time timestamp with time zone NOT NULL,
    end_time timestamp with time zone NOT NULL,
    row_count integer NOT NULL,
    last_seq integer NOT NULL,
    amounts bigint[],
    recent bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    facets jsonb,
    words text,
    version bigint DEFAULT 0 NOT NULL,
    CONSTRAINT transaction_blocks_counts CHECK (((row_count >= 0) AND (last_seq >= 0))),
    CONSTRAINT transaction_blocks_times CHECK ((start_time < end_time))
)
WITH (fillfactor='50');
ALTER TABLE ONLY ledgerline.transaction_blocks ALTER COLUMN amounts SET STORAGE EXTERNAL;
ALTER TABLE ONLY ledgerline.transaction_blocks ALTER COLUMN words SET STORAGE EXTERNAL;
CREATE TABLE ledgerline.transaction_history (
    individual_id integer NOT NULL,
    transaction_id text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    replaced_at timestamp with time zone NOT NULL,
    body text NOT NULL,
    CONSTRAINT transaction_history_version CHECK ((version > 0))
);
CREATE TABLE ledgerline.transactions (
    individual_id integer NOT NULL,
    transaction_id text NOT NULL COLLATE pg_catalog."C",
    seq integer NOT NULL,
    time_stamp timestamp with time zone NOT NULL,
    amount numeric NOT NULL,
    currency text NOT NULL,
    transaction_type text NOT NULL,
    transaction_category text NOT NULL,
    transaction_status text NOT NULL,
    search_text text NOT NULL,
    body text NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    CONSTRAINT transactions_amount CHECK (((amount >= (0)::numeric) AND (amount < '100000000000000000000'::numeric))),
    CONSTRAINT transactions_currency CHECK ((length(currency) = 3)),
    CONSTRAINT transactions_seq CHECK ((seq > 0)),
    CONSTRAINT transactions_transaction_id CHECK (((length(transaction_id) >= 1) AND (length(transaction_id) <= 64)))
);
CREATE TABLE ledgerline.user_event_outbox (
    id bigint DEFAULT nextval('ledgerline.event_outbox_ids'::regclass) NOT NULL,
    user_id integer NOT NULL,
    sequence integer NOT NULL,
    type text NOT NULL,
    at timestamp with time zone NOT NULL,
    data json NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000');
CREATE SEQUENCE ledgerline.user_ids
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
    CYCLE;
CREATE TABLE ledgerline.users (
    id integer NOT NULL,
    merchant_id integer,
    email text,
    additional_data json,
    created_at timestamp with time zone NOT NULL,
    transaction_count integer DEFAULT 0 NOT NULL,
    has_created_event boolean DEFAULT false NOT NULL,
    transaction_event_count integer DEFAULT 0 NOT NULL,
    CONSTRAINT users_id_check CHECK ((id > 0)),
    CONSTRAINT users_transaction_count CHECK ((transaction_count >= 0))
)
WITH (fillfactor='80');
CREATE TABLE ledgerline.verification_events (
    user_id integer NOT NULL,
    at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    reason text,
    times integer NOT NULL,
    CONSTRAINT verification_events_kind_check CHECK ((kind = ANY (ARRAY['send-refused'::text, 'verify-refused'::text, 'verified'::text, 'phone-unlinked'::text, 'block-lifted'::text]))),
    CONSTRAINT verification_events_times_check CHECK ((times > 0))
);
CREATE TABLE ledgerline.verifications (
    user_id integer NOT NULL,
    verified_phone text,
    verified_at timestamp with time zone,
    sent_phone text,
    sent_correlation_type smallint DEFAULT 0 NOT NULL,
    last_code_number integer DEFAULT 0 NOT NULL,
    last_message_number integer DEFAULT 0 NOT NULL,
    latest_code ledgerline.issued_code,
    earlier_codes ledgerline.issued_code[] DEFAULT '{}'::ledgerline.issued_code[] NOT NULL,
    sends timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    failures timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    phones ledgerline.seen_value[] DEFAULT '{}'::ledgerline.seen_value[] NOT NULL,
    blocked_until timestamp with time zone,
    reported_block_until timestamp with time zone,
    CONSTRAINT verifications_verified CHECK (((verified_phone IS NULL) = (verified_at IS NULL)))
)
WITH (fillfactor='70');
CREATE TABLE ledgerline.webhook_deliveries (
    id bigint NOT NULL,
    endpoint_id integer NOT NULL,
    event_position bigint NOT NULL,
    state text DEFAULT 'due'::text NOT NULL,
    is_replay boolean DEFAULT false NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    due_at timestamp with time zone NOT NULL,
    last_attempt_at timestamp with time zone,
    last_status smallint,
    last_error text,
    last_answer text,
    CONSTRAINT webhook_deliveries_attempts CHECK ((attempts >= 0)),
    CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['due'::text, 'delivered'::text, 'failed'::text])))
)
WITH (fillfactor='85', autovacuum_vacuum_scale_factor='0.02');
ALTER TABLE ledgerline.webhook_deliveries ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ledgerline.webhook_deliveries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE ledgerline.webhook_dispatchers (
    id uuid NOT NULL,
    seen_until timestamp with time zone NOT NULL
)
WITH (fillfactor='50');
CREATE SEQUENCE ledgerline.webhook_endpoint_ids
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE ledgerline.webhook_endpoints (
    id integer NOT NULL,
    url text NOT NULL,
    types text[] NOT NULL,
    description text,
    enabled boolean DEFAULT true NOT NULL,
    disabled_reason text,
    created_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE ledgerline.webhook_lease_epochs
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE ledgerline.webhook_leases (
    endpoint_id integer NOT NULL,
    holder uuid,
    epoch bigint DEFAULT 0 NOT NULL,
    held_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    failing_since timestamp with time zone
)
WITH (fillfactor='50');
CREATE TABLE ledgerline.webhook_secrets (
    id integer NOT NULL,
    endpoint_id integer NOT NULL,
    sealed bytea NOT NULL,
    expires_at timestamp with time zone
);
ALTER TABLE ledgerline.webhook_secrets ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ledgerline.webhook_secrets_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
INSERT INTO ledgerline.digest_keys VALUES
	('e6579d34737b8352', 1, true, '\x22f632a80cc47742c00699bd808fe23626d86e02b516807b957f093d4ae072c70d1d159fddfec4a339ab9bec165656c2f4666f00d17a098d6bde600f');
INSERT INTO ledgerline.erased_users VALUES
	(4, '2026-11-17 19:35:15.332+00', NULL, '2026-11-17 19:35:15.332+00', true, true);
INSERT INTO ledgerline.event_counters VALUES
	(2, 3),
	(3, 2),
	(10, 2),
	(11, 2),
	(12, 2),
	(13, 2),
	(4, 3),
	(5, 3);
INSERT INTO ledgerline.event_log VALUES
	(true, '138254b3-0490-4e97-a9a7-e90e301709fe', 23);
INSERT INTO ledgerline.event_outbox VALUES
	(25, 5, 2, 'phone.code_sent', '2026-11-17 19:35:16.611+00', '{"userId":5,"country" : "GB", "correlationType" : 0, "gateway" : "inbox", "outcome" : "accepted", "codeNumber" : 1}'),
	(26, 5, 3, 'phone.verified', '2026-11-17 19:35:16.627+00', '{"userId":5,"country" : "GB"}');
INSERT INTO ledgerline.events VALUES
	(1, '01a1eb01-9142-7032-b5b5-185dabb63769', 'transactions.recorded', '2026-11-17 19:35:10.914+00', 1, 1, '{"userId":1,"count":6,"transactionIds":["block-0","block-1","block-2","block-3","block-4","block-5"],"more":false}'),
	(2, '01a1eb01-9c47-7655-a70e-df323d0baa24', 'user.created', '2026-11-17 19:35:13.735+00', 2, 1, '{"userId":2}'),
	(3, '01a1eb01-9cf9-7851-ab78-ad1e39a9a233', 'phone.code_sent', '2026-11-17 19:35:13.913+00', 2, 2, '{"userId":2,"country" : "GB", "correlationType" : 0, "gateway" : "inbox", "outcome" : "accepted", "codeNumber" : 1}'),
	(4, '01a1eb01-9d8a-7a06-bef6-07af2e81d67d', 'phone.verified', '2026-11-17 19:35:14.058+00', 2, 3, '{"userId":2,"country" : "GB"}'),
	(5, '01a1eb01-9e05-772e-bf0d-5d94d99ff3bf', 'user.created', '2026-11-17 19:35:14.181+00', 3, 1, '{"userId":3}'),
	(6, '01a1eb01-9e30-73a8-a976-3dadcbb5e70c', 'phone.code_sent', '2026-11-17 19:35:14.224+00', 3, 2, '{"userId":3,"country" : "GB", "correlationType" : 0, "gateway" : "inbox", "outcome" : "accepted", "codeNumber" : 1}'),
	(7, '01a1eb01-9fe5-74d5-9350-afdec3607d92', 'user.created', '2026-11-17 19:35:14.661+00', 4, 1, '{"userId":4}'),
	(8, '01a1eb01-9ffc-7be6-b5f9-6b4089c70137', 'user.created', '2026-11-17 19:35:14.684+00', 10, 1, '{"userId":10}'),
	(9, '01a1eb01-a051-7ff6-8585-036b4c4ccab8', 'phone.code_sent', '2026-11-17 19:35:14.769+00', 10, 2, '{"userId":10,"country" : "GB", "correlationType" : 0, "gateway" : "inbox", "outcome" : "accepted", "codeNumber" : 1}'),
	(10, '01a1eb01-a058-7c7b-b69b-397bb732b1eb', 'user.created', '2026-11-17 19:35:14.776+00', 11, 1, '{"userId":11}'),
	(11, '01a1eb01-a0f0-7fea-8e47-e4d836b8803c', 'phone.code_sent', '2026-11-17 19:35:14.928+00', 11, 2, '{"userId":11,"country" : "GB", "correlationType" : 0, "gateway" : "inbox", "outcome" : "accepted", "codeNumber" : 1}'),
	(12, '01a1eb01-a122-7d4f-8e53-4ed8e9ff477a', 'user.created', '2026-11-17 19:35:14.978+00', 12, 1, '{"userId":12}'),
	(13, '01a1eb01-a166-7423-8222-b7a6e027073c', 'phone.code_sent', '2026-11-17 19:35:15.046+00', 12, 2, '{"userId":12,"country" : "GB", "correlationType" : 0, "gateway" : "inbox", "outcome" : "accepted", "codeNumber" : 1}'),
	(14, '01a1eb01-a170-78d5-9339-7d4ad5f96b32', 'user.created', '2026-11-17 19:35:15.056+00', 13, 1, '{"userId":13}'),
	(15, '01a1eb01-a18d-772e-8572-538b9cd53149', 'guard.rule_fired', '2026-11-17 19:35:15.085+00', NULL, NULL, '{"rule":"challenge","country":"GB","mode":"enforce","evidence":"range +44740001 was sent 3 codes in the last hour, normal 0; 0 % verified, normal 60 %; 3 unverified in the last day"}'),
	(16, '01a1eb01-a1d1-7e5f-aaf4-ce4374fb7f8b', 'phone.code_sent', '2026-11-17 19:35:15.153+00', 13, 2, '{"userId":13,"country" : "GB", "correlationType" : 0, "gateway" : "inbox", "outcome" : "accepted", "codeNumber" : 1}'),
	(17, '01a1eb01-a1e8-701c-ace8-c3cdcd7ac04c', 'transactions.recorded', '2026-11-17 19:35:15.176+00', 2, 1, '{"userId":2,"count":1,"transactionIds":["pending"],"more":false}'),
	(18, '01a1eb01-a202-792e-9104-baeef7a6e5a5', 'transactions.updated', '2026-11-17 19:35:15.202+00', 2, 2, '{"userId":2,"transactionIds":["pending"],"more":false}'),
	(19, '01a1eb01-a21c-701d-bb30-96ddbc238d9a', 'operator.acted', '2026-11-17 19:35:15.228+00', NULL, NULL, '{"action" : "set-mode", "actor" : "sandbox", "target" : "phone-users"}'),
	(20, '01a1eb01-a231-7539-a5d4-0826d42652e8', 'operator.acted', '2026-11-17 19:35:15.249+00', NULL, NULL, '{"action" : "add-safe", "actor" : "sandbox", "target" : "+4479"}'),
	(21, '01a1eb01-a26a-788a-b9fd-3179886addac', 'operator.acted', '2026-11-17 19:35:15.306+00', NULL, NULL, '{"action" : "create-webhook-endpoint", "actor" : "sandbox", "target" : "webhook endpoint 1"}'),
	(22, '01a1eb01-a284-7168-ac74-018736fa1092', 'user.erased', '2026-11-17 19:35:15.332+00', 4, 2, '{"userId":4,"retainedUntil":null}'),
	(23, '01a1eb01-a284-7a3f-a4a5-e103c63b8114', 'operator.acted', '2026-11-17 19:35:15.332+00', 4, 3, '{"userId":4,"action" : "erase-user", "actor" : "sandbox", "target" : "user 4"}');
INSERT INTO ledgerline.functions OVERRIDING SYSTEM VALUE VALUES
	(1, 'blocks.sql', 'd1fb98ed8787698969ffec9396db9d7fcb5f75e9c2d5b1d6d2370502c547ef2a', '2026-11-17 19:35:10.789192+00'),
	(2, 'consume_code.sql', 'cc7793ebb01e053d6868aa61a06ab70866082f1e0724af1ac29baa620c95e712', '2026-11-17 19:35:10.789192+00'),
	(3, 'disable_endpoint.sql', '8a7fe143013dc3fab550349e319695c0b312b8ea054f3e98bb066ecafc6b0187', '2026-11-17 19:35:10.789192+00'),
	(4, 'established_users.sql', 'd46228c1ee4dddacb9e4568443e68026c2d79e4f760e2be770a2f7995dcb5be6', '2026-11-17 19:35:10.789192+00'),
	(5, 'event_id.sql', '71cafdaef7b431751b2bac3f9a9b5d2ad854a18350e0dd5ad62a24d5abfae695', '2026-11-17 19:35:10.789192+00'),
	(6, 'event_lists.sql', 'dcdc534210697e0054a8379b625b04af7e45ff583f7dc360f84ca86926cd3267', '2026-11-17 19:35:10.789192+00'),
	(7, 'exchange_ranges.sql', '587f98e879fa00b5ae9a5fd784279f0fe7fc02ba0ed1e8f3d924279f08949ebf', '2026-11-17 19:35:10.789192+00'),
	(8, 'fail_due_deliveries.sql', '8b0c3f83978d030389e70c8d4e74d28179fad2e049694a7f6eab0b01813bbbac', '2026-11-17 19:35:10.789192+00'),
	(9, 'finish_send.sql', 'd2b7d0f61b018e5a24b582504c2ad90562ec369828e1405274501834f100b2d9', '2026-11-17 19:35:10.789192+00'),
	(10, 'full_windows.sql', '47560318a7dd7a0db1cf6a9fceb85589b9f1e7926fef53d5df0c98fec5ebd1b8', '2026-11-17 19:35:10.789192+00'),
	(11, 'issued_codes.sql', '43211aa6033e8dfe9aa6142e5889e1bec1fa938a8bc628b01fa7b48f72c4d4c4', '2026-11-17 19:35:10.789192+00'),
	(12, 'lease_endpoints.sql', 'e53faff8e290d99b6bcff464a05d4a0dcf88d8c71567142c82f1232fd746e9a2', '2026-11-17 19:35:10.789192+00'),
	(13, 'leases.sql', 'ee53ad9eeea6eae989618ac712634e4c75abe235ac9860318e550e427fb40708', '2026-11-17 19:35:10.789192+00'),
	(14, 'lost_race.sql', 'ecff81565b0819d9aa262d1fbcd2f78ecc604d1c8973be436efc3904aed8974a', '2026-11-17 19:35:10.789192+00'),
	(15, 'mark_deliveries.sql', 'd0cc8450a7e84bf0e533f1ff33904a49529053ce0d4b8a9c2aee3e49e9ba723c', '2026-11-17 19:35:10.789192+00'),
	(16, 'record_action.sql', '22c02698ef8ce20cb92df9eb1efaac4b9800c1399461830897bf7a266f099740', '2026-11-17 19:35:10.789192+00'),
	(17, 'refusals.sql', 'ed4f83b966509dc5ae7ee060e8d4d4101c00b26ab9799a6c55cfcc05d9a91e0a', '2026-11-17 19:35:10.789192+00'),
	(18, 'reserve_attempt.sql', 'e64d012c6244701041014ef3a0533004be8b03a1d32e4b9bef95f205d1d76615', '2026-11-17 19:35:10.789192+00'),
	(19, 'reserve_proven_send.sql', '6a9ffc5dda125b7f6f99026e09d3c6b15efe92d1e612f008726427e3651264c2', '2026-11-17 19:35:10.789192+00'),
	(20, 'reserve_send.sql', '19c98379d78c1e9db2aadcbc58b8e3c8f95bdde279692c3203841e55294645b9', '2026-11-17 19:35:10.789192+00'),
	(21, 'seconds_after.sql', '5bec852c90a5efb96e453166e0b82fa088d657d947a4f0c7f67fd8bb45065d02', '2026-11-17 19:35:10.789192+00'),
	(22, 'seen_values.sql', '8eb09f8d2a66ebd1c98a1a31c3bc5dee70ab093ac634f3a320c267b3b75fc968', '2026-11-17 19:35:10.789192+00'),
	(23, 'sequence_distributed_events.sql', '1a34e2d7226e555bad914153cea4a3a3ac3e9fc615ae8670e422f6d2fe95418a', '2026-11-17 19:35:10.789192+00'),
	(24, 'sequence_events.sql', 'acc174da959dc76bc18e338b8d37ded4bee5bd2f44f675a0736f9dfa1ddf4714', '2026-11-17 19:35:10.789192+00'),
	(25, 'sequence_reachable_events.sql', '2b5b1eb4234b34b827ff093f94d7d0880bc182671932ff9005b84e96fc21444b', '2026-11-17 19:35:10.789192+00'),
	(26, 'with_user_id.sql', 'ca1490a9c5e48738d4fd4c5509f4e4aab18152cf3ac521b77f68dad46eb81e35', '2026-11-17 19:35:10.789192+00'),
	(27, 'write_block_event.sql', '90357ec894bc624a6ecb5b36dcfaa6ca8a47e74f3661c7b3e30b5416d9f55202', '2026-11-17 19:35:10.789192+00'),
	(28, 'write_decisions.sql', '982d29b4fba9206b7f3a43fd1249cda08ee4b9b949e96cbb9db1f567f3026365', '2026-11-17 19:35:10.789192+00'),
	(29, 'write_event.sql', 'f59decf321a892e0b109b7392b663880cd6111db4443f71db67c07d02faada88', '2026-11-17 19:35:10.789192+00'),
	(30, 'write_fired_rule_event.sql', '49d748ec65a525b2c38c9f1a81706382b970b99f2ef822192b2fdbc4e1ee4e13', '2026-11-17 19:35:10.789192+00'),
	(31, 'write_verification_events.sql', '2c353ee84aea114c7959b69074b27087faa339a314f8534672ed74117da5ef65', '2026-11-17 19:35:10.789192+00');
INSERT INTO ledgerline.guard_budgets VALUES
	('sends GB', '2026-11-17', 10000, 7, 1),
	('spend', '2026-11-17', 50000000, 7527, 1000),
	('spend GB', '2026-11-17', 10000000, 7527, 1000);
INSERT INTO ledgerline.guard_codes VALUES
	('\x1dac4747e41aa9d5de31109a7ef8d4d1', '{"(\"2026-11-17 19:35:14.582+00\",3)"}', NULL);
INSERT INTO ledgerline.guard_decisions OVERRIDING SYSTEM VALUE VALUES
	(1, '2026-11-17 19:35:15.085+00', 'challenge', 'refused', 'send-code', 13, '+44…03', '\xc321316f550692461c9c9e217e45643a', 'GB', NULL, '{"name": "+44740001", "sent": 3, "level": "range", "failed": 0, "reported": 0, "normalSent": 0, "unverified": 3, "verifiedPercent": 0, "normalVerifiedPercent": 60}');
INSERT INTO ledgerline.guard_fired_rules VALUES
	('challenge', 'GB', '2026-11-17 19:35:15.085+00');
INSERT INTO ledgerline.guard_modes VALUES
	('phone-users', 'shadow', '2026-11-17 19:35:15.228+00', 'sandbox');
INSERT INTO ledgerline.guard_proofs VALUES
	('\xae0c76d8882a301cd57af24cd7accefa', '2026-11-17 19:40:15+00');
INSERT INTO ledgerline.guard_ranges VALUES
	('+44740001', '2026-11-17 19:35:15.727+00', 4, 0, 4, 4, 4, 0, 0, 0, 1, '2026-11-17 19:35:15.085+00', '2026-11-17 21:22:46.136+00'),
	('+44740', '2026-11-17 19:35:17.669+00', 6.995965352542835, 1.9990612742123166, 6.9998318312454035, 3.491128552611719, 6.9999879877775175, 1.9999972048650174, 0, 0, 0, NULL, NULL),
	('+447400', '2026-11-17 19:35:17.669+00', 6.995965352542835, 1.9990612742123166, 6.9998318312454035, 3.491128552611719, 6.9999879877775175, 1.9999972048650174, 0, 0, 0, NULL, NULL),
	('+4474000', '2026-11-17 19:35:17.669+00', 6.995965352542835, 1.9990612742123166, 6.9998318312454035, 3.491128552611719, 6.9999879877775175, 1.9999972048650174, 0, 0, 0, NULL, NULL),
	('+44740000', '2026-11-17 19:35:17.669+00', 2.9981225484246337, 1.9990612742123168, 2.9999217376424, 0, 2.999994409730035, 1.9999972048650174, 0, 0, 0, NULL, NULL),
	('GB', '2026-11-17 19:35:17.669+00', 6.995965352542835, 1.9990612742123166, 6.9998318312454035, 3.491128552611719, 6.9999879877775175, 1.9999972048650174, 0, 0, 0, NULL, NULL),
	('GB 67', '2026-11-17 19:35:17.669+00', 0, 0, 0, 0, 0, 1.9999972048650174, 0, 0, 0, NULL, NULL);
INSERT INTO ledgerline.guard_safe VALUES
	('+4479', '+4479', true, '2026-11-17 19:35:15.249+00', 'sandbox');
INSERT INTO ledgerline.guard_sources VALUES
	('\xc08aedb485a40d6dd677bf1db4b5d0d1', 'address', '192.0.2.1', '{"2026-11-17 19:35:13.848+00"}', '{}', '{}', NULL);
INSERT INTO ledgerline.guard_totals VALUES
	('challenge', 'refused', '2026-11-17 19:00:00+00', 1);
INSERT INTO ledgerline.installation VALUES
	(true, false, true, 0);
INSERT INTO ledgerline.job_leases VALUES
	('stray-events', 'cf93edb6-5158-4632-b27e-ac9c0ea6dc92', '2026-11-17 19:35:45.46126+00');
INSERT INTO ledgerline.messages VALUES
	(2, 1, 1, '+44…01', 'GB', 0, 'en', 1, 'inbox', NULL, 'accepted', NULL, NULL, '2026-11-17 19:35:13.848+00', '2026-11-17 19:35:13.913+00', '2026-11-17 19:35:13.913+00', '2026-11-17 19:45:13.848+00', '2026-11-17 19:35:14.058+00'),
	(3, 1, 1, '+44…02', 'GB', 0, 'en', 1, 'inbox', NULL, 'accepted', NULL, NULL, '2026-11-17 19:35:14.192+00', '2026-11-17 19:35:14.224+00', '2026-11-17 19:35:14.224+00', '2026-11-17 19:45:14.192+00', NULL),
	(10, 1, 1, '+44…00', 'GB', 0, 'en', 1, 'inbox', NULL, 'accepted', NULL, NULL, '2026-11-17 19:35:14.713+00', '2026-11-17 19:35:14.769+00', '2026-11-17 19:35:14.769+00', '2026-11-17 19:45:14.713+00', NULL),
	(11, 1, 1, '+44…01', 'GB', 0, 'en', 1, 'inbox', NULL, 'accepted', NULL, NULL, '2026-11-17 19:35:14.909+00', '2026-11-17 19:35:14.928+00', '2026-11-17 19:35:14.928+00', '2026-11-17 19:45:14.909+00', NULL),
	(12, 1, 1, '+44…02', 'GB', 0, 'en', 1, 'inbox', NULL, 'accepted', NULL, NULL, '2026-11-17 19:35:15.021+00', '2026-11-17 19:35:15.046+00', '2026-11-17 19:35:15.046+00', '2026-11-17 19:45:15.021+00', NULL),
	(13, 1, 1, '+44…03', 'GB', 0, 'en', 1, 'inbox', NULL, 'accepted', NULL, NULL, '2026-11-17 19:35:15.136+00', '2026-11-17 19:35:15.153+00', '2026-11-17 19:35:15.153+00', '2026-11-17 19:45:15.136+00', NULL),
	(5, 1, 1, '+44…05', 'GB', 0, 'en', 1, 'inbox', NULL, 'accepted', NULL, NULL, '2026-11-17 19:35:16.601+00', '2026-11-17 19:35:16.611+00', '2026-11-17 19:35:16.611+00', '2026-11-17 19:45:16.601+00', '2026-11-17 19:35:16.627+00');
INSERT INTO ledgerline.migrations VALUES
	('0001_schema.sql', '2026-11-17 19:35:10.60832+00', 'expand');
INSERT INTO ledgerline.operator_actions OVERRIDING SYSTEM VALUE VALUES
	(1, '2026-11-17 19:35:15.228+00', 'sandbox', 'sandbox', 'set-mode', 'phone-users', 'shadow', 'A test.', NULL),
	(2, '2026-11-17 19:35:15.249+00', 'sandbox', 'sandbox', 'add-safe', '+4479', NULL, NULL, NULL),
	(3, '2026-11-17 19:35:15.306+00', 'sandbox', 'sandbox', 'create-webhook-endpoint', 'webhook endpoint 1', NULL, NULL, NULL),
	(4, '2026-11-17 19:35:15.332+00', 'sandbox', 'sandbox', 'erase-user', 'user 4', NULL, NULL, 4);
INSERT INTO ledgerline.phone_links VALUES
	('+447400000001', 2, '2026-11-17 19:35:14.058+00'),
	('+447400000005', 5, '2026-11-17 19:35:16.627+00');
INSERT INTO ledgerline.phone_sends VALUES
	('\xce285b8c7cf780acc98cb0860ead339b', '+44…01', '{"(\"2026-11-17 19:35:13.848+00\",2)"}', '{}', '{"(\"2026-11-17 19:35:13.848+00\",2)"}', '{}', NULL),
	('\x89346a8b52f13cc95bbd1736a3044b91', '+44…02', '{"(\"2026-11-17 19:35:14.192+00\",3)"}', '{"(\"2026-11-17 19:35:14.582+00\",3)"}', '{"(\"2026-11-17 19:35:14.192+00\",3)"}', '{}', NULL),
	('\xd1d8fa02a1b0bc7a5fa14c87a3a5297b', '+44…00', '{"(\"2026-11-17 19:35:14.713+00\",10)"}', '{}', '{"(\"2026-11-17 19:35:14.713+00\",10)"}', '{}', NULL),
	('\x0438e5a227190273e7584f9de92799bd', '+44…01', '{"(\"2026-11-17 19:35:14.909+00\",11)"}', '{}', '{"(\"2026-11-17 19:35:14.909+00\",11)"}', '{}', NULL),
	('\x431caa347fec9fa990ae00ab56576069', '+44…02', '{"(\"2026-11-17 19:35:15.021+00\",12)"}', '{}', '{"(\"2026-11-17 19:35:15.021+00\",12)"}', '{}', NULL),
	('\xc321316f550692461c9c9e217e45643a', '+44…03', '{"(\"2026-11-17 19:35:15.136+00\",13)"}', '{}', '{"(\"2026-11-17 19:35:15.136+00\",13)"}', '{"2026-11-17 19:35:15.136+00"}', NULL),
	('\x96d4a263651362033944c8e9c0f1e2b8', '+44…05', '{"(\"2026-11-17 19:35:16.601+00\",5)"}', '{}', '{"(\"2026-11-17 19:35:16.601+00\",5)"}', '{}', NULL);
INSERT INTO ledgerline.sandbox_messages OVERRIDING SYSTEM VALUE VALUES
	(1, 2, '\x26f77ba5b6feaf66f6ddde4f5af8f567086307caf890f5477fcd91d160f24850', '\x265efd09207686eacfcd7daddefee2acc7663643547fe0e8a548a29ad9479a807856285e35fc9d85e35db935e100959f6d5b87ecceb2870430e46ce3add0e2221643cf218013f2794ead22d56ac92e1a12ff1c81c39323cfbbb2d36d09af3d95dd943f78fed038c926f362c3b8b2b76acaeb65a99d15f0e28d70204c635e71ee47531bee117c71894339750dbbec4a473645a67dc3eda0d89859', '2026-11-17 19:35:13.899+00'),
	(2, 3, '\x811b12b794cf23b94459644d5c572395846273d987b8555fc10ee5a16eb280be', '\x22049d45dc556567a7d4c853c54058bea41e183300404b5bfda99398f441800a26d693ef2423f7a18bb67b66c29a41546e7dd4b11a18d5dcfb05947119b7ebc5994e32e7029979487b42344ea0aebf49598a7df7cb36c757bae3803244c114e93c74e9aae36a6ac3962a4f2b5299e0c1c68be11524aebd9e4c06090ef93c3ef8dba559b66e5f8158b8cde33a6c7d1e8d307eaa7bde8d2e2d7f63', '2026-11-17 19:35:14.222+00'),
	(3, 10, '\xa7065d2c6cf551870b193029b262ef5cee112669d1a5374de3cf50ad6ea8168f', '\x866010bb1d7d8dbc5e4166aceb6913c6527583224663ee21be046f1fae2549384306119a8e33c31753d5461b194eea44a42e470a910a223994284bd3b268cca903c7a39f8f13de0b3161b0db8f6714118fc8b618f51ef958723ec74a7124bd52f2436078cb8c5ba661fba6f7ff18ab9a5e6bb572bf8242503ee2032a636d539095a6dc9a6e553cd503b9cae5f992a895261df2d4ee1bdc3aed93', '2026-11-17 19:35:14.724+00'),
	(4, 11, '\x97f76ca741fe160e7aa5d372b4069f4a3e56dcea2cec3516bcd891a7ea28c6c6', '\xb2156a59f4e674112284bba1156494a58424f21233186c8433c960a430772267a94ad6c2a8b974ec9abe79229bf49cc03fc9992252409abd2daf24fd5806640f0c8cf5ec95d033c78468ee88d93e2aa259da8b927037eaccee7d5a634dd8c108a420e8227713fc1349cebc234bb5897abfa808a316cace21f5ce3f7d600108dd85d7abe840a452cbb1a7569da0ce7a934a29895fd0c202d3d56b', '2026-11-17 19:35:14.925+00'),
	(5, 12, '\x52308f2aac298a78bfc64dae3cb44ad42a268d32233df4a77f9a0778bd02820f', '\x6dd55276a5ec32cb1a9abbe9adcbd2e96728d4d0a079c42377437c6f09f14b8e9647d3a9a0f69015ec5a8a7e9a08e855cf6aba1307f225837a9d3db2d21a0fde73f23abd775a1364094a4993c482f0c82a31c024d21360ceab2a9811ba7f8b04e124aa76807fcd71722a36d85152fc37329593b90cc10d216f6327fca7e17608c8de3da21e69dac36c78df7cd46cbf45b4b1467114199aa2d509', '2026-11-17 19:35:15.03+00'),
	(6, 13, '\x8922f20552234209d7c0c69e04f5881c43059ce15db461cc31b18676df5c793f', '\x26766a24b69e92eff84b41d01b665413167fc4ce946621ad6bdfdf86c55c5e393edac5346d67171d0f94a5d57b2fb4cade45cfd069a4c06a7ca43d95fb5d57579ed821fca8bf8dd7558f3d9b241b5654abd04516edcff16212005c011bd47088265aff594a8c92c8e772a5bc2497220d42eceef737b29e331a871ad073bbb60fc7e449e123d3e0bfe77e0d6ffb878418601a820f7a0c662c5535', '2026-11-17 19:35:15.147+00'),
	(7, 5, '\x500f5182926298f8e24ccd5e6ff18e8ef7b2c7755df3db30d499428add328db5', '\x41f88e19d4c469d0e67727bd4203083fef1583e317682405816fb781662ba33273a2103ad4a57d7ba879240f3e1004bb0fab9017b309d396249156dbbcf3ff1fab0ca7ed268b1db4678674fd4c5ba5cf2e2f53e35b63bd776f6886e83803e2ee58d29fa57d2b00744de55895b25e1fad53bea08965a8b57252fc85dfb9f937efa8a00accdf4d9cdc27b4f7faf3b57aaa911bec3071506a90b8f0', '2026-11-17 19:35:16.608+00');
INSERT INTO ledgerline.send_keys VALUES
	(2, '\x39b3f0a9064a823fbb88409d1896f37e', '\xe508f89bde7f519e1b4f3d6da4741758', '2026-11-17 19:35:13.838+00', 204, '6 600');
INSERT INTO ledgerline.transaction_blocks VALUES
	(1, '-infinity', 'infinity', 6, 6, NULL, '{}', NULL, NULL, 234919277191686);
INSERT INTO ledgerline.transaction_history VALUES
	(2, 'pending', 1, '2026-11-17 19:35:15.202+00', '{"transactionId":"pending","amount":1.5,"currency":"EUR","timeStamp":"2026-01-01T12:00:00Z","transactionType":"card","transactionCategory":"food","transactionStatus":"Pending","senderName":"","receiverName":"","paymentNotes":"","paymentSystem":""}');
INSERT INTO ledgerline.transactions VALUES
	(1, 'block-0', 1, '2026-01-01 12:00:00+00', 1.50, 'eur', 'card', 'food', 'accepted', 'block-0undefinedundefinedundefined', '{"transactionId":"block-0","amount":1.50,"currency":"EUR","timeStamp":"2026-01-01T12:00:00Z","transactionType":"card","transactionCategory":"food","transactionStatus":"Accepted","senderName":"undefined","receiverName":"undefined","paymentNotes":"undefined","paymentSystem":"undefined"}', '2026-11-17 19:35:10.914+00'),
	(1, 'block-1', 2, '2026-01-02 12:00:00+00', 2.50, 'eur', 'card', 'food', 'accepted', 'block-1undefinedundefinedundefined', '{"transactionId":"block-1","amount":2.50,"currency":"EUR","timeStamp":"2026-01-02T12:00:00Z","transactionType":"card","transactionCategory":"food","transactionStatus":"Accepted","senderName":"undefined","receiverName":"undefined","paymentNotes":"undefined","paymentSystem":"undefined"}', '2026-11-17 19:35:10.914+00'),
	(1, 'block-2', 3, '2026-01-03 12:00:00+00', 3.50, 'eur', 'card', 'food', 'accepted', 'block-2undefinedundefinedundefined', '{"transactionId":"block-2","amount":3.50,"currency":"EUR","timeStamp":"2026-01-03T12:00:00Z","transactionType":"card","transactionCategory":"food","transactionStatus":"Accepted","senderName":"undefined","receiverName":"undefined","paymentNotes":"undefined","paymentSystem":"undefined"}', '2026-11-17 19:35:10.914+00'),
	(1, 'block-3', 4, '2026-01-04 12:00:00+00', 4.50, 'eur', 'card', 'food', 'accepted', 'block-3undefinedundefinedundefined', '{"transactionId":"block-3","amount":4.50,"currency":"EUR","timeStamp":"2026-01-04T12:00:00Z","transactionType":"card","transactionCategory":"food","transactionStatus":"Accepted","senderName":"undefined","receiverName":"undefined","paymentNotes":"undefined","paymentSystem":"undefined"}', '2026-11-17 19:35:10.914+00'),
	(1, 'block-4', 5, '2026-01-05 12:00:00+00', 5.50, 'eur', 'card', 'food', 'accepted', 'block-4undefinedundefinedundefined', '{"transactionId":"block-4","amount":5.50,"currency":"EUR","timeStamp":"2026-01-05T12:00:00Z","transactionType":"card","transactionCategory":"food","transactionStatus":"Accepted","senderName":"undefined","receiverName":"undefined","paymentNotes":"undefined","paymentSystem":"undefined"}', '2026-11-17 19:35:10.914+00'),
	(1, 'block-5', 6, '2026-01-06 12:00:00+00', 6.50, 'eur', 'card', 'food', 'accepted', 'block-5undefinedundefinedundefined', '{"transactionId":"block-5","amount":6.50,"currency":"EUR","timeStamp":"2026-01-06T12:00:00Z","transactionType":"card","transactionCategory":"food","transactionStatus":"Accepted","senderName":"undefined","receiverName":"undefined","paymentNotes":"undefined","paymentSystem":"undefined"}', '2026-11-17 19:35:10.914+00'),
	(2, 'pending', 1, '2026-01-01 12:00:00+00', 1.5, 'eur', 'card', 'food', 'accepted', 'pending', '{"transactionId":"pending","amount":1.5,"currency":"EUR","timeStamp":"2026-01-01T12:00:00Z","transactionType":"card","transactionCategory":"food","transactionStatus":"Accepted","senderName":"","receiverName":"","paymentNotes":"","paymentSystem":""}', '2026-11-17 19:35:15.176+00');
INSERT INTO ledgerline.user_event_outbox VALUES
	(24, 5, 1, 'user.created', '2026-11-17 19:35:16.569+00', '{"userId":5}');
INSERT INTO ledgerline.users VALUES
	(1, NULL, NULL, NULL, '2026-11-17 19:35:10.911868+00', 6, false, 1),
	(3, NULL, 'user3@example.com', NULL, '2026-11-17 19:35:14.181+00', 0, true, 0),
	(10, NULL, 'user10@example.com', NULL, '2026-11-17 19:35:14.684+00', 0, true, 0),
	(11, NULL, 'user11@example.com', NULL, '2026-11-17 19:35:14.776+00', 0, true, 0),
	(12, NULL, 'user12@example.com', NULL, '2026-11-17 19:35:14.978+00', 0, true, 0),
	(13, NULL, 'user13@example.com', NULL, '2026-11-17 19:35:15.056+00', 0, true, 0),
	(2, NULL, 'user2@example.com', NULL, '2026-11-17 19:35:13.735+00', 1, true, 2),
	(5, NULL, 'user5@example.com', NULL, '2026-11-17 19:35:16.569+00', 0, true, 0);
INSERT INTO ledgerline.verification_events VALUES
	(2, '2026-11-17 19:35:14.173+00', 'verified', NULL, 1),
	(3, '2026-11-17 19:35:14.633+00', 'verify-refused', 'wrong-code', 1),
	(13, '2026-11-17 19:35:15.1+00', 'send-refused', 'challenge', 1),
	(5, '2026-11-17 19:35:16.638+00', 'verified', NULL, 1);
INSERT INTO ledgerline.verifications VALUES
	(5, '+447400000005', '2026-11-17 19:35:16.627+00', '+447400000005', 0, 1, 1, '(1,+447400000005,"\\xb5ccd4e652ba6e8c0a4cf5cef8abcd7f",,accepted,0,"2026-11-17 19:35:16.601+00","2026-11-17 19:45:16.601+00",1,"\\x96d4a263651362033944c8e9c0f1e2b8")', '{}', '{"2026-11-17 19:35:16.601+00"}', '{}', '{"(\"2026-11-17 19:35:16.601+00\",+447400000005)"}', NULL, NULL),
	(2, '+447400000001', '2026-11-17 19:35:14.058+00', '+447400000001', 0, 1, 1, '(1,+447400000001,"\\x8a3c82927337c6de12b2f626b6391db6",,accepted,0,"2026-11-17 19:35:13.848+00","2026-11-17 19:45:13.848+00",1,"\\xce285b8c7cf780acc98cb0860ead339b")', '{}', '{"2026-11-17 19:35:13.848+00"}', '{}', '{"(\"2026-11-17 19:35:13.848+00\",+447400000001)"}', NULL, NULL),
	(3, NULL, NULL, '+447400000002', 0, 1, 1, '(1,+447400000002,"\\x364d5c633e15424ccc309cd076ad3c96","\\x71bf90de99f5121f8a8ab14864cb5df753388c11a2ce900da7cc7f0965304ca4",accepted,0,"2026-11-17 19:35:14.192+00","2026-11-17 19:45:14.192+00",1,"\\x89346a8b52f13cc95bbd1736a3044b91")', '{}', '{"2026-11-17 19:35:14.192+00"}', '{"2026-11-17 19:35:14.582+00"}', '{"(\"2026-11-17 19:35:14.192+00\",+447400000002)"}', NULL, NULL),
	(10, NULL, NULL, '+447400010000', 0, 1, 1, '(1,+447400010000,"\\xf79616ca36cbb05478a89e68547d2bff","\\xbba05efbfe2767a99755a5ed45c4463cd7f57b6fc3aa83d978e70c2592be9b96",accepted,0,"2026-11-17 19:35:14.713+00","2026-11-17 19:45:14.713+00",0,"\\xd1d8fa02a1b0bc7a5fa14c87a3a5297b")', '{}', '{"2026-11-17 19:35:14.713+00"}', '{}', '{"(\"2026-11-17 19:35:14.713+00\",+447400010000)"}', NULL, NULL),
	(11, NULL, NULL, '+447400010001', 0, 1, 1, '(1,+447400010001,"\\x684738b99b9aaee5ce5a106c43b2dda1","\\xcb154eb85abe5157838bb8189ffe7bb054acb0e48859d60befe5901bd28440e0",accepted,0,"2026-11-17 19:35:14.909+00","2026-11-17 19:45:14.909+00",0,"\\x0438e5a227190273e7584f9de92799bd")', '{}', '{"2026-11-17 19:35:14.909+00"}', '{}', '{"(\"2026-11-17 19:35:14.909+00\",+447400010001)"}', NULL, NULL),
	(12, NULL, NULL, '+447400010002', 0, 1, 1, '(1,+447400010002,"\\xaa42ddb85a62435ddf35aec8bc10f7f8","\\x4148b45cea605ad7c2807c88c3db0a231709385456ed7b2d4d4d6d765325e455",accepted,0,"2026-11-17 19:35:15.021+00","2026-11-17 19:45:15.021+00",0,"\\x431caa347fec9fa990ae00ab56576069")', '{}', '{"2026-11-17 19:35:15.021+00"}', '{}', '{"(\"2026-11-17 19:35:15.021+00\",+447400010002)"}', NULL, NULL),
	(13, NULL, NULL, '+447400010003', 0, 1, 1, '(1,+447400010003,"\\xd7a580303403ae36bd6855b0edefbe12","\\x2dee3940e516bfbfa152845b280638fb51a79860229d47bcf07f4a653b5a743d",accepted,0,"2026-11-17 19:35:15.136+00","2026-11-17 19:45:15.136+00",0,"\\xc321316f550692461c9c9e217e45643a")', '{}', '{"2026-11-17 19:35:15.136+00"}', '{}', '{"(\"2026-11-17 19:35:15.136+00\",+447400010003)"}', NULL, NULL);
INSERT INTO ledgerline.webhook_deliveries OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 21, 'due', false, 1, '2026-11-17 19:35:21.293+00', '2026-11-17 19:35:15.73+00', NULL, 'The connection was refused.', NULL),
	(2, 1, 22, 'due', false, 1, '2026-11-17 19:35:21.098+00', '2026-11-17 19:35:15.746+00', NULL, 'The connection was refused.', NULL),
	(3, 1, 23, 'due', false, 1, '2026-11-17 19:35:21.16+00', '2026-11-17 19:35:15.754+00', NULL, 'The connection was refused.', NULL);
INSERT INTO ledgerline.webhook_dispatchers VALUES
	('472faacf-538f-4ccb-9be0-2d5f1f4a514d', '2026-11-17 19:35:29.384178+00');
INSERT INTO ledgerline.webhook_endpoints VALUES
	(1, 'http://127.0.0.1:9/events', '{}', NULL, true, NULL, '2026-11-17 19:35:15.306+00');
INSERT INTO ledgerline.webhook_leases VALUES
	(1, '472faacf-538f-4ccb-9be0-2d5f1f4a514d', 1, '2026-11-17 19:35:29.384178+00', '2026-11-17 19:35:15.753+00');
INSERT INTO ledgerline.webhook_secrets OVERRIDING SYSTEM VALUE VALUES
	(1, 1, '\x6f8008869b57fc13a3439a5f09525f619c9094fe52af324748dc8c0616244c328707ab914ffa9ada5677797fe58de9995129fbb3300a216473f79a655096d5bf84a548bb32ecfa8ba5f865ed7d53', NULL);
SELECT pg_catalog.setval('ledgerline.event_outbox_ids', 26, true);
SELECT pg_catalog.setval('ledgerline.functions_id_seq', 31, true);
SELECT pg_catalog.setval('ledgerline.guard_decisions_id_seq', 1, true);
SELECT pg_catalog.setval('ledgerline.operator_actions_id_seq', 4, true);
SELECT pg_catalog.setval('ledgerline.sandbox_messages_id_seq', 7, true);
SELECT pg_catalog.setval('ledgerline.user_ids', 1, false);
SELECT pg_catalog.setval('ledgerline.webhook_deliveries_id_seq', 3, true);
SELECT pg_catalog.setval('ledgerline.webhook_endpoint_ids', 1, true);
SELECT pg_catalog.setval('ledgerline.webhook_lease_epochs', 1, true);
SELECT pg_catalog.setval('ledgerline.webhook_secrets_id_seq', 1, true);
ALTER TABLE ONLY ledgerline.digest_keys
    ADD CONSTRAINT digest_keys_pkey PRIMARY KEY (fingerprint);
ALTER TABLE ONLY ledgerline.erased_users
    ADD CONSTRAINT erased_users_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY ledgerline.event_counters
    ADD CONSTRAINT event_counters_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY ledgerline.event_log
    ADD CONSTRAINT event_log_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY ledgerline.event_outbox
    ADD CONSTRAINT event_outbox_pkey PRIMARY KEY (id);
ALTER TABLE ONLY ledgerline.events
    ADD CONSTRAINT events_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY ledgerline.functions
    ADD CONSTRAINT functions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY ledgerline.guard_budgets
    ADD CONSTRAINT guard_budgets_pkey PRIMARY KEY (name, day);
ALTER TABLE ONLY ledgerline.guard_codes
    ADD CONSTRAINT guard_codes_pkey PRIMARY KEY (key);
ALTER TABLE ONLY ledgerline.guard_decisions
    ADD CONSTRAINT guard_decisions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY ledgerline.guard_fired_rules
    ADD CONSTRAINT guard_fired_rules_pkey PRIMARY KEY (rule, country);
ALTER TABLE ONLY ledgerline.guard_modes
    ADD CONSTRAINT guard_modes_pkey PRIMARY KEY (rule);
ALTER TABLE ONLY ledgerline.guard_proofs
    ADD CONSTRAINT guard_proofs_pkey PRIMARY KEY (key);
ALTER TABLE ONLY ledgerline.guard_ranges
    ADD CONSTRAINT guard_ranges_pkey PRIMARY KEY (name);
ALTER TABLE ONLY ledgerline.guard_safe
    ADD CONSTRAINT guard_safe_pkey PRIMARY KEY (key);
ALTER TABLE ONLY ledgerline.guard_sources
    ADD CONSTRAINT guard_sources_pkey PRIMARY KEY (key);
ALTER TABLE ONLY ledgerline.guard_totals
    ADD CONSTRAINT guard_totals_pkey PRIMARY KEY (rule, action, hour);
ALTER TABLE ONLY ledgerline.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY ledgerline.job_leases
    ADD CONSTRAINT job_leases_pkey PRIMARY KEY (job);
ALTER TABLE ONLY ledgerline.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (user_id, message_number);
ALTER TABLE ONLY ledgerline.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);
ALTER TABLE ONLY ledgerline.operator_actions
    ADD CONSTRAINT operator_actions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY ledgerline.phone_links
    ADD CONSTRAINT phone_links_pkey PRIMARY KEY (phone);
ALTER TABLE ONLY ledgerline.phone_sends
    ADD CONSTRAINT phone_sends_pkey PRIMARY KEY (key);
ALTER TABLE ONLY ledgerline.sandbox_messages
    ADD CONSTRAINT sandbox_messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY ledgerline.send_keys
    ADD CONSTRAINT send_keys_pkey PRIMARY KEY (user_id, key_digest);
ALTER TABLE ONLY ledgerline.transaction_blocks
    ADD CONSTRAINT transaction_blocks_pkey PRIMARY KEY (individual_id, start_time);
ALTER TABLE ONLY ledgerline.transaction_history
    ADD CONSTRAINT transaction_history_pkey PRIMARY KEY (individual_id, transaction_id, version);
ALTER TABLE ONLY ledgerline.transactions
    ADD CONSTRAINT transactions_pkey PRIMARY KEY (transaction_id, individual_id);
ALTER TABLE ONLY ledgerline.user_event_outbox
    ADD CONSTRAINT user_event_outbox_pkey PRIMARY KEY (id, user_id);
ALTER TABLE ONLY ledgerline.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY ledgerline.verifications
    ADD CONSTRAINT verifications_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY ledgerline.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY ledgerline.webhook_dispatchers
    ADD CONSTRAINT webhook_dispatchers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY ledgerline.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id);
ALTER TABLE ONLY ledgerline.webhook_leases
    ADD CONSTRAINT webhook_leases_pkey PRIMARY KEY (endpoint_id);
ALTER TABLE ONLY ledgerline.webhook_secrets
    ADD CONSTRAINT webhook_secrets_pkey PRIMARY KEY (id);
CREATE INDEX erased_users_by_time ON ledgerline.erased_users USING btree (erased_at);
COMMENT ON INDEX ledgerline.erased_users_by_time IS 'Lists the users erased since a time, to erase them again after a restore.';
CREATE INDEX erased_users_incomplete ON ledgerline.erased_users USING btree (user_id) WHERE (NOT is_complete);
COMMENT ON INDEX ledgerline.erased_users_incomplete IS 'Finds the erasures that a job has to complete, which are few.';
CREATE INDEX erased_users_retained ON ledgerline.erased_users USING btree (retained_until) WHERE (rows_removed_at IS NULL);
COMMENT ON INDEX ledgerline.erased_users_retained IS 'Retention finds the erased users whose transactions are due for removal.';
CREATE UNIQUE INDEX events_by_id ON ledgerline.events USING btree (id);
COMMENT ON INDEX ledgerline.events_by_id IS 'A replay and the operator''s list name events by their ids, each of which is unique.';
CREATE INDEX events_by_time ON ledgerline.events USING btree (at);
COMMENT ON INDEX ledgerline.events_by_time IS 'Retention removes the oldest; operators and replays read a time range.';
CREATE INDEX events_by_type ON ledgerline.events USING btree (type, "position");
COMMENT ON INDEX ledgerline.events_by_type IS 'Readers filter the log by type.';
CREATE INDEX events_by_user ON ledgerline.events USING btree (user_id, "position") WHERE (user_id IS NOT NULL);
COMMENT ON INDEX ledgerline.events_by_user IS 'Readers filter the log by user; a live stream reads the latest event of an individual.';
CREATE INDEX guard_codes_blocked ON ledgerline.guard_codes USING btree (blocked_until) WHERE (blocked_until IS NOT NULL);
COMMENT ON INDEX ledgerline.guard_codes_blocked IS 'Lists the blocked codes, which are few.';
CREATE INDEX guard_decisions_by_time ON ledgerline.guard_decisions USING btree (decided_at);
COMMENT ON INDEX ledgerline.guard_decisions_by_time IS 'Clean-up removes the oldest.';
CREATE INDEX guard_decisions_of_action ON ledgerline.guard_decisions USING btree (action, id);
COMMENT ON INDEX ledgerline.guard_decisions_of_action IS 'Operators read what was refused, or what a rule in shadow would have refused, newest first.';
CREATE INDEX guard_decisions_of_rule ON ledgerline.guard_decisions USING btree (rule, id);
COMMENT ON INDEX ledgerline.guard_decisions_of_rule IS 'Operators read the decisions of one rule, newest first.';
CREATE INDEX guard_decisions_of_user ON ledgerline.guard_decisions USING btree (user_id, id);
COMMENT ON INDEX ledgerline.guard_decisions_of_user IS 'Operators read the decisions about one user, newest first.';
CREATE INDEX guard_ranges_limited ON ledgerline.guard_ranges USING btree (limited_until) WHERE (limited_until IS NOT NULL);
COMMENT ON INDEX ledgerline.guard_ranges_limited IS 'Lists the ranges that are limited, which are few.';
CREATE INDEX guard_sources_blocked ON ledgerline.guard_sources USING btree (blocked_until) WHERE (blocked_until IS NOT NULL);
COMMENT ON INDEX ledgerline.guard_sources_blocked IS 'Lists the blocked addresses and tokens, which are few.';
CREATE INDEX messages_by_smpp_id ON ledgerline.messages USING btree (gateway_message_id) WHERE (gateway = 'smpp'::text);
COMMENT ON INDEX ledgerline.messages_by_smpp_id IS 'SMPP receipts contain only the id that the SMSC gave.';
CREATE INDEX messages_by_time ON ledgerline.messages USING btree (requested_at);
COMMENT ON INDEX ledgerline.messages_by_time IS 'Clean-up removes the oldest; overview and gateway order read the latest days.';
COMMENT ON INDEX ledgerline.messages_pkey IS 'A receipt names the user and the message; a trail reads one user.';
CREATE INDEX operator_actions_by_time ON ledgerline.operator_actions USING btree (acted_at);
COMMENT ON INDEX ledgerline.operator_actions_by_time IS 'Retention removes the oldest.';
CREATE INDEX phone_sends_blocked ON ledgerline.phone_sends USING btree (blocked_until) WHERE (blocked_until IS NOT NULL);
COMMENT ON INDEX ledgerline.phone_sends_blocked IS 'Lists the blocked phones, which are few.';
CREATE INDEX sandbox_messages_of_phone ON ledgerline.sandbox_messages USING btree (phone_key, id);
COMMENT ON INDEX ledgerline.sandbox_messages_of_phone IS 'The inbox lists the texts of one phone, newest first.';
CREATE INDEX sandbox_messages_of_user ON ledgerline.sandbox_messages USING btree (user_id);
COMMENT ON INDEX ledgerline.sandbox_messages_of_user IS 'An erasure removes the texts of one user.';
CREATE INDEX send_keys_by_time ON ledgerline.send_keys USING btree (claimed_at);
COMMENT ON INDEX ledgerline.send_keys_by_time IS 'Clean-up removes the oldest.';
COMMENT ON INDEX ledgerline.transaction_blocks_pkey IS 'The blocks of an individual in the order of time.';
COMMENT ON INDEX ledgerline.transaction_history_pkey IS 'The versions of a row, oldest first.';
CREATE UNIQUE INDEX transactions_listed ON ledgerline.transactions USING btree (individual_id, time_stamp DESC, transaction_id DESC) INCLUDE (amount, seq);
COMMENT ON INDEX ledgerline.transactions_listed IS 'The order of the list, totals and export; amount and seq are included so that counts need not read the rows.';
COMMENT ON INDEX ledgerline.transactions_pkey IS 'One row for each individual and transactionId; also finds a transactionId when no individual is named.';
CREATE INDEX users_of_email ON ledgerline.users USING btree (lower(email)) WHERE (email IS NOT NULL);
COMMENT ON INDEX ledgerline.users_of_email IS 'Operators find users by e-mail address, in any case.';
CREATE INDEX verification_events_by_time ON ledgerline.verification_events USING btree (at);
COMMENT ON INDEX ledgerline.verification_events_by_time IS 'Clean-up removes the oldest.';
CREATE INDEX verification_events_of_user ON ledgerline.verification_events USING btree (user_id, at);
COMMENT ON INDEX ledgerline.verification_events_of_user IS 'A trail reads one user, newest first.';
CREATE INDEX verifications_blocked ON ledgerline.verifications USING btree (blocked_until) WHERE (blocked_until IS NOT NULL);
COMMENT ON INDEX ledgerline.verifications_blocked IS 'Lists the blocked users, who are few.';
CREATE INDEX verifications_by_sent_phone ON ledgerline.verifications USING btree (sent_phone) WHERE (sent_phone IS NOT NULL);
COMMENT ON INDEX ledgerline.verifications_by_sent_phone IS 'Finds the user whom a number was sent to, also one who never verified it.';
CREATE INDEX webhook_deliveries_due ON ledgerline.webhook_deliveries USING btree (endpoint_id, due_at, id) WHERE (state = 'due'::text);
COMMENT ON INDEX ledgerline.webhook_deliveries_due IS 'The process that has leased an endpoint reads its due deliveries, oldest first.';
CREATE INDEX webhook_deliveries_latest ON ledgerline.webhook_deliveries USING btree (endpoint_id, state, id);
COMMENT ON INDEX ledgerline.webhook_deliveries_latest IS 'Lists the latest deliveries of an endpoint, by state.';
CREATE INDEX webhook_deliveries_of_event ON ledgerline.webhook_deliveries USING btree (event_position);
COMMENT ON INDEX ledgerline.webhook_deliveries_of_event IS 'Retention removes the deliveries of the events that it removes.';
CREATE INDEX webhook_deliveries_replayed ON ledgerline.webhook_deliveries USING btree (endpoint_id) WHERE ((state = 'due'::text) AND is_replay);
COMMENT ON INDEX ledgerline.webhook_deliveries_replayed IS 'Counts the due deliveries of replays, which are limited for each endpoint.';
CREATE INDEX webhook_secrets_of_endpoint ON ledgerline.webhook_secrets USING btree (endpoint_id);
COMMENT ON INDEX ledgerline.webhook_secrets_of_endpoint IS 'A delivery is signed with all secrets of its endpoint.';
