-- Writes phone.verification_blocked for the block of a known user that ends at the given time, once for each block. It
-- is called when the failure that started the block is final: see src/phone/verify-code.ts.
create or replace function write_block_event(
  -- verification or change.
  kind text, for_user integer, block_until timestamptz, called_at timestamptz
) returns void
language plpgsql as $$
begin
  if kind = 'change' then
    update verifications v set reported_change_block_until = block_until
    where v.user_id = for_user and v.change_blocked_until = block_until
      and v.reported_change_block_until is distinct from block_until and exists (select 1 from users u where u.id = for_user);
  else
    update verifications v set reported_block_until = block_until
    where v.user_id = for_user and v.blocked_until = block_until and v.reported_block_until is distinct from block_until
      and exists (select 1 from users u where u.id = for_user);
  end if;
  if found then
    perform write_event('phone.verification_blocked', for_user, called_at, block_data(block_until, 'user-failures'));
  end if;
end $$;

-- Writes the events of blocks whose process ended before it wrote them. The last failure of such a block is older than
-- the longest verification. Returns how many.
create or replace function write_missed_block_events(called_at timestamptz, failed_before timestamptz, most integer)
returns integer
language plpgsql as $$
declare
  -- In two steps: if users is distributed, a local table cannot be joined with it, and no worker is asked if nothing is
  -- missed.
  blocked integer[] := array(
    select v.user_id from verifications v
    where v.blocked_until > called_at and v.reported_block_until is distinct from v.blocked_until
      and v.failures[cardinality(v.failures)] < failed_before
    union
    select v.user_id from verifications v
    where v.change_blocked_until > called_at and v.reported_change_block_until is distinct from v.change_blocked_until
      and v.change_failures[cardinality(v.change_failures)] < failed_before);
  missed record;
  written integer := 0;
begin
  if cardinality(blocked) = 0 then return 0; end if;
  blocked := array(select u.id from users u where u.id = any(blocked) order by u.id limit most);
  for missed in
    select v.user_id, k.kind, k.block_until from verifications v, lateral (values
      ('verification', v.blocked_until, v.reported_block_until, v.failures),
      ('change', v.change_blocked_until, v.reported_change_block_until, v.change_failures)
    ) k (kind, block_until, reported_until, failures)
    where v.user_id = any(blocked) and k.block_until > called_at and k.reported_until is distinct from k.block_until
      and k.failures[cardinality(k.failures)] < failed_before
    -- As an import locks them.
    order by v.user_id
  loop
    perform write_block_event(missed.kind, missed.user_id, missed.block_until, called_at);
    written := written + 1;
  end loop;
  return written;
end $$;

create or replace function block_data(block_until timestamptz, rule text) returns json
language sql stable as $$
  select json_build_object('until', event_timestamp(block_until), 'rule', rule)
$$;

-- A timestamp as the API writes it: UTC, without trailing zeros in the fraction.
create or replace function event_timestamp(moment timestamptz) returns text
language sql stable as $$
  select rtrim(rtrim(to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z'
$$;
