-- The data of an event with userId as its first member. Stable, as json and its conversions are: PostgreSQL does not
-- inline a function that is declared as immutable and is not, and a call costs as much as a small statement.
create or replace function with_user_id(event_data json, of_user integer) returns json
language sql stable
return (
  '{"userId":' || of_user
  || case when event_data::text = '{}' then '}' else ',' || substr(event_data::text, 2) end
)::json;
