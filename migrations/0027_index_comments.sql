-- expand: Says of each index that has no comment yet what it is for. `\d+` shows the comments.
comment on index erased_users_retained is 'Retention finds the erased users whose transactions are due for removal.';
comment on index erased_users_by_time is 'Lists the users erased since a time, to erase them again after a restore.';
comment on index events_by_id is 'A replay and the operator''s list name events by their ids, each of which is unique.';
comment on index events_by_user is 'Readers filter the log by user; a live stream reads the latest event of an individual.';
comment on index events_by_type is 'Readers filter the log by type.';
comment on index events_by_time is 'Retention removes the oldest; operators and replays read a time range.';
comment on index sandbox_messages_of_phone is 'The inbox lists the texts of one phone, newest first.';
comment on index sandbox_messages_of_user is 'An erasure removes the texts of one user.';
comment on index guard_decisions_of_user is 'Operators read the decisions about one user, newest first.';
comment on index guard_decisions_of_rule is 'Operators read the decisions of one rule, newest first.';
comment on index guard_decisions_of_action is 'Operators read what was refused, or what a rule in shadow would have refused, newest first.';
comment on index webhook_secrets_of_endpoint is 'A delivery is signed with all secrets of its endpoint.';
comment on index webhook_deliveries_due is 'The process that has an endpoint reads its due deliveries, oldest first.';
comment on index webhook_deliveries_latest is 'Lists the latest deliveries of an endpoint, by state.';
comment on index webhook_deliveries_of_event is 'Retention removes the deliveries of the events that it removes.';
