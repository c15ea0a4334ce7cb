-- contract: Phones are counted by a keyed digest, so that no counter holds a number. The key is not in the database, so
-- the counts of phones begin anew. Those of users, addresses and budgets stay.

-- Their parameters or results change. The current definitions are applied from files.
drop function if exists reserve_send(integer, text, timestamptz, smallint, boolean, send_limits, guard_source[], jsonb,
  bytea, bytea, timestamptz, integer, boolean);
drop function if exists finish_send(integer, integer, integer, text, text, bytea[], text, text, smallint, text, smallint,
  text, text, text, json, timestamptz, timestamptz, timestamptz);
drop function if exists give_back_send(integer, text, timestamptz, bytea[]);
drop function if exists reserve_attempt(integer, timestamptz, integer, timestamptz, failure_limits, guard_source[], bytea,
  guard_limit);
drop function if exists consume_code(integer, integer, text, timestamptz, text[], failure_limits, guard_source[], text);
drop function if exists current_phones(issued_code, issued_code[], timestamptz);
drop function if exists phones_of(issued_code[]);

-- What the phone of the code is counted by. Null for codes that were issued before.
alter type issued_code add attribute phone_key bytea;

truncate phone_sends;
alter table phone_sends drop column phone;
alter table phone_sends
  add column key bytea primary key,
  -- The masked number, which operators see.
  add column label text not null;
