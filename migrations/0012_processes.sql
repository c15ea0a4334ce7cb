-- expand: what several processes of the service share, beside the data: leases of jobs, the sandbox's inbox.

-- Which process runs a job that must run once. Times are the database's, which is the one clock that nodes share.
create table job_leases (
  job text primary key,
  holder uuid not null,
  held_until timestamptz not null
);

-- The sandbox's texts, sealed: see src/sandbox/inbox.store.ts. They may be lost in a crash of the database.
create unlogged table sandbox_messages (
  id bigint generated always as identity primary key,
  user_id integer not null,
  phone_key bytea not null,
  sealed bytea not null,
  sent_at timestamptz not null
);

create index sandbox_messages_of_phone on sandbox_messages (phone_key, id);
create index sandbox_messages_of_user on sandbox_messages (user_id);
