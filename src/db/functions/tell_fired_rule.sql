-- Writes guard.rule_fired, unless it was written for the rule and the country within the given time.
create or replace function tell_fired_rule(
  fired_rule text, of_country text, rule_mode text, evidence text, called_at timestamptz, told_seconds integer
) returns void
language plpgsql as $$
begin
  insert into guard_fired_rules as f (rule, country, told_at) values (fired_rule, of_country, called_at)
  on conflict (rule, country) do update set told_at = excluded.told_at
  where f.told_at <= excluded.told_at - make_interval(secs => told_seconds);
  if found then
    perform write_event('guard.rule_fired', null, called_at, json_build_object(
      'rule', fired_rule, 'country', nullif(of_country, ''), 'mode', rule_mode, 'evidence', evidence));
  end if;
end $$;
