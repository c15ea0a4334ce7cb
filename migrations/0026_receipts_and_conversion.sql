-- expand: Receipts of ranges of numbers, and verified codes of addresses and tokens.

-- Texts of the last day that gateways reported as delivered and as failed, as fading sums: see src/guard/ranges/ranges.ts.
alter table guard_ranges
  add column delivered double precision not null default 0,
  add column failed double precision not null default 0;

-- When codes were verified from it, the latest hundred.
alter table guard_sources add column verified timestamptz[] not null default '{}';
