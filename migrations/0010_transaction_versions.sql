-- expand: When a transaction was first recorded, and checks on what the tables of transactions hold.

-- The time at which the first version of a row was recorded. Null for rows from before this column existed, and for
-- rows that a node of an older release writes during an upgrade. Later versions have transaction_history.replaced_at.
alter table transactions add column recorded_at timestamptz;

-- Not valid: new rows are checked at once, and rows that are there already by the next migration, which does not hold
-- the lock that adding a constraint needs.
alter table transactions
  add constraint transactions_amount check (amount >= 0 and amount < 1e20) not valid,
  add constraint transactions_seq check (seq > 0) not valid,
  add constraint transactions_transaction_id check (length(transaction_id) between 1 and 64) not valid,
  add constraint transactions_currency check (length(currency) = 3) not valid;
alter table transaction_history
  add constraint transaction_history_version check (version > 0) not valid;
alter table transaction_blocks
  add constraint transaction_blocks_times check (start_time < end_time) not valid,
  add constraint transaction_blocks_counts check (row_count >= 0 and last_seq >= 0) not valid;
alter table users
  add constraint users_transaction_count check (transaction_count >= 0) not valid;

-- Why each index of these tables exists.
comment on index transactions_pkey is
  'One row for each individual and transactionId; also finds a transactionId when no individual is named.';
comment on index transactions_listed is
  'The order of the list, totals and export; amount and seq are included so that counts need not read the rows.';
comment on index transaction_history_pkey is 'The versions of a row, oldest first.';
comment on index transaction_blocks_pkey is 'The blocks of an individual in the order of time.';
