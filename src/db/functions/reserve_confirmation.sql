-- Decides whether a text with the code of a confirmation may be sent: a new one, or one that is pending. If so, it is
-- counted for the user, and a new code is stored as pending, before any gateway is asked. Otherwise nothing is written.
-- The user's row is locked first, then the confirmation, then the rows that all users share.
create or replace function reserve_confirmation(
  for_user integer, for_confirmation uuid, called_at timestamptz,
  -- The user's phone when the destination was judged.
  to_phone text,
  -- Whether the send is refused in any case, whatever the counters are.
  is_forbidden boolean,
  -- Whether the caller has a token that is bound to the user.
  is_bound boolean,
  user_limit guard_limit, bound_limit guard_limit, attempt_limit integer,
  -- What the process must lease for the send: {"budgets": [...], "day": ...}.
  leases jsonb,
  -- The new confirmation, unless there is one with this id. The purpose is null if only an existing one is sent again.
  new_purpose text, new_terms_digest bytea, new_code_digest bytea, new_sealed_terms bytea, new_expires_at timestamptz,

  -- unverified, other-phone, unknown, ended, refused or reserved.
  out decision text,
  -- The rules that refuse, and those that would if they were enforced, as an array of guard_refusal.
  out refusals json,
  -- Whether the leases were requested, and their result.
  out is_leased boolean, out budget_leases json,
  out code_number integer, out message_number integer,
  -- Of a confirmation that is sent again; null for a new one.
  out repeated_purpose text, out repeated_digest bytea, out repeated_terms bytea, out repeated_expires_at timestamptz
)
language plpgsql as $$
declare
  known_user record;
  known record;
  is_known boolean;
  found_refusals guard_refusal[] := '{}';
  is_granted boolean := true;
begin
  select v.verified_phone, v.last_code_number, v.last_message_number, v.confirmation_sends, v.bound_confirmation_sends
  into known_user from verifications v
  where v.user_id = for_user and exists (select 1 from users u where u.id = for_user) for update;
  if not found or known_user.verified_phone is null then
    decision := 'unverified';
    return;
  end if;
  if known_user.verified_phone <> to_phone then
    decision := 'other-phone';
    return;
  end if;
  select c.code_number, c.purpose, c.code_digest, c.sealed_terms, c.expires_at,
    c.state = 'pending' and c.expires_at > called_at and c.attempts < attempt_limit as is_good
  into known from confirmations c where c.user_id = for_user and c.confirmation_id = for_confirmation for update;
  is_known := found;
  if is_known and not known.is_good or not is_known and new_purpose is null then
    decision := case when is_known then 'ended' else 'unknown' end;
    return;
  end if;

  if cardinality(known_user.confirmation_sends) >= user_limit.smallest_count then
    found_refusals := found_refusals || find_full_windows(known_user.confirmation_sends, user_limit, called_at);
  end if;
  if is_bound and cardinality(known_user.bound_confirmation_sends) >= bound_limit.smallest_count then
    found_refusals := found_refusals || find_full_windows(known_user.bound_confirmation_sends, bound_limit, called_at);
  end if;
  if cardinality(found_refusals) > 0 then refusals := to_json(found_refusals); end if;
  if is_forbidden or refusals is not null and is_refused(found_refusals) then
    decision := 'refused';
    return;
  end if;
  if leases is not null then
    is_leased := true;
    select l.granted, l.is_sufficient into budget_leases, is_granted
    from lease_budgets(leases -> 'budgets', (leases ->> 'day')::date) l;
    if not is_granted then
      decision := 'refused';
      return;
    end if;
  end if;

  decision := 'reserved';
  message_number := known_user.last_message_number + 1;
  if is_known then
    code_number := known.code_number;
    repeated_purpose := known.purpose;
    repeated_digest := known.code_digest;
    repeated_terms := known.sealed_terms;
    -- A request that is repeated after an unknown outcome starts the time anew; a resend does not.
    repeated_expires_at := coalesce(new_expires_at, known.expires_at);
    update confirmations c set texts_in_flight = c.texts_in_flight + 1, expires_at = repeated_expires_at
    where c.user_id = for_user and c.confirmation_id = for_confirmation;
  else
    code_number := known_user.last_code_number + 1;
    insert into confirmations (user_id, confirmation_id, code_number, purpose, terms_digest, code_digest, sealed_terms,
      created_at, expires_at)
    values (for_user, for_confirmation, code_number, new_purpose, new_terms_digest, new_code_digest, new_sealed_terms,
      called_at, new_expires_at);
  end if;
  update verifications v set
    last_code_number = greatest(v.last_code_number, reserve_confirmation.code_number),
    last_message_number = message_number,
    confirmation_sends = append_event(v.confirmation_sends, called_at, user_limit.kept),
    bound_confirmation_sends = case when is_bound
      then append_event(v.bound_confirmation_sends, called_at, bound_limit.kept) else v.bound_confirmation_sends end
  where v.user_id = for_user;
end $$;
