-- expand, outside a transaction: Checks the rows that were there before the constraints. Reads and writes go on meanwhile.
alter table verifications validate constraint verifications_verified;
alter table messages validate constraint messages_segments;
alter table webhook_deliveries validate constraint webhook_deliveries_attempts;
