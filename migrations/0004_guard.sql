-- expand: The guard: see docs/decisions/0002-guard.md.

-- The last different phones of a user and when each was last asked for, oldest first.
alter table verifications
  add column phones text[] not null default '{}',
  add column phone_times timestamptz[] not null default '{}';

-- All that decides about one phone stands in one row, too. senders and failed_users go beside the moments
-- of sends and failures; users and user_times are the last different users, oldest first.
alter table phone_sends
  alter column sends set default '{}',
  add column senders integer[] not null default '{}',
  add column users integer[] not null default '{}',
  add column user_times timestamptz[] not null default '{}',
  add column failures timestamptz[] not null default '{}',
  add column failed_users integer[] not null default '{}',
  add column blocked_until timestamptz;
update phone_sends set senders = array_fill(0, array[cardinality(sends)]) where cardinality(sends) > 0;

-- Client addresses and tokens. The key is a keyed digest; the label is what an operator sees.
create table guard_sources (
  key bytea primary key,
  kind text not null check (kind in ('address', 'token')),
  label text not null,
  sends timestamptz[] not null default '{}',
  failures timestamptz[] not null default '{}',
  blocked_until timestamptz
) with (fillfactor = 70);

-- Codes that failed, by keyed digest, and the users they failed on.
create table guard_codes (
  key bytea primary key,
  users integer[] not null default '{}',
  user_times timestamptz[] not null default '{}',
  blocked_until timestamptz
) with (fillfactor = 70);

-- Numbers without their last four digits: what was leased in the current window, and what was verified.
create table guard_prefixes (
  prefix text primary key,
  window_start timestamptz not null,
  sent integer not null,
  verified integer not null default 0,
  -- How often it has been closed lately.
  level smallint not null default 0,
  blocked_until timestamptz,
  -- Whether the last lease was granted.
  granted boolean not null default true
) with (fillfactor = 70);

-- A day's shared budgets: messages to a country, money for a country, money in all.
create table guard_budgets (
  name text not null,
  day date not null,
  cap bigint not null,
  used bigint not null,
  -- The last lease.
  granted bigint not null,
  primary key (name, day)
) with (fillfactor = 50);

-- Modes that an operator set; the others are as configured.
create table guard_modes (
  rule text primary key,
  mode text not null check (mode in ('off', 'shadow', 'enforce')),
  changed_at timestamptz not null,
  changed_by text not null
);

-- Numbers and prefixes that the rules about destinations leave alone. A full number stands here as a digest.
create table guard_safe (
  key text primary key,
  label text not null,
  is_prefix boolean not null,
  added_at timestamptz not null,
  added_by text not null
);

-- What rules refused, or would have. Single decisions are sampled under attack; the totals are exact.
create table guard_decisions (
  id bigint generated always as identity,
  decided_at timestamptz not null,
  rule text not null,
  action text not null check (action in ('refused', 'shadow')),
  operation text not null,
  user_id integer not null,
  phone text,
  phone_key bytea,
  country text,
  source text,
  primary key (id)
);
create index guard_decisions_by_time on guard_decisions (decided_at);

create table guard_totals (
  rule text not null,
  action text not null,
  hour timestamptz not null,
  decisions bigint not null,
  primary key (rule, action, hour)
);

-- What operators did, and who.
create table operator_actions (
  id bigint generated always as identity,
  acted_at timestamptz not null,
  subject text not null,
  client text not null,
  action text not null,
  target text not null,
  detail text,
  user_id integer,
  primary key (id)
);

-- Blocks are few; these find them. Rows without one are in none, and stay cheap to update.
create index verifications_blocked on verifications (blocked_until) where blocked_until is not null;
create index phone_sends_blocked on phone_sends (blocked_until) where blocked_until is not null;
create index guard_sources_blocked on guard_sources (blocked_until) where blocked_until is not null;
create index guard_codes_blocked on guard_codes (blocked_until) where blocked_until is not null;
create index guard_prefixes_blocked on guard_prefixes (blocked_until) where blocked_until is not null;
