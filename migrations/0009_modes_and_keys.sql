-- expand: Which mode has served this database, and which digest keys its nodes have.

-- Production never opens a database that the sandbox has served. For databases from before this column the traces of
-- a sandbox decide, unless production has served them: those stay production's.
alter table installation add column served_sandbox boolean not null default false;
update installation set served_sandbox = true
where not served_production and (
  clock_ahead_seconds > 0
  or exists (select from users where additional_data::text = '{"demo":true}')
  or exists (select from messages where gateway in ('inbox', 'console'))
);

-- The digest keys that nodes on this database have, by fingerprint: see src/auth/digest-key-registry.ts.
create table digest_keys (
  fingerprint text primary key,
  -- The order in which they came.
  number integer not null,
  is_current boolean not null,
  wrapped_guard_key bytea not null
);
