-- expand: Checks on verified numbers, texts and deliveries.

-- Not valid: new rows are checked at once, and rows that are there already by the next migration, which does not hold
-- the lock that adding a constraint needs.
alter table verifications
  add constraint verifications_verified check ((verified_phone is null) = (verified_at is null)) not valid;
alter table messages add constraint messages_segments check (segments > 0) not valid;
alter table webhook_deliveries add constraint webhook_deliveries_attempts check (attempts >= 0) not valid;
