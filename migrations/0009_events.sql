-- expand: Events: see docs/decisions/0004-events.md.

-- Users who existed before this table have no user.created event; nor has the demo individual.
alter table users
  add column created_event_count smallint not null default 0,
  add column transaction_event_count integer not null default 0;

-- The last sequence number of a user's events other than transactions.*. A row appears with the first of them.
create table event_counters (
  user_id integer primary key,
  sequence integer not null
) with (fillfactor = 80);

-- One order over both outboxes. A number is drawn while the lock on the event's counter is held.
create sequence event_outbox_ids;

-- Events that belong with the user: transactions.* and user.created.
create table user_event_outbox (
  id bigint not null default nextval('event_outbox_ids'),
  user_id integer not null,
  sequence integer not null,
  type text not null,
  at timestamptz not null,
  data json not null,
  primary key (id, user_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- All other events. Those about no user have no sequence.
create table event_outbox (
  id bigint primary key default nextval('event_outbox_ids'),
  user_id integer,
  sequence integer,
  type text not null,
  at timestamptz not null,
  data json not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Who numbers events holds a lock on this row. A new generation makes older cursors invalid.
create table event_log (
  only_row boolean primary key default true check (only_row),
  generation uuid not null,
  last_position bigint not null default 0
);
insert into event_log (generation) values (gen_random_uuid());

-- The log: insert only, until a row has outlived its time.
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
create index events_by_user on events (user_id, position) where user_id is not null;
create index events_by_type on events (type, position);
create index events_by_time on events (at);
