-- Claims a text that nobody asked for: a code is sent once more over another gateway, or over the next channel. The code
-- must be the latest of its kind, unused, unexpired and with attempts left, and each way is claimed once for a code. The
-- claim is written before any gateway is asked, so there is at most one text, also if the process ends. The text is not
-- counted for the user or the phone, and the time of the code stays as it is. No row: there is nothing to send.
create or replace function claim_automatic_text(
  -- {"way": "gateway" or "channel", "kind", "userId", "codeNumber", "confirmationId", "calledAt", "attemptLimit"}
  claim jsonb
) returns table (
  message_number integer, phone text, expires_at timestamptz, digest bytea,
  -- Null for a confirmation.
  seed bytea
)
language plpgsql as $$
declare
  wanted record;
  known_user record;
  code issued_code;
begin
  select c.* into wanted from jsonb_to_record(claim) c (
    way text, kind text, "userId" integer, "codeNumber" integer, "confirmationId" uuid, "calledAt" timestamptz,
    "attemptLimit" integer);
  select v.verified_phone, v.latest_code, v.change_code, v.next_channel_code into known_user from verifications v
  where v.user_id = wanted."userId" and (v.verified_phone is null) = (wanted.kind = 'verification')
    and exists (select 1 from users u where u.id = wanted."userId")
  for update;
  if not found then return; end if;
  if wanted.kind = 'confirmation' then
    phone := known_user.verified_phone;
    update confirmations c set
      rerouted_at = case wanted.way when 'gateway' then wanted."calledAt" else c.rerouted_at end,
      next_channel_at = case wanted.way when 'channel' then wanted."calledAt" else c.next_channel_at end,
      texts_in_flight = c.texts_in_flight + 1
    where c.user_id = wanted."userId" and c.confirmation_id = wanted."confirmationId" and c.state = 'pending'
      and c.expires_at > wanted."calledAt" and c.attempts < wanted."attemptLimit"
      and case wanted.way when 'gateway' then c.rerouted_at else c.next_channel_at end is null
    returning c.expires_at, c.code_digest into expires_at, digest;
    if not found then return; end if;
  else
    code := case wanted.kind when 'change' then known_user.change_code else known_user.latest_code end;
    if code.number is distinct from wanted."codeNumber"
      or not is_good(code, wanted."calledAt", wanted."attemptLimit")
      or wanted.way = 'gateway' and code.rerouted_at is not null
      or wanted.way = 'channel' and known_user.next_channel_code is not distinct from code.number then
      return;
    end if;
    if wanted.way = 'gateway' then code.rerouted_at := wanted."calledAt"; end if;
    code.texts_in_flight := code.texts_in_flight + 1;
    phone := code.phone;
    expires_at := code.expires_at;
    seed := code.seed;
    digest := code.digest;
  end if;
  update verifications v set
    last_message_number = v.last_message_number + 1,
    latest_code = case wanted.kind when 'verification' then code else v.latest_code end,
    change_code = case wanted.kind when 'change' then code else v.change_code end,
    next_channel_code = case when wanted.way = 'channel' and wanted.kind <> 'confirmation' then code.number
      else v.next_channel_code end
  where v.user_id = wanted."userId"
  returning v.last_message_number into message_number;
  return next;
end $$;
