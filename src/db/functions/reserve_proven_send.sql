-- Like reserve_send, for a send with a valid proof: a newcomer may send if the proof was not used before. Calls with
-- the same proof wait for each other at its row, which is locked before all other rows. If the send is not reserved,
-- the proof stays valid.
create or replace function reserve_proven_send(
  proof_key bytea, proof_expires_at timestamptz,
  for_user integer, to_phone text, phone_key bytea, called_at timestamptz, correlation_type smallint,
  is_forbidden boolean, limits send_limits, sources guard_source[], established_before timestamptz, leases jsonb,
  new_seed bytea, new_digest bytea, new_expires_at timestamptz, attempt_limit integer, may_repeat boolean,

  -- A decision of reserve_send, or proof-used.
  out decision text, out refusals json, out is_leased boolean, out budget_leases json, out code_number integer,
  out message_number integer, out repeated_seed bytea, out repeated_digest bytea
)
language plpgsql as $$
begin
  insert into guard_proofs (key, expires_at) values (proof_key, proof_expires_at) on conflict (key) do nothing;
  if not found then
    decision := 'proof-used';
    return;
  end if;
  select r.decision, r.refusals, r.is_leased, r.budget_leases, r.code_number, r.message_number, r.repeated_seed,
    r.repeated_digest
  into decision, refusals, is_leased, budget_leases, code_number, message_number, repeated_seed, repeated_digest
  from reserve_send(for_user, to_phone, phone_key, called_at, correlation_type, is_forbidden, false, limits, sources,
    established_before, leases, new_seed, new_digest, new_expires_at, attempt_limit, may_repeat) r;
  if decision <> 'reserved' then delete from guard_proofs p where p.key = proof_key; end if;
end $$;
