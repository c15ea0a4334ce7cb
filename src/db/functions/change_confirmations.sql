-- A change of number may need a confirmation of the user: approved at most ten minutes ago, for this purpose, and good
-- for one change. The caller has locked the user's row of verifications, so changes of one user wait for each other.

create or replace function is_confirmed_change(
  for_user integer, given_confirmation uuid, called_at timestamptz,
  -- The latest code of a change.
  latest issued_code
) returns boolean
language plpgsql stable as $$
begin
  return exists (
    select from confirmations c
    where c.user_id = for_user and c.confirmation_id = given_confirmation and c.purpose = 'change-phone'
      and c.state = 'approved' and c.approved_at >= called_at - interval '10 minutes'
      -- No dispatch takes longer than three minutes: a code that is still pending then is that of a process that ended.
      and (c.spent_at is null
        or latest.state = 'pending' and latest.sent_at = c.spent_at and c.spent_at < called_at - interval '3 minutes'));
end $$;

-- Marks the confirmation as spent before the dispatch: so it allows one change, even if two are requested at the same time.
create or replace function spend_confirmation(for_user integer, given_confirmation uuid, called_at timestamptz)
returns void
language plpgsql as $$
begin
  update confirmations c set spent_at = called_at
  where c.user_id = for_user and c.confirmation_id = given_confirmation;
end $$;

-- No gateway accepted the text of the change that was asked for at this time.
create or replace function give_back_change_confirmation(for_user integer, counted_at timestamptz) returns void
language plpgsql as $$
begin
  update confirmations c set spent_at = null where c.user_id = for_user and c.spent_at = counted_at;
end $$;
