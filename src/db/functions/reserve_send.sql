-- Decides whether a message with a code may be sent. If so, it is counted for the user, the phone and the sources,
-- and its code is stored as pending, before any gateway is asked. Otherwise nothing is written.
--
-- Rows are always locked in this order: phone, sources, user, then the rows that all users share. A row that does not
-- exist cannot be locked. It is inserted at the end, in the same order; if another call has inserted it meanwhile,
-- everything is rolled back and the service asks again.
--
-- The windows of a counter are checked only if it has reached the smallest limit, and each row is inserted or
-- updated by a plain statement: an upsert, or one more function, costs 10 to 15 µs of the 200 to 300 that this takes.
create or replace function reserve_send(
  -- What the code is for: verification or change.
  kind text,
  for_user integer, to_phone text,
  -- The keyed digest that the phone is counted by.
  phone_key bytea, called_at timestamptz, correlation_type smallint,
  -- Whether the send is refused in any case, whatever the counters are.
  is_forbidden boolean,
  -- Whether the send is refused unless the user is established or has verified a phone before.
  is_forbidden_to_newcomers boolean,
  limits send_limits, sources guard_source[],
  -- A user who was created before this, or who has transactions, is established.
  established_before timestamptz,
  -- What the process must lease for the send: {"budgets": [...], "day": ...}.
  leases jsonb,
  -- The new code, unless the latest one is sent again.
  new_seed bytea, new_digest bytea, new_expires_at timestamptz, attempt_limit integer, may_repeat boolean,
  -- Whether the latest code is sent again as long as it is good; otherwise only if its outcome is not known.
  is_resend boolean,
  -- Whether a change needs a confirmation, and the one that was given.
  needs_confirmation boolean, given_confirmation uuid,

  -- unknown-user, verified, refused, phone-taken or reserved. For a resend also phone-replaced: the latest code went to
  -- another phone. For a change not-verified, unconfirmed, already-linked or lapsed, and never verified.
  out decision text,
  -- The rules that refuse, and those that would if they were enforced, as an array of guard_refusal.
  out refusals json,
  -- Whether the leases were requested, and their result.
  out is_leased boolean, out budget_leases json,
  out code_number integer, out message_number integer,
  out expires_at timestamptz,
  -- Of the code that is sent again; null for a new code.
  out repeated_seed bytea, out repeated_digest bytea
)
language plpgsql as $$
declare
  is_linked_to_other_user boolean;
  user_created_at timestamptz;
  user_transaction_count integer;
  is_user_established boolean;
  counts_phone boolean;
  known_phone record;
  is_known_phone boolean := false;
  known_user record;
  is_known_user boolean;
  source guard_source;
  source_sends timestamptz[];
  known_sources bytea[] := '{}';
  -- Refusals by the rules about the user and the sources, to which those about the phone are added later.
  found_refusals guard_refusal[] := '{}';
  phone_refusals guard_refusal[] := '{}';
  is_granted boolean := true;
  code issued_code;
  earlier issued_code[] := '{}';
  asked_at timestamptz;
begin
  select exists (select 1 from phone_links l where l.phone = to_phone and l.user_id <> for_user),
    exists (select 1 from verifications v where v.user_id = for_user), u.created_at, u.transaction_count
  into is_linked_to_other_user, is_known_user, user_created_at, user_transaction_count
  from users u where u.id = for_user;
  if not found then
    decision := 'unknown-user';
    return;
  end if;
  is_user_established := is_established(user_created_at, user_transaction_count, established_before);

  counts_phone := not is_linked_to_other_user and (limits.phone_sends).kept + (limits.phone_users).kept > 0;
  if counts_phone then
    select p.sends, p.users into known_phone from phone_sends p where p.key = phone_key for update;
    is_known_phone := found;
    if is_user_established and (cardinality(known_phone.sends) >= (limits.phone_sends).smallest_count
        or cardinality(known_phone.users) >= (limits.phone_users).smallest_count) then
      known_phone.sends := sends_of_established(known_phone.sends, for_user, established_before);
      known_phone.users := users_of_established(known_phone.users, established_before);
    end if;
    if cardinality(known_phone.sends) >= (limits.phone_sends).smallest_count then
      phone_refusals := find_full_phone_windows(known_phone.sends, limits.phone_sends, for_user, called_at);
    end if;
    if cardinality(known_phone.users) >= (limits.phone_users).smallest_count then
      phone_refusals := phone_refusals
        || find_full_windows(times_of_others(known_phone.users, for_user::text), limits.phone_users, called_at);
    end if;
  end if;
  foreach source in array sources loop
    select s.sends into source_sends from guard_sources s where s.key = source.key for update;
    if found then
      known_sources := known_sources || source.key;
      if cardinality(source_sends) >= (source.counted).smallest_count then
        found_refusals := found_refusals || find_full_windows(source_sends, source.counted, called_at);
      end if;
    end if;
  end loop;
  -- A user without a row is new, and there is nothing to lock. Most sends are of new users.
  if is_known_user then
    select v.verified_phone, v.last_code_number, v.last_message_number, v.sends, v.phones,
      case kind when 'change' then v.change_code else v.latest_code end as latest_code,
      case kind when 'change' then v.earlier_change_codes else v.earlier_codes end as earlier_codes,
      exists (select 1 from users u where u.id = for_user) as is_user
    into known_user from verifications v where v.user_id = for_user for update;
    is_known_user := found;
  end if;
  if is_known_user then
    -- The user was erased meanwhile, and failed attempts for the id have created a new row.
    if not known_user.is_user then
      decision := 'unknown-user';
      return;
    end if;
    if kind = 'verification' and known_user.verified_phone is not null then
      decision := 'verified';
      return;
    end if;
    if is_resend and (known_user.latest_code).phone <> to_phone then
      decision := 'phone-replaced';
      return;
    end if;
    if cardinality(known_user.sends) >= (limits.user_sends).smallest_count then
      found_refusals := found_refusals || find_full_windows(known_user.sends, limits.user_sends, called_at);
    end if;
    if cardinality(known_user.phones) >= (limits.user_phones).smallest_count then
      phone_refusals := phone_refusals
        || find_full_windows(times_of_others(known_user.phones, to_phone), limits.user_phones, called_at);
    end if;
  end if;

  if kind = 'change' then
    -- On its own: an expression that names a field of known_user fails while no row was ever read into it.
    if not is_known_user then
      decision := 'not-verified';
      return;
    end if;
    decision := case
      when known_user.verified_phone is null then 'not-verified'
      when is_resend and not is_under_way(known_user.latest_code, called_at) then 'lapsed'
      when needs_confirmation and not is_resend
        and not is_confirmed_change(for_user, given_confirmation, called_at, known_user.latest_code) then 'unconfirmed'
      when known_user.verified_phone = to_phone then 'already-linked' end;
    if decision is not null then return; end if;
    asked_at := case when is_resend then (known_user.latest_code).asked_at else called_at end;
    new_expires_at := least(new_expires_at, lapses_at(asked_at));
  end if;

  -- A send to a phone of another user still counts for the user and the sources, so that nobody can find out for free
  -- which phones are verified.
  if not is_linked_to_other_user then found_refusals := found_refusals || phone_refusals; end if;
  if cardinality(found_refusals) > 0 then refusals := to_json(found_refusals); end if;
  -- Not one condition: with a subquery in it, it would be run as a statement of its own for every send.
  if is_forbidden_to_newcomers and not is_user_established then
    is_forbidden := is_forbidden
      or not exists (select from messages m where m.user_id = for_user and m.verified_at is not null);
  end if;
  if is_forbidden and not is_linked_to_other_user or refusals is not null and is_refused(found_refusals) then
    decision := 'refused';
    return;
  end if;
  if leases is not null and not is_linked_to_other_user then
    is_leased := true;
    select l.granted, l.is_sufficient into budget_leases, is_granted
    from lease_budgets(leases -> 'budgets', (leases ->> 'day')::date) l;
    if not is_granted then
      decision := 'refused';
      return;
    end if;
  end if;

  if is_known_phone then
    update phone_sends p set
      sends = append_event(p.sends, row(called_at, for_user)::user_event, (limits.phone_sends).kept),
      users = see_value(p.users, for_user::text, (limits.phone_users).kept, called_at)
    where p.key = phone_key;
  elsif counts_phone then
    insert into phone_sends (key, label, sends, users)
    values (
      phone_key, mask_phone(to_phone), array[row(called_at, for_user)::user_event],
      array[row(called_at, for_user)::seen_value])
    on conflict (key) do nothing;
    if not found then perform raise_lost_race(); end if;
  end if;
  foreach source in array sources loop
    if source.key = any(known_sources) then
      update guard_sources s set sends = append_event(s.sends, called_at, (source.counted).kept)
      where s.key = source.key;
    else
      insert into guard_sources (key, kind, label, sends)
      values (source.key, source.kind, source.label, array[called_at])
      on conflict (key) do nothing;
      if not found then perform raise_lost_race(); end if;
    end if;
  end loop;
  if is_linked_to_other_user then
    decision := 'phone-taken';
    if is_known_user then
      update verifications v set sends = append_event(v.sends, called_at, (limits.user_sends).kept)
      where v.user_id = for_user;
      return;
    end if;
    -- Not an upsert: it would wait for a call that has locked the row, and that may wait for a source that this call has
    -- inserted.
    insert into verifications (user_id, sends) values (for_user, array[called_at]) on conflict (user_id) do nothing;
    if not found then perform raise_lost_race(); end if;
    perform require_user(for_user);
    return;
  end if;

  decision := 'reserved';
  if not is_known_user then
    code_number := 1;
    message_number := 1;
    expires_at := new_expires_at;
    insert into verifications
      (user_id, last_code_number, last_message_number, latest_code, sends, phones, sent_phone, sent_correlation_type)
    values (
      for_user, 1, 1,
      row(
        1, to_phone, new_seed, new_digest, 'pending', 1, called_at, new_expires_at, 0, phone_key, called_at, null, null
      )::issued_code,
      array[called_at], array[row(called_at, to_phone)::seen_value], to_phone, correlation_type)
    on conflict (user_id) do nothing;
    if not found then perform raise_lost_race(); end if;
    -- As require_user does, without the cost of a call.
    perform from users u where u.id = for_user;
    if not found then perform raise_lost_race(); end if;
    return;
  end if;

  code := known_user.latest_code;
  earlier := known_user.earlier_codes;
  message_number := known_user.last_message_number + 1;
  if may_repeat and is_repeatable(code, to_phone, called_at, attempt_limit, is_resend) then
    code_number := code.number;
    repeated_seed := code.seed;
    repeated_digest := code.digest;
    code.texts_in_flight := code.texts_in_flight + 1;
    code.sent_at := called_at;
    code.expires_at := case when is_resend then prolonged(code, new_expires_at) else new_expires_at end;
    code.asked_at := asked_at;
  else
    code_number := known_user.last_code_number + 1;
    -- The limit only bounds the size of the row: no user has that many codes in flight.
    if code.number is not null then earlier := (code || earlier)[: 20]; end if;
    code := row(
      code_number, to_phone, new_seed, new_digest, 'pending', 1, called_at, new_expires_at, 0, phone_key, called_at,
      asked_at, null);
  end if;
  expires_at := code.expires_at;
  if kind = 'change' then
    if needs_confirmation and not is_resend then perform spend_confirmation(for_user, given_confirmation, called_at); end if;
    update verifications v set
      last_code_number = greatest(v.last_code_number, code_number), last_message_number = message_number,
      change_code = code, earlier_change_codes = earlier, change_correlation_type = correlation_type,
      sends = append_event(v.sends, called_at, (limits.user_sends).kept),
      phones = see_value(v.phones, to_phone, (limits.user_phones).kept, called_at)
    where v.user_id = for_user;
    return;
  end if;
  update verifications v set
    last_code_number = greatest(v.last_code_number, code_number), last_message_number = message_number,
    latest_code = code, earlier_codes = earlier,
    sends = append_event(v.sends, called_at, (limits.user_sends).kept),
    phones = see_value(v.phones, to_phone, (limits.user_phones).kept, called_at),
    sent_phone = to_phone, sent_correlation_type = correlation_type
  where v.user_id = for_user;
end $$;
