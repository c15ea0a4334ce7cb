-- A change of number may need a confirmation of the user: approved at most ten minutes ago, for this purpose, and good
-- for one change. The caller has locked the user's row of verifications, so changes of one user wait for each other.

create or replace function is_confirmed_change(
  for_user integer, given_confirmation uuid, called_at timestamptz,
  -- The latest code of a change.
  latest issued_code
) returns boolean
language plpgsql stable as $$
begin
  return false;
end $$;

-- Before the dispatch, so that it is good for one change even if two are asked for at once.
create or replace function spend_confirmation(for_user integer, given_confirmation uuid, called_at timestamptz)
returns void
language plpgsql as $$
begin
  return;
end $$;

-- No gateway accepted the text of the change that was asked for at this time.
create or replace function give_back_change_confirmation(for_user integer, counted_at timestamptz) returns void
language plpgsql as $$
begin
  return;
end $$;
