-- expand, outside a transaction: The order of sync, built without a lock that keeps writers waiting.
create index concurrently if not exists transactions_touched on transactions (individual_id, touched_commit, seq);
comment on index transactions_touched is 'The order of sync: the rows of an individual by the commit that touched them last.';
