-- Blocks of a key, caused by the failures that were counted for it.

-- The end of the block that these failures and one more at the time of the call cause; null if they cause none.
create or replace function find_block(
  failures timestamptz[], blocked_until timestamptz, counted guard_limit, called_at timestamptz
) returns timestamptz
language sql stable as $$
  select case
    when cardinality(failures) + 1 >= counted.smallest_count
      then find_new_block(failures, blocked_until, counted, called_at)
    when blocked_until > called_at then blocked_until end
$$;

-- The same for the failures on a phone.
create or replace function find_phone_block(
  failures user_event[], blocked_until timestamptz, counted guard_limit, called_at timestamptz
) returns timestamptz
language sql stable as $$
  select case
    when cardinality(failures) + 1 >= counted.smallest_count
      then find_new_block(times_of(failures), blocked_until, counted, called_at)
    when blocked_until > called_at then blocked_until end
$$;

create or replace function find_new_block(
  failures timestamptz[], blocked_until timestamptz, counted guard_limit, called_at timestamptz
) returns timestamptz
language plpgsql stable as $$
declare
  limiting guard_window;
  found_until timestamptz := case when blocked_until > called_at then blocked_until end;
begin
  foreach limiting in array counted.windows loop
    if limiting.count = 1
      or failures[cardinality(failures) + 2 - limiting.count] > called_at - make_interval(secs => limiting.seconds) then
      found_until := greatest(found_until, called_at + make_interval(secs => limiting.block_seconds));
    end if;
  end loop;
  return found_until;
end $$;

-- Whether the failure at the time of the call started the block.
create or replace function is_begun_at(blocked_until timestamptz, counted guard_limit, called_at timestamptz)
returns boolean
language plpgsql stable as $$
declare
  limiting guard_window;
begin
  foreach limiting in array counted.windows loop
    if blocked_until = called_at + make_interval(secs => limiting.block_seconds) then return true; end if;
  end loop;
  return false;
end $$;
