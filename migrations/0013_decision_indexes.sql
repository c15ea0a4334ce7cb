-- expand, outside a transaction: Operators look for decisions by user, rule and action, newest first.
create index concurrently if not exists guard_decisions_of_user on guard_decisions (user_id, id);
create index concurrently if not exists guard_decisions_of_rule on guard_decisions (rule, id);
create index concurrently if not exists guard_decisions_of_action on guard_decisions (action, id);
