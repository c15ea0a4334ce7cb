-- expand, outside a transaction: An operator finds users by their e-mail address, in any case.
create index concurrently if not exists users_of_email on users (lower(email)) where email is not null;
comment on index users_of_email is 'Operators find users by e-mail address.';
