-- expand, outside a transaction: Finds the operators' actions that have outlived their term.
create index concurrently if not exists operator_actions_by_time on operator_actions (acted_at);
comment on index operator_actions_by_time is 'Retention removes the oldest.';
