-- Finds the full windows of a counter.

-- The windows that have no room for one more event, each with the time when it has room again.
create or replace function find_full_windows(events timestamptz[], counted guard_limit, called_at timestamptz)
returns guard_refusal[]
language plpgsql stable as $$
declare
  limiting guard_window;
  -- The oldest event that still counts, if the window is full.
  oldest timestamptz;
  refusals guard_refusal[];
begin
  foreach limiting in array counted.windows loop
    oldest := events[cardinality(events) + 1 - limiting.count];
    if oldest > called_at - make_interval(secs => limiting.seconds) then
      refusals := refusals
        || row(limiting.rule, limiting.is_enforced, oldest + make_interval(secs => limiting.seconds))::guard_refusal;
    end if;
  end loop;
  return refusals;
end $$;

-- Like find_full_windows, for the sends to a phone, where each window counts only some of other users' sends.
create or replace function find_full_phone_windows(
  sends user_event[], counted guard_limit, for_user integer, called_at timestamptz
) returns guard_refusal[]
language plpgsql stable as $$
declare
  limiting guard_window;
  refusals guard_refusal[];
begin
  foreach limiting in array counted.windows loop
    if cardinality(sends) >= limiting.count then
      refusals := refusals || find_full_windows(
        sends_against(sends, for_user, limiting.count), row(limiting.count, counted.kept, array[limiting])::guard_limit,
        called_at);
    end if;
  end loop;
  return refusals;
end $$;

-- The sends of a phone that count against one user: all of this user's own, and of each other user only the latest
-- ones, up to half of the limit. So no user can use up a phone's budget for another user.
create or replace function sends_against(sends user_event[], for_user integer, send_limit integer)
returns timestamptz[]
language sql immutable as $$
  select array(
    select ranked.at
    from (
      select e.at, e.user_id, e.place, row_number() over (partition by e.user_id order by e.place desc) as age
      from unnest(sends) with ordinality e (at, user_id, place)
    ) ranked
    where ranked.user_id = for_user or ranked.age <= (send_limit + 1) / 2
    order by ranked.place)
$$;

-- The same windows, none of which refuses.
create or replace function without_enforcement(counted guard_limit) returns guard_limit
language sql immutable as $$
  select row(counted.smallest_count, counted.kept, array(
    select row(w.rule, false, w.count, w.seconds, w.block_seconds)::guard_window from unnest(counted.windows) w))::guard_limit
$$;
