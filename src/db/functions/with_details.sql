-- The JSON of a transaction with its details after the fields of the list. Null details: the transaction as it is.
create or replace function with_details(body text, details text) returns text
language sql immutable
return coalesce(left(body, -1) || ',' || substr(details, 2), body);
