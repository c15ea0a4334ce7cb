-- The events that a counter keeps, oldest first.

-- Appends an event, and keeps only the latest `kept` events.
create or replace function append_event(events anyarray, event anyelement, kept integer) returns anyarray
language sql immutable as $$ select (events || event)[cardinality(events) + 2 - kept :] $$;

-- Removes one event. If two calls have the same time, their events are equal, and only one of them is removed.
create or replace function remove_event(events anyarray, event anyelement) returns anyarray
language sql immutable as $$
  select coalesce(
    events[: array_position(events, event) - 1] || events[array_position(events, event) + 1 :], events)
$$;

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

create or replace function last_time_before(events user_event[], for_user integer, called_at timestamptz)
returns timestamptz
language sql immutable as $$
  select max(e.at) from unnest(events) e where e.user_id = for_user and e.at < called_at
$$;
