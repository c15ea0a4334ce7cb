-- Checks the code of a confirmation and the terms that the caller acts on, and decides at once: under the lock of the
-- user's row one call at a time compares, and what it finds is written by the same statement. So at most one call
-- succeeds, none after a call that named other terms, and every guess is counted. A check while the user is blocked changes nothing.
create or replace function check_confirmation(
  for_user integer, for_confirmation uuid, called_at timestamptz,
  -- Of the given terms and the given code, one for each digest key: any of them may be the key of the confirmation.
  terms_digests bytea[], code_digests bytea[],
  -- Null if the caller gave none.
  given_purpose text,
  attempt_limit integer, failure_limit guard_limit,

  -- approved, refused or invalid.
  out decision text,
  -- Why it is invalid, for the log: unknown, ended, other-terms or wrong-code.
  out reason text,
  -- The rules that refuse, and those that would if they were enforced, as an array of guard_refusal.
  out refusals json,
  out purpose text
)
language plpgsql as $$
#variable_conflict use_column
declare
  known_user record;
  is_known_user boolean;
  known record;
  blocked_until timestamptz;
  -- Why the confirmation ends with this check; null if it goes on.
  failed_by text;
begin
  select v.confirmation_failures, v.confirmations_blocked_until,
    exists (select 1 from users u where u.id = for_user) as is_user
  into known_user from verifications v where v.user_id = for_user for update;
  is_known_user := found;
  if known_user.confirmations_blocked_until > called_at and failure_limit.kept > 0 then
    refusals := to_json(array[refusal_of(known_user.confirmations_blocked_until, failure_limit)]);
    if failure_limit.windows[1].is_enforced then
      decision := 'refused';
      return;
    end if;
  end if;

  decision := 'invalid';
  select c.code_number, c.purpose, c.code_digest, c.attempts, c.terms_digest = any(terms_digests)
      and (given_purpose is null or given_purpose = c.purpose) as is_agreed,
    c.state = 'pending' and c.expires_at > called_at and c.attempts < attempt_limit as is_good
  into known from confirmations c where c.user_id = for_user and c.confirmation_id = for_confirmation for update;
  if not found then
    reason := 'unknown';
  elsif not known.is_good then
    reason := 'ended';
  elsif not known.is_agreed then
    reason := 'other-terms';
    failed_by := 'mismatch';
  elsif known.code_digest = any(code_digests) then
    decision := 'approved';
  else
    reason := 'wrong-code';
    if known.attempts + 1 >= attempt_limit then failed_by := 'attempts'; end if;
  end if;

  if decision = 'approved' then
    purpose := known.purpose;
    update confirmations c set state = 'approved', approved_at = called_at, code_digest = null, sealed_terms = null
    where c.user_id = for_user and c.confirmation_id = for_confirmation;
    update messages m set verified_at = called_at where m.user_id = for_user and m.code_number = known.code_number;
    perform write_event('confirmation.approved', for_user, called_at,
      json_build_object('confirmationId', for_confirmation, 'purpose', known.purpose));
    return;
  end if;

  if failed_by is not null then
    update confirmations c set
      state = (case failed_by when 'mismatch' then 'void' else 'failed' end)::confirmation_state,
      code_digest = null, sealed_terms = null,
      attempts = c.attempts + case failed_by when 'attempts' then 1 else 0 end
    where c.user_id = for_user and c.confirmation_id = for_confirmation;
  elsif reason = 'wrong-code' then
    update confirmations c set attempts = c.attempts + 1
    where c.user_id = for_user and c.confirmation_id = for_confirmation;
  end if;
  if is_known_user then
    update verifications v set
      confirmation_failures = append_event(v.confirmation_failures, called_at, failure_limit.kept),
      confirmations_blocked_until =
        find_block(v.confirmation_failures, v.confirmations_blocked_until, failure_limit, called_at)
    where v.user_id = for_user
    returning v.confirmations_blocked_until into blocked_until;
  else
    insert into verifications (user_id, confirmation_failures, confirmations_blocked_until)
    values (for_user, array[called_at], find_block('{}', null, failure_limit, called_at))
    on conflict (user_id) do nothing;
    if not found then perform raise_lost_race(); end if;
  end if;
  if failed_by is not null then
    perform write_event('confirmation.failed', for_user, called_at,
      json_build_object('confirmationId', for_confirmation, 'purpose', known.purpose, 'reason', failed_by));
  end if;
  if blocked_until > called_at and failure_limit.windows[1].is_enforced and known_user.is_user then
    perform write_event('phone.verification_blocked', for_user, called_at,
      block_data(blocked_until, failure_limit.windows[1].rule));
  end if;
end $$;
