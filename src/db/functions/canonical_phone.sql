-- The one spelling of a phone number where libphonenumber knows two: see src/values/phone-number.ts.
create or replace function canonical_phone(phone text) returns text
language sql immutable
return regexp_replace(
  regexp_replace(phone, '^\+54((11|[23]\d)\d{8})$', '+549\1'), '^\+521(\d{10})$', '+52\1');
