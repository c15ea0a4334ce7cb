-- expand: Blocks that also answer for type, category, status, currency and text: see docs/decisions/0006-every-filter-at-any-size.md.

alter table transaction_blocks
  -- How many rows have each value, such as {"type=card": 12, "currency=eur": 9}. Null where there are too many values.
  add column facets jsonb,
  -- The search texts of all rows, to find the blocks that need not be read. Null where rows have come since, or where
  -- it would be too long.
  add column words text,
  -- Another number after each change of the block or of its rows. Counts of a block are remembered with it.
  add column version bigint not null default 0;

-- Not compressed, as the amounts.
alter table transaction_blocks alter column words set storage external;
