-- Moves events that are committed from the outboxes to the log: see docs/decisions/0004-events.md. Returns how many were
-- moved: about the limit, if there are more.
create or replace function sequence_events(moment timestamptz, batch_limit integer) returns integer
language plpgsql as $$
declare
  last_id bigint;
  moved json;
begin
  -- Only one call runs at a time. The statements below see everything that was committed before the lock was granted.
  perform from event_log for update;
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
  )
  select json_agg(t order by t.id) into moved from (select * from taken union all select * from taken_with_user) t;
  return append_events(moved, moment);
end $$;
