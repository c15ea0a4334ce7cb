-- A call that has lost a race raises 40001. Everything is rolled back, and the service asks again.

create or replace function raise_lost_race() returns void
language plpgsql as $$
begin
  raise exception 'lost a race' using errcode = 'serialization_failure';
end $$;

-- For the first row about a user. An erasure locks this row first, so only a statement after that lock can see that the
-- user was erased.
create or replace function require_user(for_user integer) returns void
language plpgsql as $$
begin
  perform from users u where u.id = for_user;
  if not found then perform raise_lost_race(); end if;
end $$;
