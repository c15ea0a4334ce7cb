-- Writes the events noted about verifications. It runs some time after the answers, so the user may have been erased,
-- or is being erased now: the lock waits only for an erasure. Nothing is written for an erased user.
create or replace function write_verification_events(noted json) returns void
language plpgsql as $$
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
