-- expand, outside a transaction: Checks the rows that were there before the constraints. Reads and writes go on meanwhile.
alter table transactions validate constraint transactions_amount;
alter table transactions validate constraint transactions_seq;
alter table transactions validate constraint transactions_transaction_id;
alter table transactions validate constraint transactions_currency;
alter table transaction_history validate constraint transaction_history_version;
alter table transaction_blocks validate constraint transaction_blocks_times;
alter table transaction_blocks validate constraint transaction_blocks_counts;
alter table users validate constraint users_transaction_count;
