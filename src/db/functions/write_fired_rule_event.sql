-- Writes guard.rule_fired, unless it was written for the rule and the country within `quiet_seconds`. `data` is that of the
-- event: `{"rule", "country", "mode", "evidence"}`.
create or replace function write_fired_rule_event(data json, called_at timestamptz, quiet_seconds integer) returns void
language plpgsql as $$
begin
  insert into guard_fired_rules as f (rule, country, reported_at)
  values (data ->> 'rule', coalesce(data ->> 'country', ''), called_at)
  on conflict (rule, country) do update set reported_at = excluded.reported_at
  where f.reported_at <= excluded.reported_at - make_interval(secs => quiet_seconds);
  if found then perform write_event('guard.rule_fired', null, called_at, data); end if;
end $$;
