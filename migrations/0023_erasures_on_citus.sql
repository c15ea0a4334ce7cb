-- expand: Erasures that are not complete. Where users is distributed, an erasure takes several transactions: see docs/citus.md.
alter table erased_users add column is_complete boolean not null default true;
create index erased_users_incomplete on erased_users (user_id) where not is_complete;
comment on index erased_users_incomplete is 'Finds the erasures that a job has to complete, which are few.';
