-- expand: Codes that are sent again, and changes of a number.

alter type issued_code
  -- When it was first sent: a code that is sent again expires at the latest 30 minutes after this.
  add attribute issued_at timestamptz,
  -- When the change that the code belongs to was asked for: a change lapses after an hour. Null for a verification.
  add attribute asked_at timestamptz;

alter table verifications
  -- The codes of the change that is under way, like latest_code and earlier_codes: they prove the new phone.
  add column change_code issued_code,
  add column earlier_change_codes issued_code[] not null default '{}',
  add column change_correlation_type smallint not null default 0,
  -- Failed attempts to verify a change, and the block that follows: apart from those of a verification.
  add column change_failures timestamptz[] not null default '{}',
  add column change_blocked_until timestamptz,
  add column reported_change_block_until timestamptz;

create index verifications_change_blocked on verifications (change_blocked_until)
  where change_blocked_until is not null;
comment on index verifications_change_blocked is 'Lists the users who may not verify a change, who are few.';

-- The numbers that a user had, masked.
create table phone_changes (
  user_id integer not null,
  asked_at timestamptz not null,
  changed_at timestamptz not null,
  previous_phone text not null,
  phone text not null,
  primary key (user_id, changed_at)
);
comment on index phone_changes_pkey is 'Reads the changes of one user.';
create index phone_changes_by_time on phone_changes (changed_at);
comment on index phone_changes_by_time is 'Clean-up removes the oldest.';
