-- expand: Proofs that have bought a send.

-- A proof is good once. The row is removed when the proof has expired.
create table guard_proofs (
  -- A keyed digest of the user and the nonce of the proof.
  key bytea primary key,
  expires_at timestamptz not null
);
