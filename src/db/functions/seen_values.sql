-- The different values that a counter has seen, each with the time when it was last seen.

-- The times when values other than this one were last seen.
create or replace function times_of_others(seen seen_value[], value text) returns timestamptz[]
language plpgsql immutable as $$
declare
  known seen_value;
  times timestamptz[] := '{}';
begin
  foreach known in array seen loop
    if known.value <> value then times := times || known.at; end if;
  end loop;
  return times;
end $$;

-- Adds a value as the latest, or makes an existing value the latest.
create or replace function see_value(seen seen_value[], value text, kept integer, called_at timestamptz)
returns seen_value[]
language plpgsql immutable as $$
declare
  known seen_value;
  others seen_value[] := '{}';
begin
  foreach known in array seen loop
    if known.value <> value then others := others || known; end if;
  end loop;
  return append_event(others, row(called_at, value)::seen_value, kept);
end $$;

-- Takes back that a value was seen at a time, unless it was seen again since. It was last seen at the earlier time, if that
-- is not null.
create or replace function unsee_value(seen seen_value[], value text, seen_at timestamptz, earlier timestamptz)
returns seen_value[]
language plpgsql immutable as $$
declare
  known seen_value;
  others seen_value[] := '{}';
begin
  if array_position(seen, row(seen_at, value)::seen_value) is null then return seen; end if;
  seen := remove_event(seen, row(seen_at, value)::seen_value);
  if earlier is null then return seen; end if;
  foreach known in array seen loop
    if known.at > earlier then
      others := others || row(earlier, value)::seen_value;
      earlier := 'infinity';
    end if;
    others := others || known;
  end loop;
  if earlier < 'infinity' then others := others || row(earlier, value)::seen_value; end if;
  return others;
end $$;
