-- Writes an event in the transaction of its caller. The data comes without userId, which is added here.
-- An id that no user has gives an event about no user. Call it last: the counter is locked until the commit.
create or replace function write_event(event_type text, of_user integer, moment timestamptz, event_data json)
returns void
language plpgsql as $$
declare
  number integer;
begin
  if of_user is not null then
    update event_counters c set sequence = c.sequence + 1 where c.user_id = of_user returning c.sequence into number;
    if not found then
      insert into event_counters as c (user_id, sequence)
      select u.id, u.created_event_count + 1 from users u where u.id = of_user
      on conflict (user_id) do update set sequence = c.sequence + 1
      returning c.sequence into number;
    end if;
  end if;
  insert into event_outbox (user_id, sequence, type, at, data)
  values (
    case when number is not null then of_user end, number, event_type, moment,
    case when number is null then event_data else with_user_id(event_data, of_user) end
  );
end $$;
