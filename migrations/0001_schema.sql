-- expand: The schema of the first release. Later changes are files of their own: see CONTRIBUTING.md.
--
-- The tables that are marked as distributed can be distributed by user with Citus (docs/citus.md). So each of their keys
-- includes the column with the user, and no table has triggers or foreign keys. Times come from the service's clock,
-- except for leases, which use the clock of the database server.

-- The installation

create table installation (
  only_row boolean primary key default true check (only_row),
  -- The modes that have served this database. One that has served production never serves the sandbox, and vice versa.
  served_production boolean not null default false,
  served_sandbox boolean not null default false,
  -- How far the clock of the sandbox is ahead.
  clock_ahead_seconds bigint not null default 0
);
insert into installation default values;

-- The definitions of database functions that were applied, oldest first: see src/db/migrations/functions.ts.
create table functions (
  id bigint generated always as identity primary key,
  name text not null,
  digest text not null,
  applied_at timestamptz not null default now()
);

-- The digest keys of the nodes, by fingerprint: see src/auth/digest-key-registry.ts.
create table digest_keys (
  fingerprint text primary key,
  -- The order in which the keys were first used.
  number integer not null,
  is_current boolean not null,
  wrapped_guard_key bytea not null
);

-- Which process runs a job that must run in one process only. Times are from the clock of the database server.
create table job_leases (job text primary key, holder uuid not null, held_until timestamptz not null);

-- Users

-- Ids for users that are created without one. It cycles, because callers may choose high ids.
create sequence user_ids as integer minvalue 1 maxvalue 2147483647 cycle;

-- Distributed. A user who has transactions is also called an individual.
create table users (
  id integer primary key check (id > 0),
  merchant_id integer,
  email text,
  -- json, not jsonb: the text is kept as the caller sent it.
  additional_data json,
  created_at timestamptz not null,
  -- The number of the user's transactions, and the seq of the latest one: rows are never deleted.
  transaction_count integer not null default 0 constraint users_transaction_count check (transaction_count >= 0),
  -- Whether user.created was written, which is number 1 of the user's other events. The demo individual has no events.
  has_created_event boolean not null default false,
  -- The sequence number of the user's latest transactions.* event. It changes with every change of the transactions.
  transaction_event_count integer not null default 0
) with (fillfactor = 80);
create index users_of_email on users (lower(email)) where email is not null;
comment on index users_of_email is 'Operators find users by e-mail address, in any case.';

-- Phones and codes

-- pending: handed to a gateway, no answer yet. unknown: the text may arrive. accepted: a gateway accepted it.
-- A code that certainly reached nobody is removed.
create type code_state as enum ('pending', 'unknown', 'accepted');
create type issued_code as (
  number integer,
  phone text,
  -- The code is derived from the digest key, the user, the phone and this: see src/codes/code.ts.
  seed bytea,
  -- Null once the code is used.
  digest bytea,
  state code_state,
  -- Texts with this code that were handed to a gateway and have no outcome yet.
  texts_in_flight integer,
  sent_at timestamptz,
  expires_at timestamptz,
  attempts integer,
  -- The key of the phone in phone_sends.
  phone_key bytea
);
-- One of several different values, such as the phones of a user, and when it was last seen.
create type seen_value as (at timestamptz, value text);
create type user_event as (at timestamptz, user_id integer);

-- Everything that decides about a user's phone is in one row, so that one statement can decide. A row may have an id
-- that no user has: failed attempts on unknown ids are counted too.
create table verifications (
  user_id integer primary key,
  verified_phone text,
  verified_at timestamptz,
  -- The phone that was last sent a code, and the correlation type of that request.
  sent_phone text,
  sent_correlation_type smallint not null default 0,
  last_code_number integer not null default 0,
  last_message_number integer not null default 0,
  latest_code issued_code,
  -- Earlier codes that remain valid while the latest one is pending, latest first.
  earlier_codes issued_code[] not null default '{}',
  -- The times of the latest sends and failed attempts, oldest first, as many as the limits need.
  sends timestamptz[] not null default '{}',
  failures timestamptz[] not null default '{}',
  -- The latest different phones, oldest first.
  phones seen_value[] not null default '{}',
  blocked_until timestamptz,
  -- The end of the latest block for which phone.verification_blocked was written.
  reported_block_until timestamptz,
  constraint verifications_verified check ((verified_phone is null) = (verified_at is null))
) with (fillfactor = 70);
create index verifications_blocked on verifications (blocked_until) where blocked_until is not null;
comment on index verifications_blocked is 'Lists the blocked users, who are few.';
create index verifications_by_sent_phone on verifications (sent_phone) where sent_phone is not null;
comment on index verifications_by_sent_phone is 'Finds the user whom a number was sent to, also one who never verified it.';

-- A verified phone belongs to one user.
create table phone_links (phone text primary key, user_id integer not null, linked_at timestamptz not null);

-- What was sent to a phone by any user. The key is a keyed digest, so that no counter contains a number.
create table phone_sends (
  key bytea primary key,
  -- The masked number, for operators.
  label text not null,
  sends user_event[] not null default '{}',
  failures user_event[] not null default '{}',
  -- The latest different users, oldest first.
  users seen_value[] not null default '{}',
  -- When the phone got texts that a proof allowed. A proof lifts the limit of a phone's sends only a few times a day.
  proven timestamptz[] not null default '{}',
  blocked_until timestamptz
) with (fillfactor = 70);
create index phone_sends_blocked on phone_sends (blocked_until) where blocked_until is not null;
comment on index phone_sends_blocked is 'Lists the blocked phones, which are few.';

-- Requests with an Idempotency-Key. The first request with a key sends; status is null until it has an outcome.
create table send_keys (
  user_id integer not null,
  key_digest bytea not null,
  request_digest bytea not null,
  claimed_at timestamptz not null,
  status smallint check (status in (204, 400)),
  error text,
  primary key (user_id, key_digest)
);
create index send_keys_by_time on send_keys (claimed_at);
comment on index send_keys_by_time is 'Clean-up removes the oldest.';

-- Messages: what was sent and what became of it, without codes and with masked numbers

-- refused: no gateway accepted it. A state only moves forward.
create type message_state as enum ('refused', 'unknown', 'accepted', 'failed', 'delivered');

create table messages (
  user_id integer not null,
  -- The references that gateways return contain this number. Several messages may have the same code.
  message_number integer not null,
  code_number integer not null,
  -- Masked.
  phone text not null,
  -- ISO 3166, or empty if the country is not known.
  country text not null,
  correlation_type smallint not null,
  locale text not null,
  segments smallint not null constraint messages_segments check (segments > 0),
  -- The gateway that accepted it. If none did, the last one that was called.
  gateway text not null,
  gateway_message_id text,
  state message_state not null,
  reason text,
  -- The answers of the gateways, if there was more than one answer or a failure.
  tries json,
  requested_at timestamptz not null,
  answered_at timestamptz not null,
  state_at timestamptz not null,
  expires_at timestamptz not null,
  verified_at timestamptz,
  primary key (user_id, message_number)
) with (fillfactor = 90);
comment on index messages_pkey is 'A receipt names the user and the message; a trail reads one user.';
create index messages_by_time on messages (requested_at);
comment on index messages_by_time is 'Clean-up removes the oldest; overview and gateway order read the latest days.';
create index messages_by_smpp_id on messages (gateway_message_id) where gateway = 'smpp';
comment on index messages_by_smpp_id is 'SMPP receipts contain only the id that the SMSC gave.';

create table verification_events (
  user_id integer not null,
  at timestamptz not null,
  kind text not null
    check (kind in ('send-refused', 'verify-refused', 'verified', 'phone-unlinked', 'block-lifted')),
  reason text,
  -- How often it happened: equal events of a short time are one row.
  times integer not null check (times > 0)
);
create index verification_events_of_user on verification_events (user_id, at);
comment on index verification_events_of_user is 'A trail reads one user, newest first.';
create index verification_events_by_time on verification_events (at);
comment on index verification_events_by_time is 'Clean-up removes the oldest.';

-- The guard: see docs/decisions/0002-guard.md

-- The parameters and results of functions: see src/guard/rules.ts.

-- At most `count` events in any `seconds`. After so many failures the key is blocked for `block_seconds`.
create type guard_window as (rule text, is_enforced boolean, count integer, seconds integer, block_seconds integer);
-- The windows over one counter. With fewer events than `smallest_count` none of them is full. `kept` is how many of
-- the latest events are kept for them; 0 if no rule is on.
create type guard_limit as (smallest_count integer, kept integer, windows guard_window[]);
create type send_limits as (
  user_sends guard_limit, user_phones guard_limit, phone_sends guard_limit, phone_users guard_limit
);
create type failure_limits as (user_failures guard_limit, phone_failures guard_limit);
-- A client address or a token that a call is counted against.
create type guard_source as (kind text, key bytea, label text, counted guard_limit);
-- A rule that refuses a call, or would if it were enforced, and until when.
create type guard_refusal as (rule text, is_enforced boolean, until timestamptz);

-- The counters of client addresses and tokens. The key is a keyed digest; the label is for operators.
create table guard_sources (
  key bytea primary key,
  kind text not null,
  label text not null,
  sends timestamptz[] not null default '{}',
  failures timestamptz[] not null default '{}',
  -- When codes were verified from it, the latest hundred.
  verified timestamptz[] not null default '{}',
  blocked_until timestamptz
) with (fillfactor = 70);
create index guard_sources_blocked on guard_sources (blocked_until) where blocked_until is not null;
comment on index guard_sources_blocked is 'Lists the blocked addresses and tokens, which are few.';

-- Wrong codes, by keyed digest, and the users they were tried for.
create table guard_codes (
  key bytea primary key,
  users seen_value[] not null default '{}',
  blocked_until timestamptz
) with (fillfactor = 70);
create index guard_codes_blocked on guard_codes (blocked_until) where blocked_until is not null;
comment on index guard_codes_blocked is 'Lists the blocked codes, which are few.';

-- What was sent to a range of numbers, as sums that decay with time: see src/guard/ranges/ranges.ts.
create table guard_ranges (
  -- Leading digits such as +447911, or a country such as GB.
  name text primary key,
  -- The time up to which the sums have decayed.
  summed_at timestamptz not null,
  hour_sends double precision not null,
  hour_verified double precision not null,
  day_sends double precision not null,
  unverified double precision not null,
  normal_sends double precision not null,
  normal_verified double precision not null,
  -- Texts of the last day that gateways reported as delivered and as failed.
  delivered double precision not null default 0,
  failed double precision not null default 0,
  -- How often the budget was halved, and when a send was last refused because of it.
  shrinks smallint not null default 0,
  refused_at timestamptz,
  -- Until when a send like the last refused one will be refused.
  limited_until timestamptz
) with (fillfactor = 70);
create index guard_ranges_limited on guard_ranges (limited_until) where limited_until is not null;
comment on index guard_ranges_limited is 'Lists the ranges that are limited, which are few.';

-- The shared budgets of a day: messages to a country, money for a country, money in all.
create table guard_budgets (
  name text not null,
  day date not null,
  cap bigint not null,
  used bigint not null,
  -- The size of the last lease.
  granted bigint not null,
  primary key (name, day),
  constraint guard_budgets_used_check check (used between 0 and cap)
) with (fillfactor = 50);

-- Proofs that were used, by a keyed digest of the user and the nonce. Each is valid once; the row is removed when the
-- proof has expired.
create table guard_proofs (key bytea primary key, expires_at timestamptz not null);

-- The modes that an operator has set. The other rules have the configured mode.
create table guard_modes (
  rule text primary key,
  mode text not null check (mode in ('off', 'shadow', 'enforce')),
  changed_at timestamptz not null,
  changed_by text not null
);

-- Numbers and prefixes that the rules about destinations do not apply to. The key of a full number is a digest.
create table guard_safe (
  key text primary key,
  label text not null,
  is_prefix boolean not null,
  added_at timestamptz not null,
  added_by text not null
);

-- What rules have refused, or would have. Under attack only a sample is kept; guard_totals is exact.
create table guard_decisions (
  id bigint generated always as identity primary key,
  decided_at timestamptz not null,
  rule text not null,
  action text not null check (action in ('refused', 'shadow')),
  operation text not null check (operation in ('send-code', 'verify-phone')),
  user_id integer not null,
  phone text,
  phone_key bytea,
  country text,
  source text,
  -- What the rule saw: see src/guard/evidence.ts. Null if the name of the rule says enough.
  evidence jsonb
);
create index guard_decisions_by_time on guard_decisions (decided_at);
comment on index guard_decisions_by_time is 'Clean-up removes the oldest.';
create index guard_decisions_of_user on guard_decisions (user_id, id);
comment on index guard_decisions_of_user is 'Operators read the decisions about one user, newest first.';
create index guard_decisions_of_rule on guard_decisions (rule, id);
comment on index guard_decisions_of_rule is 'Operators read the decisions of one rule, newest first.';
create index guard_decisions_of_action on guard_decisions (action, id);
comment on index guard_decisions_of_action is
  'Operators read what was refused, or what a rule in shadow would have refused, newest first.';

create table guard_totals (
  rule text not null,
  action text not null check (action in ('refused', 'shadow')),
  hour timestamptz not null,
  decisions bigint not null,
  primary key (rule, action, hour)
);

-- When guard.rule_fired was last written for a rule and country; the country is empty if it is not known.
create table guard_fired_rules (
  rule text not null,
  country text not null,
  reported_at timestamptz not null,
  primary key (rule, country)
);

-- Transactions

-- Distributed. body is the JSON that the list returns. The other columns are for search and filters: the facets and the
-- searchable text in lower case.
create table transactions (
  individual_id integer not null,
  transaction_id text collate "C" not null,
  -- The order in which the individual's rows were committed, from 1, without gaps.
  seq integer not null constraint transactions_seq check (seq > 0),
  time_stamp timestamptz not null,
  amount numeric not null constraint transactions_amount check (amount >= 0 and amount < 1e20),
  currency text not null constraint transactions_currency check (length(currency) = 3),
  transaction_type text not null,
  transaction_category text not null,
  transaction_status text not null,
  search_text text not null,
  body text not null,
  -- When the first version was recorded. For later versions see transaction_history.replaced_at.
  recorded_at timestamptz not null,
  primary key (transaction_id, individual_id),
  constraint transactions_transaction_id check (length(transaction_id) between 1 and 64)
);
comment on index transactions_pkey is
  'One row for each individual and transactionId; also finds a transactionId when no individual is named.';
create unique index transactions_listed on transactions
  (individual_id, time_stamp desc, transaction_id desc) include (amount, seq);
comment on index transactions_listed is
  'The order of the list, totals and export; amount and seq are included so that counts need not read the rows.';

-- Distributed. The earlier versions of rows that were updated.
create table transaction_history (
  individual_id integer not null,
  transaction_id text collate "C" not null,
  version integer not null constraint transaction_history_version check (version > 0),
  replaced_at timestamptz not null,
  body text not null,
  primary key (individual_id, transaction_id, version)
);
comment on index transaction_history_pkey is 'The versions of a row, oldest first.';

-- Distributed. For individuals with many rows: counts and amounts of consecutive time ranges, from -infinity to infinity
-- without gaps, so that a count or a position is found by adding up blocks instead of rows. Written in the transaction
-- that writes the rows. See docs/decisions/0001-list-at-any-size.md and 0006-every-filter-at-any-size.md.
create table transaction_blocks (
  individual_id integer not null,
  -- From start_time (inclusive) to end_time (exclusive), so rows of the same time are in the same block.
  start_time timestamptz not null,
  end_time timestamptz not null,
  row_count integer not null,
  -- The highest seq of its rows. A list that is pinned to a lower one has to read the rows.
  last_seq integer not null,
  -- The amounts in millionths, ascending; null if one is too large for that.
  amounts bigint[],
  -- Amounts that were added after the others were sorted.
  recent bigint[] not null default '{}',
  -- How many rows have each value, such as {"type=card": 12, "currency=eur": 9}. Null if there are too many values.
  facets jsonb,
  -- The search texts of all rows, to skip blocks without a match. Null if rows were added since, or if it is too long.
  words text,
  -- Changes with each change of the block or of its rows. Remembered counts of a block are valid for one version.
  version bigint not null default 0,
  primary key (individual_id, start_time),
  constraint transaction_blocks_times check (start_time < end_time),
  constraint transaction_blocks_counts check (row_count >= 0 and last_seq >= 0)
) with (fillfactor = 50);
comment on index transaction_blocks_pkey is 'The blocks of an individual in the order of time.';
-- Not compressed, so that they are fast to read.
alter table transaction_blocks alter column amounts set storage external;
alter table transaction_blocks alter column words set storage external;

-- Events: see docs/decisions/0004-events.md

-- The sequence number of a user's latest event, without the transactions.* events, which users counts.
create table event_counters (user_id integer primary key, sequence integer not null) with (fillfactor = 80);

-- One order for both outboxes. A number is taken while the lock on the event's counter is held.
create sequence event_outbox_ids;

-- Distributed. Events that are written together with rows of the user: transactions.* and user.created.
create table user_event_outbox (
  id bigint not null default nextval('event_outbox_ids'),
  user_id integer not null,
  sequence integer not null,
  type text not null,
  at timestamptz not null,
  data json not null,
  primary key (id, user_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- All other events. Events that are not about a user have no sequence number.
create table event_outbox (
  id bigint primary key default nextval('event_outbox_ids'),
  user_id integer,
  sequence integer,
  type text not null,
  at timestamptz not null,
  data json not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The process that moves events from the outboxes to the log locks this row. A new generation makes all cursors invalid.
create table event_log (
  only_row boolean primary key default true check (only_row),
  generation uuid not null,
  last_position bigint not null default 0
);
insert into event_log (generation) values (gen_random_uuid());

-- The log. Rows are inserted, and removed when they expire, but never updated.
create table events (
  position bigint primary key,
  id uuid not null,
  type text not null,
  at timestamptz not null,
  user_id integer,
  sequence integer,
  data json not null
);
create unique index events_by_id on events (id);
comment on index events_by_id is 'A replay and the operator''s list name events by their ids, each of which is unique.';
create index events_by_user on events (user_id, position) where user_id is not null;
comment on index events_by_user is
  'Readers filter the log by user; a live stream reads the latest event of an individual.';
create index events_by_type on events (type, position);
comment on index events_by_type is 'Readers filter the log by type.';
create index events_by_time on events (at);
comment on index events_by_time is 'Retention removes the oldest; operators and replays read a time range.';

-- Webhooks

create sequence webhook_endpoint_ids as integer;

create table webhook_endpoints (
  id integer primary key,
  url text not null,
  -- The event types that are delivered; empty for all.
  types text[] not null,
  description text,
  enabled boolean not null default true,
  disabled_reason text,
  created_at timestamptz not null
);

-- Secrets, sealed with a key that is not in the database. A delivery is signed with all that have not expired.
create table webhook_secrets (
  id integer generated always as identity primary key,
  endpoint_id integer not null,
  sealed bytea not null,
  -- Null for the current secret.
  expires_at timestamptz
);
create index webhook_secrets_of_endpoint on webhook_secrets (endpoint_id);
comment on index webhook_secrets_of_endpoint is 'A delivery is signed with all secrets of its endpoint.';

-- Which process delivers to an endpoint. Each lease gets a new epoch, so that the writes of a holder that has lost its
-- lease can be refused. held_until is from the clock of the database server.
create sequence webhook_lease_epochs;
create table webhook_leases (
  endpoint_id integer primary key,
  holder uuid,
  epoch bigint not null default 0,
  held_until timestamptz not null default '-infinity',
  -- The first failure since the last success.
  failing_since timestamptz
) with (fillfactor = 50);

-- The processes that deliver, so that each can lease its share of the endpoints.
create table webhook_dispatchers (id uuid primary key, seen_until timestamptz not null) with (fillfactor = 50);

create table webhook_deliveries (
  id bigint generated always as identity primary key,
  endpoint_id integer not null,
  event_position bigint not null,
  state text not null default 'due' check (state in ('due', 'delivered', 'failed')),
  is_replay boolean not null default false,
  attempts smallint not null default 0 constraint webhook_deliveries_attempts check (attempts >= 0),
  -- When the next attempt is due.
  due_at timestamptz not null,
  last_attempt_at timestamptz,
  last_status smallint,
  last_error text,
  -- The beginning of the receiver's answer, for the operator's console.
  last_answer text
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at, id) where state = 'due';
comment on index webhook_deliveries_due is
  'The process that has leased an endpoint reads its due deliveries, oldest first.';
create index webhook_deliveries_latest on webhook_deliveries (endpoint_id, state, id);
comment on index webhook_deliveries_latest is 'Lists the latest deliveries of an endpoint, by state.';
create index webhook_deliveries_of_event on webhook_deliveries (event_position);
comment on index webhook_deliveries_of_event is 'Retention removes the deliveries of the events that it removes.';
create index webhook_deliveries_replayed on webhook_deliveries (endpoint_id) where state = 'due' and is_replay;
comment on index webhook_deliveries_replayed is 'Counts the due deliveries of replays, which are limited for each endpoint.';

-- Audit: what operators did

create table operator_actions (
  id bigint generated always as identity primary key,
  acted_at timestamptz not null,
  subject text not null,
  client text not null,
  action text not null,
  target text not null,
  detail text,
  reason text,
  user_id integer
);
create index operator_actions_by_time on operator_actions (acted_at);
comment on index operator_actions_by_time is 'Retention removes the oldest.';

-- Privacy: see docs/privacy.md

-- Users who were erased. Their ids are never used again.
create table erased_users (
  user_id integer primary key,
  erased_at timestamptz not null,
  -- Until then the user's transactions are kept, out of reach of the API; null if none were kept.
  retained_until timestamptz,
  -- When the kept transactions were removed.
  rows_removed_at timestamptz,
  -- On Citus an erasure takes several transactions. Its events are written with the last one.
  is_complete boolean not null default true,
  has_events boolean not null default true
);
create index erased_users_retained on erased_users (retained_until) where rows_removed_at is null;
comment on index erased_users_retained is 'Retention finds the erased users whose transactions are due for removal.';
create index erased_users_by_time on erased_users (erased_at);
comment on index erased_users_by_time is 'Lists the users erased since a time, to erase them again after a restore.';
create index erased_users_incomplete on erased_users (user_id) where not is_complete;
comment on index erased_users_incomplete is 'Finds the erasures that a job has to complete, which are few.';

-- The sandbox

-- The texts of the sandbox, sealed: see src/sandbox/inbox.store.ts. A crash of the database may lose them.
create unlogged table sandbox_messages (
  id bigint generated always as identity primary key,
  user_id integer not null,
  phone_key bytea not null,
  sealed bytea not null,
  sent_at timestamptz not null
);
create index sandbox_messages_of_phone on sandbox_messages (phone_key, id);
comment on index sandbox_messages_of_phone is 'The inbox lists the texts of one phone, newest first.';
create index sandbox_messages_of_user on sandbox_messages (user_id);
comment on index sandbox_messages_of_user is 'An erasure removes the texts of one user.';
