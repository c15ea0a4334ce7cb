-- expand: Details of transactions, and the commits that created and last touched each row.

-- What a row has besides the fields of the list, as JSON, in a table of its own: the list reads nothing of it. The key
-- is the number of the row (transactions.seq), which never changes and takes less space than the transactionId. A row
-- without details has no row here.
create table transaction_details (
  individual_id integer not null,
  seq integer not null,
  details text not null,
  primary key (individual_id, seq)
);
comment on index transaction_details_pkey is 'The details of a row.';

-- The details of the version that was replaced; null if it had none.
alter table transaction_history add column details text;

-- users.transaction_event_count at the end of the commit that created the row, and of the one that touched it last. Rows
-- from before these columns existed, and demo rows, have 0.
alter table transactions
  add column created_commit integer not null default 0,
  add column touched_commit integer not null default 0;
