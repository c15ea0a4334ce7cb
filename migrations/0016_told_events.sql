-- expand: What events have told already: the block of a user, and the rules that fired in the last hour.

-- The end of the last block that phone.verification_blocked told of.
alter table verifications add column told_block_until timestamptz;

-- When guard.rule_fired last told of a rule, by country; an empty country where it cannot be told.
create table guard_fired_rules (
  rule text not null,
  country text not null,
  told_at timestamptz not null,
  primary key (rule, country)
);
