-- expand: Erasure: see src/privacy/ and docs/privacy.md.

-- Users who were erased. The id is never given out again. The user's transactions stay, out of reach of the API,
-- until retained_until; null where nothing was retained. rows_removed_at is set when they are gone.
create table erased_users (
  user_id integer primary key,
  erased_at timestamptz not null,
  retained_until timestamptz,
  rows_removed_at timestamptz
);

-- Finds the users whose transactions are due to be removed.
create index erased_users_retained on erased_users (retained_until) where rows_removed_at is null;
-- Lists erasures since a date, to apply them again after a restore.
create index erased_users_by_time on erased_users (erased_at);
