-- What everybody shares is leased in blocks: a prefix's messages and a day's budgets. See docs/decisions/0002-guard.md.

-- A block of a prefix's messages. It is granted below the limit, or while enough of the messages were verified;
-- otherwise the prefix is closed for a while, longer each time.
create or replace function lease_prefix(
  leased_prefix text, block integer, message_limit integer, least_percent integer, window_seconds integer,
  called_at timestamptz,
  out is_granted boolean, out window_start timestamptz, out closed_until timestamptz
)
language plpgsql as $$
declare
  known guard_prefixes%rowtype;
  is_new_window boolean;
  closed_level smallint;
begin
  select * into known from guard_prefixes p where p.prefix = leased_prefix for update;
  if not found then
    insert into guard_prefixes (prefix, window_start, sent) values (leased_prefix, called_at, block)
    on conflict (prefix) do nothing;
    if not found then perform raise_lost_race(); end if;
    is_granted := true;
    window_start := called_at;
    return;
  end if;
  is_granted := false;
  closed_until := known.blocked_until;
  if closed_until > called_at then return; end if;

  is_new_window := known.window_start <= called_at - make_interval(secs => window_seconds);
  closed_level := case when known.blocked_until < called_at - interval '1 day' then 0 else known.level end;
  is_granted := is_new_window or known.verified * 100 >= least_percent * known.sent
    or known.sent + block <= case when closed_level > 0 then (message_limit + 3) / 4 else message_limit end;
  if is_granted then
    window_start := case when is_new_window then called_at else known.window_start end;
    update guard_prefixes p set
      window_start = lease_prefix.window_start, level = closed_level,
      sent = block + case when is_new_window then 0 else p.sent end,
      verified = case when is_new_window then 0 else p.verified end
    where p.prefix = leased_prefix;
  else
    closed_until := called_at + least(interval '30 minutes' * (1 << closed_level), interval '12 hours');
    update guard_prefixes p set
      window_start = '-infinity', sent = 0, verified = 0, level = least(closed_level + 1, 6),
      blocked_until = closed_until
    where p.prefix = leased_prefix;
  end if;
end $$;

-- Blocks of a day's budgets, as `[[name, granted], ...]`, and whether every enforced one suffices. `wanted` is
-- `[{"name", "units", "block", "cap", "isEnforced"}, ...]`.
create or replace function lease_budgets(
  wanted jsonb, on_day date, out granted json, out is_sufficient boolean
)
language sql as $$
  with asked as (
    select * from jsonb_to_recordset(wanted)
      as w (name text, units bigint, block bigint, cap bigint, "isEnforced" boolean)
  ), lease as (
    insert into guard_budgets as b (name, day, cap, used, granted)
    select a.name, on_day, a.cap, least(a.block, a.cap), least(a.block, a.cap)
    from asked a where a.units <= a.cap
    order by a.name
    on conflict (name, day) do update set
      cap = excluded.cap,
      granted = least(excluded.granted, excluded.cap - b.used),
      used = b.used + least(excluded.granted, excluded.cap - b.used)
    where b.used < excluded.cap
    returning b.name, b.granted
  )
  select json_agg(json_build_array(l.name, l.granted)) filter (where l.name is not null),
    bool_and(not a."isEnforced" or coalesce(l.granted >= a.units, false))
  from asked a left join lease l on l.name = a.name
$$;

-- All that a message needs of what is shared. Its leases are kept even if they do not suffice.
create or replace function take_leases(
  leases jsonb, called_at timestamptz, out prefix_lease json, out budget_leases json, out is_granted boolean
)
language plpgsql as $$
begin
  is_granted := true;
  if leases ? 'prefix' then
    select to_json(l), l.is_granted or not w."isEnforced" into prefix_lease, is_granted
    from jsonb_to_record(leases -> 'prefix')
        as w (name text, block integer, count integer, percent integer, seconds integer, "isEnforced" boolean),
      lease_prefix(w.name, w.block, w.count, w.percent, w.seconds, called_at) l;
  end if;
  if leases ? 'budgets' then
    select l.granted, is_granted and l.is_sufficient into budget_leases, is_granted
    from lease_budgets(leases -> 'budgets', (leases ->> 'day')::date) l;
  end if;
end $$;
