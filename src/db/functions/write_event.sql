-- Writes an event in the transaction of its caller. The data is given without userId, which is added here. For an id
-- that belongs to no user, the event is about no user. Call it last: the counter is locked until the commit.
create or replace function write_event(event_type text, of_user integer, moment timestamptz, event_data json)
returns void
language plpgsql as $$
begin
  -- The common case, in one statement: a user who has had such an event before.
  with counted as (
    update event_counters c set sequence = c.sequence + 1 where c.user_id = of_user returning c.sequence
  )
  insert into event_outbox (user_id, sequence, type, at, data)
  select of_user, c.sequence, event_type, moment, with_user_id(event_data, of_user) from counted c;
  if not found then perform write_first_event(event_type, of_user, moment, event_data); end if;
end $$;

-- The same for an event that is probably the first of its user, such as that of a first code: it saves the update of a
-- counter that does not exist yet.
create or replace function write_first_event(event_type text, of_user integer, moment timestamptz, event_data json)
returns void
language plpgsql as $$
declare
  first_sequence integer;
begin
  -- A separate statement: if users is distributed, Citus would refuse one that also writes to a local table.
  select u.has_created_event::integer + 1 into first_sequence from users u where u.id = of_user;
  if not found then
    -- On a Citus an erasure deletes the user before the codes, after its first step has made the counter.
    with counted as (
      update event_counters c set sequence = c.sequence + 1 where c.user_id = of_user returning c.sequence
    )
    insert into event_outbox (user_id, sequence, type, at, data)
    select of_user, c.sequence, event_type, moment, with_user_id(event_data, of_user) from counted c;
    if not found then insert into event_outbox (type, at, data) values (event_type, moment, event_data); end if;
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
