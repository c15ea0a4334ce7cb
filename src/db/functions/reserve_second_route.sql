-- Claims the second route of a code: the latest of its kind, unused, unexpired, with attempts left, and never claimed
-- before. The claim is written before any gateway is asked, so there is at most one text, also if the process ends. The
-- text is not counted for the user or the phone, and the time of the code stays as it is. No row: there is nothing to
-- send.
create or replace function reserve_second_route(
  -- verification or change.
  kind text, for_user integer, code_number integer, called_at timestamptz, attempt_limit integer
) returns table (message_number integer, phone text, seed bytea, digest bytea, expires_at timestamptz)
language plpgsql as $$
declare
  known_user record;
  code issued_code;
begin
  select case kind when 'change' then v.change_code else v.latest_code end as code into known_user
  from verifications v
  where v.user_id = for_user and (v.verified_phone is not null) = (kind = 'change')
    and exists (select 1 from users u where u.id = for_user)
  for update;
  code := known_user.code;
  if code.number is distinct from code_number or code.rerouted_at is not null
    or not is_good(code, called_at, attempt_limit) then
    return;
  end if;
  code.rerouted_at := called_at;
  code.texts_in_flight := code.texts_in_flight + 1;
  return query
    update verifications v set
      last_message_number = v.last_message_number + 1,
      latest_code = case kind when 'verification' then code else v.latest_code end,
      change_code = case kind when 'change' then code else v.change_code end
    where v.user_id = for_user
    returning v.last_message_number, code.phone, code.seed, code.digest, code.expires_at;
end $$;
