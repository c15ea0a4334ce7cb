-- The routines that count: each works on the counter of one key, whatever the key is.

-- The windows that have no room for one more event, each with the time when it has room again.
create or replace function find_full_windows(events timestamptz[], counted guard_limit, called_at timestamptz)
returns guard_refusal[]
language plpgsql stable as $$
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

-- Until when the failures, with one at the time of the call, block their key; null if they do not.
create or replace function find_block(
  failures timestamptz[], blocked_until timestamptz, counted guard_limit, called_at timestamptz
) returns timestamptz
language sql stable as $$
  select case
    when cardinality(failures) + 1 >= counted.smallest_count
      then find_new_block(failures, blocked_until, counted, called_at)
    when blocked_until > called_at then blocked_until end
$$;

-- The same for the failures on a phone.
create or replace function find_phone_block(
  failures user_event[], blocked_until timestamptz, counted guard_limit, called_at timestamptz
) returns timestamptz
language sql stable as $$
  select case
    when cardinality(failures) + 1 >= counted.smallest_count
      then find_new_block(times_of(failures), blocked_until, counted, called_at)
    when blocked_until > called_at then blocked_until end
$$;

create or replace function find_new_block(
  failures timestamptz[], blocked_until timestamptz, counted guard_limit, called_at timestamptz
) returns timestamptz
language plpgsql stable as $$
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

-- Whether a block was begun by the failure at the time of the call.
create or replace function is_begun_at(blocked_until timestamptz, counted guard_limit, called_at timestamptz)
returns boolean
language plpgsql stable as $$
declare
  limiting guard_window;
begin
  foreach limiting in array counted.windows loop
    if blocked_until = called_at + make_interval(secs => limiting.block_seconds) then return true; end if;
  end loop;
  return false;
end $$;

create or replace function refusal_of(blocked_until timestamptz, counted guard_limit) returns guard_refusal
language sql immutable as $$
  select row((counted.windows)[1].rule, (counted.windows)[1].is_enforced, blocked_until)::guard_refusal
$$;

create or replace function is_refused(refusals guard_refusal[]) returns boolean
language plpgsql immutable as $$
declare
  refusal guard_refusal;
begin
  foreach refusal in array refusals loop
    if refusal.is_enforced then return true; end if;
  end loop;
  return false;
end $$;

-- The latest events, of which only so many are kept.
create or replace function append_event(events anyarray, event anyelement, kept integer) returns anyarray
language sql immutable as $$ select (events || event)[cardinality(events) + 2 - kept :] $$;

-- Without one event; two calls of the same time share its value, and only one of them goes.
create or replace function remove_event(events anyarray, event anyelement) returns anyarray
language sql immutable as $$
  select coalesce(
    events[: array_position(events, event) - 1] || events[array_position(events, event) + 1 :], events)
$$;

-- A phone's sends as they count against one user: of every other user's only the latest, up to half of the limit.
-- So nobody can use up a phone's budget for somebody else.
create or replace function sends_against(sends user_event[], for_user integer, send_limit integer)
returns timestamptz[]
language sql immutable as $$
  select array(
    select ranked.at
    from (
      select e.at, e.user_id, e.place, row_number() over (partition by e.user_id order by e.place desc) as age
      from unnest(sends) with ordinality e (at, user_id, place)
    ) ranked
    where ranked.user_id = for_user or ranked.age <= (send_limit + 1) / 2
    order by ranked.place)
$$;

create or replace function is_established(
  created_at timestamptz, transaction_count integer, established_before timestamptz
) returns boolean
language sql immutable as $$ select transaction_count > 0 or created_at <= established_before $$;

-- Those of some users who are established. The table is read by itself, since it may be distributed.
create or replace function find_established(user_ids integer[], established_before timestamptz) returns integer[]
language plpgsql stable as $$
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

-- A phone's sends as they count against an established user: this user's own, and those of other established users.
-- So newcomers cannot use up a phone's budget for the person who holds it.
create or replace function sends_of_established(sends user_event[], for_user integer, established_before timestamptz)
returns user_event[]
language plpgsql stable as $$
declare
  established integer[] := find_established(array(select e.user_id from unnest(sends) e), established_before);
begin
  return array(
    select row(e.at, e.user_id)::user_event
    from unnest(sends) with ordinality e (at, user_id, place)
    where e.user_id = for_user or e.user_id = any(established)
    order by e.place);
end $$;

-- The same for the users who had codes sent to a phone.
create or replace function users_of_established(seen seen_value[], established_before timestamptz)
returns seen_value[]
language plpgsql stable as $$
declare
  established integer[] := find_established(array(select e.value::integer from unnest(seen) e), established_before);
begin
  return array(
    select row(e.at, e.value)::seen_value
    from unnest(seen) with ordinality e (at, value, place)
    where e.value::integer = any(established)
    order by e.place);
end $$;

-- As find_full_windows, for the sends to a phone, where each window counts other users' sends in part.
create or replace function find_full_phone_windows(
  sends user_event[], counted guard_limit, for_user integer, called_at timestamptz
) returns guard_refusal[]
language plpgsql stable as $$
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

-- When values other than this one were last seen.
create or replace function times_of_others(seen seen_value[], value text) returns timestamptz[]
language plpgsql immutable as $$
declare
  known seen_value;
  times timestamptz[] := '{}';
begin
  foreach known in array seen loop
    if known.value <> value then times := times || known.at; end if;
  end loop;
  return times;
end $$;

-- The values with this one as the latest.
create or replace function see_value(seen seen_value[], value text, kept integer, called_at timestamptz)
returns seen_value[]
language plpgsql immutable as $$
declare
  known seen_value;
  others seen_value[] := '{}';
begin
  foreach known in array seen loop
    if known.value <> value then others := others || known; end if;
  end loop;
  return append_event(others, row(called_at, value)::seen_value, kept);
end $$;

create or replace function times_of(events user_event[]) returns timestamptz[]
language plpgsql immutable as $$
declare
  event user_event;
  times timestamptz[] := '{}';
begin
  foreach event in array events loop
    times := times || event.at;
  end loop;
  return times;
end $$;

create or replace function is_event_of(events user_event[], for_user integer) returns boolean
language sql immutable as $$ select for_user in (select e.user_id from unnest(events) e) $$;

create or replace function raise_lost_race() returns void
language plpgsql as $$
begin
  raise exception 'lost a race' using errcode = 'serialization_failure';
end $$;

-- For a first row about a user. Whoever erases a user locks this row first, so only a statement after that lock can
-- see that the user is gone.
create or replace function require_user(for_user integer) returns void
language plpgsql as $$
begin
  perform from users u where u.id = for_user;
  if not found then perform raise_lost_race(); end if;
end $$;
