-- expand: Why an operator acted.
alter table operator_actions add column reason text;
