-- The codes of one user that may still be valid: the latest, and the earlier ones that stay valid while it is pending.
-- Short expressions are SQL functions, which PostgreSQL inlines: these run with every send and verify.

-- Whether another send to the phone sends this code again: it is still valid, and its outcome is not known yet, unless
-- the caller asked for the same code.
create or replace function is_repeatable(
  code issued_code, to_phone text, called_at timestamptz, attempt_limit integer, is_resend boolean
) returns boolean
language sql immutable as $$
  select (is_resend or code.state <> 'accepted') and code.phone = to_phone and code.digest is not null
    and code.expires_at > called_at and code.attempts < attempt_limit
$$;

-- When a code expires that is sent again: never later than 30 minutes after it was first sent, and never earlier than
-- before.
create or replace function prolonged(code issued_code, new_expires_at timestamptz) returns timestamptz
language sql immutable as $$
  select greatest(code.expires_at, least(new_expires_at, code.issued_at + interval '30 minutes'))
$$;

-- A change that was asked for at this time.
create or replace function lapses_at(asked_at timestamptz) returns timestamptz
language sql immutable as $$ select asked_at + interval '1 hour' $$;

create or replace function is_under_way(change_code issued_code, called_at timestamptz) returns boolean
language sql immutable as $$ select coalesce(lapses_at(change_code.asked_at) > called_at, false) $$;

create or replace function is_good(code issued_code, called_at timestamptz, attempt_limit integer) returns boolean
language sql immutable as $$
  select code.digest is not null and code.expires_at > called_at and code.attempts < attempt_limit
$$;

-- Whether this code supersedes the earlier ones: a gateway accepted it or may have accepted it. A code that has been
-- pending for longer than a dispatch takes was left behind by a process that ended, so its outcome is unknown.
create or replace function supersedes(code issued_code, pending_since timestamptz) returns boolean
language sql immutable as $$ select code.state <> 'pending' or code.sent_at < pending_since $$;

-- The codes, latest first, up to and including the first one that supersedes the earlier ones.
create or replace function current_codes(codes issued_code[], pending_since timestamptz) returns issued_code[]
language plpgsql immutable as $$
begin
  for place in 1 .. cardinality(codes) loop
    if supersedes(codes[place], pending_since) then return codes[: place]; end if;
  end loop;
  return codes;
end $$;

-- The keys of the different phones that current codes were sent to, in the order in which they are always locked. A
-- code that was issued before codes had a key has none.
create or replace function current_phone_keys(
  latest issued_code, earlier issued_code[], pending_since timestamptz
) returns bytea[]
language sql immutable as $$
  select case
    when latest.phone_key is null then '{}'
    when supersedes(latest, pending_since) then array[latest.phone_key]
    else phone_keys_of(current_codes(latest || earlier, pending_since)) end
$$;

create or replace function phone_keys_of(codes issued_code[]) returns bytea[]
language plpgsql immutable as $$
begin
  return array(
    select distinct c.phone_key from unnest(codes) c where c.phone_key is not null order by c.phone_key);
end $$;

-- Enough digits for a person to recognise a number: see maskPhone in src/values/phone-number.ts.
create or replace function mask_phone(phone text) returns text
language sql immutable as $$ select left(phone, 3) || '…' || right(phone, 2) $$;

-- The codes, latest first, after a text with one of them has an outcome. If the text may arrive, the codes before
-- that one are superseded. A code whose texts all failed for certain is void.
create or replace function settle_code(codes issued_code[], code_number integer, outcome text)
returns issued_code[]
language plpgsql immutable as $$
declare
  code issued_code;
  settled issued_code[] := '{}';
begin
  foreach code in array codes loop
    if code.number = code_number then
      code.texts_in_flight := code.texts_in_flight - 1;
      if outcome in ('accepted', 'unknown') then
        code.state := greatest(code.state, outcome::code_state);
        return settled || code;
      end if;
      continue when code.state = 'pending' and code.texts_in_flight = 0;
    end if;
    settled := settled || code;
  end loop;
  return settled;
end $$;

create or replace function find_code(codes issued_code[], code_number integer) returns issued_code
language plpgsql immutable as $$
declare
  code issued_code;
begin
  foreach code in array codes loop
    if code.number = code_number then return code; end if;
  end loop;
  return null;
end $$;
