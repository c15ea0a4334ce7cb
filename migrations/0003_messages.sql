-- expand: The trail of a verification: what was sent by whom and what became of it, and what was refused and why.
-- No code stands here, and of a phone only what a person recognises it by.

create table messages (
  user_id integer not null,
  code_number integer not null,
  -- Masked.
  phone text not null,
  -- ISO 3166, or empty where the number is of no known country.
  country text not null,
  correlation_type smallint not null,
  locale text not null,
  segments smallint not null,
  -- The gateway that accepted it; of one that nobody accepted, the last that was asked.
  gateway text not null,
  gateway_message_id text,
  -- refused (by every gateway), accepted, then delivered or failed. It only moves forward.
  state text not null,
  reason text,
  -- What each gateway said, where there was more to it than one that accepted.
  tries json,
  requested_at timestamptz not null,
  answered_at timestamptz not null,
  state_at timestamptz not null,
  expires_at timestamptz not null,
  verified_at timestamptz,
  primary key (user_id, code_number)
) with (fillfactor = 90);

create index messages_by_time on messages (requested_at);
-- SMPP gives back nothing but its own name of a message.
create index messages_by_smpp_id on messages (gateway_message_id) where gateway = 'smpp';

create table verification_events (
  user_id integer not null,
  at timestamptz not null,
  kind text not null,
  reason text,
  -- The same may happen many times a second; then it stands here once.
  times integer not null
);

create index verification_events_of_user on verification_events (user_id, at);
create index verification_events_by_time on verification_events (at);

-- Requests that came with an Idempotency-Key. The first to claim it sends; status is null until it is done.
create table send_keys (
  user_id integer not null,
  key_digest bytea not null,
  request_digest bytea not null,
  claimed_at timestamptz not null,
  status smallint,
  error text,
  primary key (user_id, key_digest)
);

create index send_keys_by_time on send_keys (claimed_at);
