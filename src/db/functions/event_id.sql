-- A UUID of version 7 (RFC 9562): 48 bits of milliseconds, then the random bits of version 4. Bits 52 and 53 are those
-- in which the version digits 4 and 7 differ.
create or replace function event_id(moment timestamptz) returns uuid
language sql volatile
return encode(
  set_bit(
    set_bit(
      overlay(
        uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from moment) * 1000)::bigint) from 3) from 1 for 6
      ),
      52, 1
    ),
    53, 1
  ),
  'hex'
)::uuid;
