-- expand: When a phone got texts that a proof allowed.

-- The latest few, for the rule that a proof lifts the limit of a phone's sends only some times a day.
alter table phone_sends add column proven timestamptz[] not null default '{}';
