-- Established users, and the sends and users that count against them: docs/decisions/0002-guard.md, "Fairness".

create or replace function is_established(
  created_at timestamptz, transaction_count integer, established_before timestamptz
) returns boolean
language sql immutable as $$ select transaction_count > 0 or created_at <= established_before $$;

-- Returns those of the given users who are established. The table is read by a separate statement, since it may be
-- distributed.
create or replace function find_established(user_ids integer[], established_before timestamptz) returns integer[]
language plpgsql stable as $$
declare
  known record;
  established integer[] := '{}';
begin
  for known in select u.id, u.created_at, u.transaction_count from users u where u.id = any(user_ids) loop
    if is_established(known.created_at, known.transaction_count, established_before) then
      established := established || known.id;
    end if;
  end loop;
  return established;
end $$;

-- The sends of a phone that count against an established user: this user's own, and those of other established users.
-- So newcomers cannot use up a phone's budget for the person who has the phone.
create or replace function sends_of_established(sends user_event[], for_user integer, established_before timestamptz)
returns user_event[]
language plpgsql stable as $$
declare
  established integer[] := find_established(array(select e.user_id from unnest(sends) e), established_before);
begin
  return array(
    select row(e.at, e.user_id)::user_event
    from unnest(sends) with ordinality e (at, user_id, place)
    where e.user_id = for_user or e.user_id = any(established)
    order by e.place);
end $$;

-- The same for the users who requested codes for a phone.
create or replace function users_of_established(seen seen_value[], established_before timestamptz)
returns seen_value[]
language plpgsql stable as $$
declare
  established integer[] := find_established(array(select e.value::integer from unnest(seen) e), established_before);
begin
  return array(
    select row(e.at, e.value)::seen_value
    from unnest(seen) with ordinality e (at, value, place)
    where e.value::integer = any(established)
    order by e.place);
end $$;
