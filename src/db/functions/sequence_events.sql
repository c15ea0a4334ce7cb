-- Moves events that are committed from the outboxes to the log, numbers them, and queues a delivery for each endpoint
-- that wants them: see docs/decisions/0004-events.md. Returns how many were moved: about the limit, if there are more.
create or replace function sequence_events(moment timestamptz, batch_limit integer) returns integer
language plpgsql as $$
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
