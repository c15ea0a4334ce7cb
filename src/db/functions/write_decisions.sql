-- Writes decisions of the guard: some as single rows, and the exact totals of all. As in write_verification_events,
-- nothing is written for an erased user. A row is written for an id that never belonged to a user.
create or replace function write_decisions(singles json, totals json) returns void
language plpgsql as $$
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
