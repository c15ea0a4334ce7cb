-- expand: Whether the events of an erasure are written. Where users is distributed, they come with its last transaction.
alter table erased_users add column is_told boolean not null default true;
