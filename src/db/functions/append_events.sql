-- Appends events to the log in the order of the array, and queues a delivery for each endpoint that wants them.
-- `added` is `[{"type", "at", "user_id", "sequence", "data"}, ...]`, or null. The caller has locked event_log.
-- Returns how many.
create or replace function append_events(added json, called_at timestamptz) returns integer
language plpgsql as $$
declare
  appended integer;
begin
  if added is null then return 0; end if;
  with logged as (
    insert into events (position, id, type, at, user_id, sequence, data)
    select l.last_position + a.place, event_id(a.at), a.type, a.at, a.user_id, a.sequence, a.data
    from event_log l, rows from (json_to_recordset(added)
      as (type text, at timestamptz, user_id integer, sequence integer, data json)) with ordinality
      as a (type, at, user_id, sequence, data, place)
    returning position, type, data
  ), wanting as materialized (
    -- The lock keeps an endpoint from being disabled while something is queued for it.
    select e.id, e.types from webhook_endpoints e where e.enabled for share
  ), queued as (
    insert into webhook_deliveries (endpoint_id, event_position, due_at)
    select w.id, l.position, called_at
    from logged l join wanting w on w.types = '{}' or l.type = any(w.types)
    -- An event about an endpoint is sent to the other endpoints only.
    where l.type not like 'endpoint.%' or (l.data ->> 'endpointId')::integer <> w.id
    order by l.position, w.id
  )
  select count(*) into appended from logged;
  update event_log set last_position = last_position + appended;
  return appended;
end $$;
