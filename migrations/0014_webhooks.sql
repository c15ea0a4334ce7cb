-- expand: Webhook endpoints and their deliveries: see docs/decisions/0004-events.md.

create sequence webhook_endpoint_ids as integer;

create table webhook_endpoints (
  id integer primary key,
  url text not null,
  -- The event types it wants; empty for all.
  types text[] not null,
  description text,
  enabled boolean not null default true,
  disabled_reason text,
  created_at timestamptz not null
);

-- Secrets, sealed under a key that is not in the database. All that have not expired sign.
create table webhook_secrets (
  id integer generated always as identity primary key,
  endpoint_id integer not null,
  sealed bytea not null,
  -- Null for the current one; the others are on their way out.
  expires_at timestamptz
);
create index webhook_secrets_of_endpoint on webhook_secrets (endpoint_id);

-- Who delivers to an endpoint, and how it goes. The epoch fences off a holder that lost its lease: it is drawn anew with
-- every lease, and never given twice. held_until follows the clock of the database server.
create sequence webhook_lease_epochs;
create table webhook_leases (
  endpoint_id integer primary key,
  holder uuid,
  epoch bigint not null default 0,
  held_until timestamptz not null default '-infinity',
  -- The first failure since the last success.
  failing_since timestamptz
) with (fillfactor = 50);

-- The processes that deliver, so that each leases its share.
create table webhook_dispatchers (
  id uuid primary key,
  seen_until timestamptz not null
) with (fillfactor = 50);

create table webhook_deliveries (
  id bigint generated always as identity primary key,
  endpoint_id integer not null,
  event_position bigint not null,
  state text not null default 'due' check (state in ('due', 'delivered', 'failed')),
  attempts smallint not null default 0,
  -- When the next try is due.
  due_at timestamptz not null,
  last_attempt_at timestamptz,
  last_status smallint,
  last_error text,
  -- The beginning of what the receiver answered, for the operator's console only.
  last_answer text
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at, id) where state = 'due';
create index webhook_deliveries_latest on webhook_deliveries (endpoint_id, state, id);
create index webhook_deliveries_of_event on webhook_deliveries (event_position);
