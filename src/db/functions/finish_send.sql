-- Records the outcome of a message, with its consequences:
--   accepted     its code supersedes the earlier ones
--   unknown      the same: the text may arrive
--   refused      the destination was refused: the code is void, the send stays counted
--   unavailable  every gateway failed for certain: the code is void, and the send is given back
-- Nothing is written for a user who was erased meanwhile. The store has a cheaper statement for the common case, an
-- accepted message with the user's latest code (acceptSend in src/phone/phone.store.ts).
create or replace function finish_send(
  for_user integer, message_number integer, code_number integer, outcome text,
  -- The keys that the send was counted for, at the time of its request.
  to_phone text, phone_key bytea, source_keys bytea[],
  masked_phone text, country text, correlation_type smallint, locale text, segments smallint,
  gateway text, gateway_message_id text, reason text, tries json,
  requested_at timestamptz, answered_at timestamptz, expires_at timestamptz
) returns void
language plpgsql as $$
#variable_conflict use_variable
declare
  known_user record;
  codes issued_code[];
begin
  if outcome = 'unavailable' then perform give_back_send(for_user, to_phone, phone_key, requested_at, source_keys); end if;
  -- A row without a user counts failed attempts for an erased id.
  select v.latest_code, v.earlier_codes into known_user
  from verifications v where v.user_id = for_user and exists (select 1 from users u where u.id = for_user) for update;
  if not found then return; end if;
  codes := settle_code(known_user.latest_code || known_user.earlier_codes, code_number, outcome);
  update verifications v set latest_code = codes[1], earlier_codes = codes[2 :] where v.user_id = for_user;
  insert into messages (user_id, message_number, code_number, phone, country, correlation_type, locale, segments,
    gateway, gateway_message_id, state, reason, tries, requested_at, answered_at, state_at, expires_at)
  values (for_user, message_number, code_number, masked_phone, country, correlation_type, locale, segments,
    gateway, gateway_message_id, (case outcome when 'unavailable' then 'refused' else outcome end)::message_state,
    reason, tries, requested_at, answered_at, answered_at, expires_at);
  perform write_event(
    case when outcome in ('accepted', 'unknown') then 'phone.code_sent' else 'phone.send_failed' end, for_user, answered_at,
    case when outcome in ('accepted', 'unknown')
      then json_build_object(
        'country', nullif(country, ''), 'correlationType', correlation_type, 'gateway', gateway, 'outcome', outcome,
        'codeNumber', code_number)
      else json_build_object('country', nullif(country, ''), 'reason', outcome) end);
end $$;

-- Removes a send from the counters of the user, the phone and the sources. It remains counted in shared budgets.
create or replace function give_back_send(
  for_user integer, to_phone text, phone_key bytea, counted_at timestamptz, source_keys bytea[]
) returns void
language plpgsql as $$
declare
  source_key bytea;
begin
  update phone_sends p set
    sends = remove_event(p.sends, row(counted_at, for_user)::user_event),
    users = remove_event(p.users, row(counted_at, for_user)::seen_value),
    proven = array_remove(p.proven, counted_at)
  where p.key = phone_key;
  foreach source_key in array source_keys loop
    update guard_sources s set sends = remove_event(s.sends, counted_at) where s.key = source_key;
  end loop;
  update verifications v set
    sends = remove_event(v.sends, counted_at),
    phones = remove_event(v.phones, row(counted_at, to_phone)::seen_value)
  where v.user_id = for_user;
end $$;
