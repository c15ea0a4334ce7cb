-- Counts an attempt to verify as failed before its code is compared: for the user, the phones that the codes went to,
-- the sources, and the code that was given. So parallel guesses cannot exceed a limit. An attempt that is blocked is
-- not counted. Otherwise the function returns the codes that are valid now, and the attempt counts for each of them.
--
-- Rows are locked as in reserve_send: phones, sources, user; then the code.
create or replace function reserve_attempt(
  -- What the code is for: verification or change. Each counts failures of the user apart.
  kind text,
  for_user integer, called_at timestamptz, attempt_limit integer,
  -- A code that was sent before this and is still pending was left behind by a process that ended.
  pending_since timestamptz,
  limits failure_limits, sources guard_source[],
  -- The keyed digest of the code that was given, and the rule about one code; null if that rule is off.
  code_key bytea, code_limit guard_limit,

  -- False if a rule refuses the attempt.
  out is_counted boolean,
  -- The rules that refuse, and those that would if they were enforced, as an array of guard_refusal. If the attempt is
  -- counted and an enforced rule is listed, the rule is the one that blocks the user, and this attempt started the
  -- block.
  out refusals json,
  -- The keys of the phones it was counted for.
  out phone_keys bytea[],
  -- The latest code if it is valid, otherwise null.
  out code_number integer, out code_phone text, out code_seed bytea, out code_digest bytea,
  -- Earlier codes that are still valid because the latest is pending, as an array of issued_code.
  out earlier_good_codes json,
  -- The phone that the user has verified.
  out linked_phone text
)
language plpgsql as $$
declare
  counted_phone bytea;
  known_phone record;
  known_phones bytea[] := '{}';
  source guard_source;
  source_blocked_until timestamptz;
  known_sources bytea[] := '{}';
  known_user record;
  is_known_user boolean;
  known_code record;
  is_known_code boolean;
  latest issued_code;
  earlier issued_code[];
  good issued_code[] := '{}';
  found_refusals guard_refusal[] := '{}';
  begun_until timestamptz;
begin
  phone_keys := '{}';
  if (limits.phone_failures).kept > 0 then
    -- Without a lock, since phones are locked before users.
    select case kind
      when 'change' then current_phone_keys(v.change_code, v.earlier_change_codes, pending_since)
      else current_phone_keys(v.latest_code, v.earlier_codes, pending_since) end into phone_keys
    from verifications v where v.user_id = for_user;
    if not found then phone_keys := '{}'; end if;
    foreach counted_phone in array phone_keys loop
      select p.failures, p.blocked_until into known_phone from phone_sends p where p.key = counted_phone for update;
      continue when not found;
      known_phones := known_phones || counted_phone;
      -- Only users who failed on the phone are refused: any other user has an attempt.
      if known_phone.blocked_until > called_at and is_event_of(known_phone.failures, for_user) then
        found_refusals := found_refusals || refusal_of(known_phone.blocked_until, limits.phone_failures);
      end if;
    end loop;
  end if;
  foreach source in array sources loop
    select s.blocked_until into source_blocked_until from guard_sources s where s.key = source.key for update;
    continue when not found;
    known_sources := known_sources || source.key;
    if source_blocked_until > called_at then
      found_refusals := found_refusals || refusal_of(source_blocked_until, source.counted);
    end if;
  end loop;
  if kind = 'change' then
    select v.change_code as latest_code, v.earlier_change_codes as earlier_codes, v.change_failures as failures,
      v.change_blocked_until as blocked_until, v.verified_phone is not null as may_succeed, v.verified_phone,
      current_phone_keys(v.change_code, v.earlier_change_codes, pending_since) as phone_keys
    into known_user from verifications v where v.user_id = for_user for update;
  else
    select v.latest_code, v.earlier_codes, v.failures, v.blocked_until, v.verified_phone is null as may_succeed,
      v.verified_phone, current_phone_keys(v.latest_code, v.earlier_codes, pending_since) as phone_keys
    into known_user from verifications v where v.user_id = for_user for update;
  end if;
  is_known_user := found;
  linked_phone := known_user.verified_phone;
  if is_known_user then
    if (limits.phone_failures).kept > 0 and known_user.phone_keys <> phone_keys then perform raise_lost_race(); end if;
    if known_user.blocked_until > called_at and (limits.user_failures).kept > 0 then
      found_refusals := found_refusals || refusal_of(known_user.blocked_until, limits.user_failures);
    end if;
  end if;
  if code_key is not null then
    select c.blocked_until into known_code from guard_codes c where c.key = code_key for update;
    is_known_code := found;
    if known_code.blocked_until > called_at then
      found_refusals := found_refusals || refusal_of(known_code.blocked_until, code_limit);
    end if;
  end if;
  is_counted := cardinality(found_refusals) = 0 or not is_refused(found_refusals);
  if cardinality(found_refusals) > 0 then refusals := to_json(found_refusals); end if;
  if not is_counted then return; end if;

  foreach counted_phone in array phone_keys loop
    if counted_phone = any(known_phones) then
      update phone_sends p set
        failures = append_event(p.failures, row(called_at, for_user)::user_event, (limits.phone_failures).kept),
        blocked_until = find_phone_block(p.failures, p.blocked_until, limits.phone_failures, called_at)
      where p.key = counted_phone;
    else
      insert into phone_sends (key, label, failures, blocked_until)
      select counted_phone, mask_phone(c.phone), array[row(called_at, for_user)::user_event],
        find_block('{}', null, limits.phone_failures, called_at)
      from unnest(known_user.latest_code || known_user.earlier_codes) c where c.phone_key = counted_phone
      order by c.number desc limit 1
      on conflict (key) do nothing;
      if not found then perform raise_lost_race(); end if;
    end if;
  end loop;
  foreach source in array sources loop
    if source.key = any(known_sources) then
      update guard_sources s set
        failures = append_event(s.failures, called_at, (source.counted).kept),
        blocked_until = find_block(s.failures, s.blocked_until, source.counted, called_at)
      where s.key = source.key;
    else
      insert into guard_sources (key, kind, label, failures, blocked_until)
      values (
        source.key, source.kind, source.label, array[called_at], find_block('{}', null, source.counted, called_at))
      on conflict (key) do nothing;
      if not found then perform raise_lost_race(); end if;
    end if;
  end loop;
  if is_known_code then
    update guard_codes c set
      users = see_value(c.users, for_user::text, code_limit.kept, called_at),
      blocked_until = find_block(times_of_others(c.users, for_user::text), c.blocked_until, code_limit, called_at)
    where c.key = code_key;
  elsif code_key is not null then
    insert into guard_codes (key, users, blocked_until)
    values (
      code_key, array[row(called_at, for_user::text)::seen_value], find_block('{}', null, code_limit, called_at))
    on conflict (key) do nothing;
    if not found then perform raise_lost_race(); end if;
  end if;
  if not is_known_user then
    begun_until := find_block('{}', null, limits.user_failures, called_at);
    if kind = 'change' then
      insert into verifications (user_id, change_failures, change_blocked_until)
      values (for_user, array[called_at], begun_until) on conflict (user_id) do nothing;
    else
      insert into verifications (user_id, failures, blocked_until)
      values (for_user, array[called_at], begun_until) on conflict (user_id) do nothing;
    end if;
    if not found then perform raise_lost_race(); end if;
    if begun_until > called_at and (limits.user_failures).windows[1].is_enforced then
      refusals := to_json(found_refusals || refusal_of(begun_until, limits.user_failures));
    end if;
    return;
  end if;

  latest := known_user.latest_code;
  if is_good(latest, called_at, attempt_limit) and known_user.may_succeed then
    latest.attempts := latest.attempts + 1;
    code_number := latest.number;
    code_phone := latest.phone;
    code_seed := latest.seed;
    code_digest := latest.digest;
  end if;
  if not supersedes(latest, pending_since) and cardinality(known_user.earlier_codes) > 0 then
    earlier := current_codes(known_user.earlier_codes, pending_since);
    for place in 1 .. cardinality(earlier) loop
      if is_good(earlier[place], called_at, attempt_limit) and known_user.may_succeed then
        earlier[place].attempts := earlier[place].attempts + 1;
        good := good || earlier[place];
      end if;
    end loop;
    earlier_good_codes := to_json(good);
  else
    earlier := known_user.earlier_codes;
  end if;
  if kind = 'change' then
    update verifications v set
      change_code = latest, earlier_change_codes = earlier,
      change_failures = append_event(v.change_failures, called_at, (limits.user_failures).kept),
      change_blocked_until = find_block(v.change_failures, v.change_blocked_until, limits.user_failures, called_at)
    where v.user_id = for_user
    returning v.change_blocked_until into begun_until;
  else
    update verifications v set
      latest_code = latest, earlier_codes = earlier,
      failures = append_event(v.failures, called_at, (limits.user_failures).kept),
      blocked_until = find_block(v.failures, v.blocked_until, limits.user_failures, called_at)
    where v.user_id = for_user
    returning v.blocked_until into begun_until;
  end if;
  if begun_until > called_at and (limits.user_failures).windows[1].is_enforced then
    refusals := to_json(found_refusals || refusal_of(begun_until, limits.user_failures));
  end if;
end $$;
