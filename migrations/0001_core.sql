-- expand: The core: who there is, what was verified, what moved.
--
-- Rules that keep these tables fit for sharding by user (Citus): every key holds the column the table
-- would be distributed by; no triggers, no foreign keys, no time from the database in an upsert.

-- Modes this database has served. A sandbox never opens one that has served production.
create table installation (
  only_row boolean primary key default true check (only_row),
  served_production boolean not null default false,
  -- How far the sandbox's clock stands ahead.
  clock_ahead_seconds bigint not null default 0
);
insert into installation default values;

-- Identifiers for users who come without one. It cycles, since callers may bring high ones.
create sequence user_ids as integer minvalue 1 maxvalue 2147483647 cycle;

-- An individual is a user. transaction_count is also the sequence that the individual's next
-- transaction continues: rows are never deleted, so the last number given is the count.
create table users (
  id integer primary key check (id > 0),
  merchant_id integer,
  email text,
  -- json, not jsonb: kept as it came, and taken whatever it holds.
  additional_data json,
  created_at timestamptz not null,
  transaction_count integer not null default 0
) with (fillfactor = 80);

-- All that decides about one user's phone stands in one row, so that one statement can decide it.
-- A row may exist for an id that no user has: failures on unknown ids count like any other.
create table verifications (
  user_id integer primary key,
  verified_phone text,
  verified_at timestamptz,
  -- Codes are numbered as they are issued.
  issued integer not null default 0,
  sent_phone text,
  sent_correlation_type smallint not null default 0,
  -- The code that counts: of those a gateway accepted, the one with the highest number.
  code_number integer not null default 0,
  code_phone text,
  code_digest bytea,
  code_issued_at timestamptz,
  code_expires_at timestamptz,
  code_attempts integer not null default 0,
  -- When the last codes were asked for and the last attempts failed, oldest first, as many as the limits need.
  sends timestamptz[] not null default '{}',
  failures timestamptz[] not null default '{}',
  blocked_until timestamptz
) with (fillfactor = 70);

-- A phone belongs to the one user who verified it.
create table phone_links (
  phone text primary key,
  user_id integer not null,
  linked_at timestamptz not null
);

-- When codes were last sent to a phone, by whomever.
create table phone_sends (
  phone text primary key,
  sends timestamptz[] not null
) with (fillfactor = 70);

-- The words of a transaction stand in body, the JSON as the list serves it, rendered once. Beside it
-- only what is looked for: the facets in lower case, and the searchable words in lower case together.
create table transactions (
  individual_id integer not null,
  transaction_id text collate "C" not null,
  -- The individual's rows in the order of their commits, from 1, without a gap.
  seq integer not null,
  time_stamp timestamptz not null,
  amount numeric not null,
  currency text not null,
  transaction_type text not null,
  transaction_category text not null,
  transaction_status text not null,
  search_text text not null,
  body text not null,
  -- In this order it also answers for a transactionId alone.
  primary key (transaction_id, individual_id)
);

-- The order of the list.
create unique index transactions_listed on transactions
  (individual_id, time_stamp desc, transaction_id desc) include (amount, seq);

-- What a row was before it was updated.
create table transaction_history (
  individual_id integer not null,
  transaction_id text collate "C" not null,
  version integer not null,
  replaced_at timestamptz not null,
  body text not null,
  primary key (individual_id, transaction_id, version)
);
