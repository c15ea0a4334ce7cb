-- The budgets of a day, which all users share, are leased in blocks of units. See docs/decisions/0002-guard.md.

-- Blocks of a day's budgets, as `[[name, granted], ...]`, and whether every enforced budget suffices. `wanted` is
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
