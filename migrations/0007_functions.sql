-- expand: Definitions of database functions that were applied, oldest first: see src/db/migrations/functions.ts.
create table functions (
  id bigint generated always as identity primary key,
  name text not null,
  digest text not null,
  applied_at timestamptz not null default now()
);
