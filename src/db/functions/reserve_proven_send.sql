-- Like reserve_send, for a send with a valid proof: if the proof was not used before, a newcomer may send, whatever the
-- number of users who requested codes for the phone; and whatever the number of its sends, but only for three such
-- texts to a phone in a day: a proof costs little, and nobody must be able to flood a phone with texts. Calls with the
-- same proof wait for each other at its row, which is locked before all other rows. If the send is not reserved, the
-- proof stays valid.
create or replace function reserve_proven_send(
  proof_key bytea, proof_expires_at timestamptz,
  kind text, for_user integer, to_phone text, phone_key bytea, called_at timestamptz, correlation_type smallint,
  is_forbidden boolean, limits send_limits, sources guard_source[], established_before timestamptz, leases jsonb,
  new_seed bytea, new_digest bytea, new_expires_at timestamptz, attempt_limit integer, may_repeat boolean,
  is_resend boolean, needs_confirmation boolean, given_confirmation uuid,

  -- A decision of reserve_send, or proof-used.
  out decision text, out refusals json, out is_leased boolean, out budget_leases json, out code_number integer,
  out message_number integer, out expires_at timestamptz, out repeated_seed bytea, out repeated_digest bytea
)
language plpgsql as $$
declare
  proven_texts timestamptz[];
begin
  insert into guard_proofs (key, expires_at) values (proof_key, proof_expires_at) on conflict (key) do nothing;
  if not found then
    decision := 'proof-used';
    return;
  end if;
  -- A phone without a row has no full window. It gets its row from one call alone: see reserve_send.
  select p.proven into proven_texts from phone_sends p where p.key = phone_key for update;
  limits.phone_users := without_enforcement(limits.phone_users);
  if has_room_for_proven(proven_texts, called_at) then limits.phone_sends := without_enforcement(limits.phone_sends); end if;
  select r.decision, r.refusals, r.is_leased, r.budget_leases, r.code_number, r.message_number, r.expires_at,
    r.repeated_seed, r.repeated_digest
  into decision, refusals, is_leased, budget_leases, code_number, message_number, expires_at, repeated_seed,
    repeated_digest
  from reserve_send(kind => kind, for_user => for_user, to_phone => to_phone, phone_key => phone_key,
    called_at => called_at, correlation_type => correlation_type, is_forbidden => is_forbidden,
    is_forbidden_to_newcomers => false, limits => limits, sources => sources, established_before => established_before,
    leases => leases, new_seed => new_seed, new_digest => new_digest, new_expires_at => new_expires_at,
    attempt_limit => attempt_limit, may_repeat => may_repeat, is_resend => is_resend,
    needs_confirmation => needs_confirmation, given_confirmation => given_confirmation) r;
  if decision = 'reserved' then
    update phone_sends p set proven = append_event(p.proven, called_at, proven_text_limit()) where p.key = phone_key;
  else
    delete from guard_proofs p where p.key = proof_key;
  end if;
end $$;

create or replace function proven_text_limit() returns integer language sql immutable return 3;

-- Whether a proof still lifts the limit of a phone's sends.
create or replace function has_room_for_proven(proven timestamptz[], called_at timestamptz) returns boolean
language sql immutable as $$
  select count(*) < proven_text_limit() from unnest(proven) e (at) where e.at > called_at - interval '1 day'
$$;
