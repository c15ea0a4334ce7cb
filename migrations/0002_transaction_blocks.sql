-- expand: An index of counts for individuals with many transactions: see docs/decisions/0001-list-at-any-size.md.
--
-- The rows of such an individual are cut along time into blocks, from -infinity to infinity without a gap.
-- A block knows how many rows it holds and their amounts in order, so that a count or a position is
-- found by adding up blocks instead of rows. It is written in the transaction that writes the rows.
create table transaction_blocks (
  individual_id integer not null,
  -- From start_time, inclusive, to end_time, exclusive: rows of one moment are never parted.
  start_time timestamptz not null,
  end_time timestamptz not null,
  row_count integer not null,
  -- The highest sequence number inside: a list pinned before it must look at the rows themselves.
  last_seq integer not null,
  -- The rows' amounts in millionths, ascending; null where one is too large for that.
  amounts bigint[],
  -- Amounts that came since the others were put in order.
  recent bigint[] not null default '{}',
  primary key (individual_id, start_time)
) with (fillfactor = 50);

-- Not compressed: reading it fast is all it is for.
alter table transaction_blocks alter column amounts set storage external;
