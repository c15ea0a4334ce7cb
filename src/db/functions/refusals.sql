-- The rules that refuse a call.

create or replace function refusal_of(blocked_until timestamptz, counted guard_limit) returns guard_refusal
language sql immutable as $$
  select row((counted.windows)[1].rule, (counted.windows)[1].is_enforced, blocked_until)::guard_refusal
$$;

create or replace function is_refused(refusals guard_refusal[]) returns boolean
language plpgsql immutable as $$
declare
  refusal guard_refusal;
begin
  foreach refusal in array refusals loop
    if refusal.is_enforced then return true; end if;
  end loop;
  return false;
end $$;
