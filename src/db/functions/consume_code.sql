-- Uses a code, links its phone, removes the failure that was counted for the attempt and the block that the failure may
-- have started, and writes the event, atomically. False if another call used the code first, or if another user has
-- verified the phone. A change also frees the phone that the user had: at any time the user has exactly one.
create or replace function consume_code(
  -- verification or change.
  kind text,
  for_user integer, code_number integer, to_phone text, called_at timestamptz,
  -- The keys that the attempt was counted for.
  counted_phones bytea[], limits failure_limits, sources guard_source[],
  -- Null if the rule about one code is off.
  code_key bytea, code_limit guard_limit,
  -- Of the phone that a change frees; null if it is not known.
  previous_country text
) returns boolean
language plpgsql as $$
declare
  counted_phone bytea;
  source guard_source;
  known_user record;
  used issued_code;
  of_country text;
begin
  foreach counted_phone in array counted_phones loop
    perform from phone_sends p where p.key = counted_phone for update;
  end loop;
  foreach source in array sources loop
    perform from guard_sources s where s.key = source.key for update;
  end loop;
  if kind = 'change' then
    select v.change_code as latest_code, v.earlier_change_codes as earlier_codes, v.verified_phone into known_user
    from verifications v where v.user_id = for_user and v.verified_phone is not null for update;
  else
    select v.latest_code, v.earlier_codes, v.verified_phone into known_user
    from verifications v where v.user_id = for_user and v.verified_phone is null for update;
  end if;
  if not found then return false; end if;
  used := known_user.latest_code;
  if used.number <> code_number then used := find_code(known_user.earlier_codes, code_number); end if;
  if used.digest is null then return false; end if;
  insert into phone_links as l (phone, user_id, linked_at) values (to_phone, for_user, called_at)
  on conflict (phone) do update set linked_at = excluded.linked_at where l.user_id = excluded.user_id;
  if not found then return false; end if;

  used.digest := null;
  if kind = 'change' then
    delete from phone_links l
    where l.phone = known_user.verified_phone and l.phone <> to_phone and l.user_id = for_user;
    insert into phone_changes (user_id, asked_at, changed_at, previous_phone, phone)
    values (for_user, used.asked_at, called_at, mask_phone(known_user.verified_phone), mask_phone(to_phone));
    update verifications v set
      verified_phone = to_phone, verified_at = called_at, sent_phone = to_phone,
      change_code = null, earlier_change_codes = '{}', change_blocked_until = null,
      change_failures = remove_event(v.change_failures, called_at)
    where v.user_id = for_user;
    -- Their codes went to the phone that the user no longer has.
    perform void_confirmations(for_user, called_at);
  else
    update verifications v set
      verified_phone = to_phone, verified_at = called_at, latest_code = used, earlier_codes = '{}', blocked_until = null,
      failures = remove_event(v.failures, called_at)
    where v.user_id = for_user;
  end if;
  with verified as (
    update messages m set verified_at = called_at
    where m.user_id = for_user and m.code_number = consume_code.code_number
    returning m.country
  )
  select nullif(max(v.country), '') into of_country from verified v;
  foreach counted_phone in array counted_phones loop
    update phone_sends p set
      failures = remove_event(p.failures, row(called_at, for_user)::user_event),
      blocked_until = case when not is_begun_at(p.blocked_until, limits.phone_failures, called_at)
        then p.blocked_until end
    where p.key = counted_phone;
  end loop;
  foreach source in array sources loop
    update guard_sources s set
      failures = remove_event(s.failures, called_at),
      verified = append_event(s.verified, called_at, 100),
      blocked_until = case when not is_begun_at(s.blocked_until, source.counted, called_at)
        then s.blocked_until end
    where s.key = source.key;
  end loop;
  if code_key is not null then
    delete from guard_codes c
    where c.key = code_key and c.users = array[row(called_at, for_user::text)::seen_value];
    if not found then
      update guard_codes c set
        users = remove_event(c.users, row(called_at, for_user::text)::seen_value),
        blocked_until = case when not is_begun_at(c.blocked_until, code_limit, called_at) then c.blocked_until end
      where c.key = code_key;
    end if;
  end if;
  if kind = 'change' then
    perform write_event('phone.changed', for_user, called_at,
      json_build_object('country', of_country, 'previousCountry', previous_country));
  else
    perform write_event('phone.verified', for_user, called_at, json_build_object('country', of_country));
  end if;
  return true;
end $$;
