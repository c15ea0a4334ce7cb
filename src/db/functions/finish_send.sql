-- Records the outcome of a text with a code, with its consequences:
--   accepted     its code supersedes the earlier ones
--   unknown      the same: the text may arrive
--   refused      the destination was refused: the code is void, the send stays counted
--   unavailable  every gateway failed for certain: the code is void, and the send is given back
-- Nothing is written for a user who was erased meanwhile. The store has a cheaper statement for the common case, an
-- accepted text with a code that nothing else decides about (src/codes/codes.store.ts).
create or replace function finish_send(
  -- The columns of the message, and how the send was counted: e164, phone_key and source_keys, the keys in hex.
  message jsonb
) returns void
language plpgsql as $$
declare
  sent record;
  is_sent boolean;
begin
  select m.* into sent from jsonb_to_record(message) m (
    user_id integer, message_number integer, code_number integer, kind text, confirmation_id uuid, outcome text,
    e164 text, phone_key text, source_keys text[], phone text, country text, correlation_type smallint, locale text,
    segments smallint, gateway text, channel text, gateway_message_id text, reason text, tries json,
    requested_at timestamptz, answered_at timestamptz, expires_at timestamptz);
  -- A process of an earlier release sends texts only.
  sent.channel := coalesce(sent.channel, 'sms');
  if sent.outcome = 'unavailable' and sent.kind = 'confirmation' then
    perform give_back_confirmation(sent.user_id, sent.requested_at);
  elsif sent.outcome = 'unavailable' then
    perform give_back_send(sent.user_id, sent.e164, decode(sent.phone_key, 'hex'), sent.requested_at,
      array(select decode(k, 'hex') from unnest(sent.source_keys) k));
  end if;
  -- A row without a user counts failed attempts for an erased id.
  perform from verifications v
  where v.user_id = sent.user_id and exists (select 1 from users u where u.id = sent.user_id) for update;
  if not found then return; end if;
  if sent.kind = 'verification' then
    perform settle_verification(sent.user_id, sent.code_number, sent.outcome);
  elsif sent.kind = 'change' then
    perform settle_change(sent.user_id, sent.code_number, sent.outcome);
    if sent.outcome <> 'accepted' then perform give_back_change_confirmation(sent.user_id, sent.requested_at); end if;
  elsif sent.kind = 'confirmation' then
    perform settle_confirmation(sent.user_id, sent.confirmation_id, sent.outcome);
  end if;
  insert into messages (user_id, message_number, code_number, kind, confirmation_id, phone, country, correlation_type,
    locale, segments, gateway, channel, gateway_message_id, state, reason, tries, requested_at, answered_at, state_at,
    expires_at)
  values (sent.user_id, sent.message_number, sent.code_number, sent.kind, sent.confirmation_id, sent.phone, sent.country,
    sent.correlation_type, sent.locale, sent.segments, sent.gateway, sent.channel, sent.gateway_message_id,
    (case sent.outcome when 'unavailable' then 'refused' else sent.outcome end)::message_state, sent.reason, sent.tries,
    sent.requested_at, sent.answered_at, sent.answered_at, sent.expires_at);
  is_sent := sent.outcome in ('accepted', 'unknown');
  perform write_event(
    case when is_sent then 'phone.code_sent' else 'phone.send_failed' end, sent.user_id, sent.answered_at,
    about_code(
      case when is_sent
        then json_build_object(
          'country', nullif(sent.country, ''), 'correlationType', sent.correlation_type, 'gateway', sent.gateway,
          'channel', sent.channel, 'outcome', sent.outcome, 'codeNumber', sent.code_number)
        else json_build_object('country', nullif(sent.country, ''), 'reason', sent.outcome) end,
      sent.kind, sent.confirmation_id));
end $$;

-- The codes of a verification after a text with one of them has an outcome.
create or replace function settle_verification(for_user integer, code_number integer, outcome text) returns void
language plpgsql as $$
declare
  known_user record;
  codes issued_code[];
begin
  select v.latest_code, v.earlier_codes into known_user from verifications v where v.user_id = for_user;
  codes := settle_code(known_user.latest_code || known_user.earlier_codes, code_number, outcome);
  update verifications v set latest_code = codes[1], earlier_codes = codes[2 :] where v.user_id = for_user;
end $$;

-- The same for the codes of a change.
create or replace function settle_change(for_user integer, code_number integer, outcome text) returns void
language plpgsql as $$
declare
  known_user record;
  codes issued_code[];
begin
  select v.change_code, v.earlier_change_codes into known_user from verifications v where v.user_id = for_user;
  codes := settle_code(known_user.change_code || known_user.earlier_change_codes, code_number, outcome);
  update verifications v set change_code = codes[1], earlier_change_codes = codes[2 :] where v.user_id = for_user;
end $$;

-- The data of an event about a code: with what the code is for, and with the id of its confirmation if it has one.
-- Stable, so that it is inlined: see with_user_id.
create or replace function about_code(event_data json, kind text, confirmation_id uuid) returns json
language sql stable
return (
  left(event_data::text, -1) || ', "for" : "' || kind || '"'
  || coalesce(', "confirmationId" : "' || confirmation_id || '"', '') || '}'
)::json;

-- Removes a send from the counters of the user, the phone and the sources. It remains counted in shared budgets. The user
-- and the phone have still seen each other if an earlier send of the user to the phone is counted.
create or replace function give_back_send(
  for_user integer, to_phone text, phone_key bytea, counted_at timestamptz, source_keys bytea[]
) returns void
language plpgsql as $$
declare
  source_key bytea;
  earlier timestamptz;
begin
  update phone_sends p set
    sends = remove_event(p.sends, row(counted_at, for_user)::user_event),
    users = unsee_value(p.users, for_user::text, counted_at, last_time_before(p.sends, for_user, counted_at)),
    proven = array_remove(p.proven, counted_at)
  where p.key = phone_key
  returning last_time_before(p.sends, for_user, counted_at) into earlier;
  foreach source_key in array source_keys loop
    update guard_sources s set sends = remove_event(s.sends, counted_at) where s.key = source_key;
  end loop;
  update verifications v set
    sends = remove_event(v.sends, counted_at),
    phones = unsee_value(v.phones, to_phone, counted_at, earlier)
  where v.user_id = for_user;
end $$;
