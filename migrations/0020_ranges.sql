-- expand: Ranges of numbers, and the evidence of a decision. guard_prefixes is no longer used.

-- How many codes a range of numbers was sent, and how many were verified, as fading sums: see src/guard/ranges/ranges.ts.
create table guard_ranges (
  -- Leading digits such as +447911, or a country such as GB.
  name text primary key,
  -- When the sums were last brought up to date.
  summed_at timestamptz not null,
  hour_sends double precision not null,
  hour_verified double precision not null,
  day_sends double precision not null,
  unverified double precision not null,
  normal_sends double precision not null,
  normal_verified double precision not null,
  -- How often its budget was halved, and when a send was last refused for it.
  shrinks smallint not null default 0,
  refused_at timestamptz,
  -- Until when a send like the last one that was refused will be refused.
  limited_until timestamptz
) with (fillfactor = 70);
create index guard_ranges_limited on guard_ranges (limited_until) where limited_until is not null;
comment on index guard_ranges_limited is 'Lists the ranges that are limited, which are few.';

-- In one sentence, where the rule has more to tell than its name.
alter table guard_decisions add column evidence text;
