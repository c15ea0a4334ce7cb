-- Notes a user on whom a code failed, and blocks the code when it has failed on too many different users.
create or replace function note_failed_code(
  code_key bytea, for_user integer, called_at timestamptz, counted guard_limit
) returns void
language sql as $$
  insert into guard_codes as c (key, users, blocked_until)
  values (
    code_key, array[row(called_at, for_user::text)::seen_value], find_block('{}', null, counted, called_at))
  on conflict (key) do update set
    users = see_value(c.users, for_user::text, counted.kept, called_at),
    blocked_until = find_block(times_of_others(c.users, for_user::text), c.blocked_until, counted, called_at)
$$;
