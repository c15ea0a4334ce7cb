-- expand: Confirmations: a code for one act of a user whose phone is verified.

-- failed: no attempts are left. void: the check named other terms, or it was given up, or the phone was unlinked.
create type confirmation_state as enum ('pending', 'approved', 'expired', 'failed', 'void');

create table confirmations (
  user_id integer not null,
  confirmation_id uuid not null,
  -- One counter numbers all codes of a user.
  code_number integer not null,
  purpose text not null,
  -- A pending confirmation whose time has passed is expired too: a job changes its state.
  state confirmation_state not null default 'pending',
  -- Keyed digest of amount, currency and payee.
  terms_digest bytea not null,
  -- Keyed digest of the code, and the encrypted terms for a repeated text. Both are null when it is no longer pending.
  code_digest bytea,
  sealed_terms bytea,
  -- Whether a gateway accepted a text with the code, or may have accepted it.
  sent_state code_state not null default 'pending',
  -- Texts that were passed to a gateway and have no outcome yet.
  texts_in_flight integer not null default 1,
  attempts integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  approved_at timestamptz,
  -- When an approved confirmation was used for a change of the phone number.
  spent_at timestamptz,
  primary key (user_id, confirmation_id),
  constraint confirmations_ended check (state = 'pending' or (code_digest is null and sealed_terms is null))
) with (fillfactor = 70);
create index confirmations_by_time on confirmations (created_at);
comment on index confirmations_by_time is 'Clean-up removes the oldest.';
create index confirmations_pending on confirmations (expires_at) where state = 'pending';
comment on index confirmations_pending is 'Finds those whose time has passed; the pending ones are few.';

alter table verifications
  -- The times of the latest confirmations, of those that user-bound tokens requested, and of the failed checks.
  add column confirmation_sends timestamptz[] not null default '{}',
  add column bound_confirmation_sends timestamptz[] not null default '{}',
  add column confirmation_failures timestamptz[] not null default '{}',
  add column confirmations_blocked_until timestamptz;
create index verifications_confirmations_blocked on verifications (confirmations_blocked_until)
  where confirmations_blocked_until is not null;
comment on index verifications_confirmations_blocked is 'Lists the users whose confirmations are blocked, who are few.';

-- The service alone writes these tables: the compiler knows the values.
alter table guard_decisions drop constraint guard_decisions_operation_check;
alter table verification_events drop constraint verification_events_kind_check;
-- 201: the answer of a confirmation. 503: its outcome is unknown, and the same key sends the same code again.
alter table send_keys drop constraint send_keys_status_check;
alter table send_keys add constraint send_keys_status_check check (status in (201, 204, 400, 503));
