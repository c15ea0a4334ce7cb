-- The data of an event with userId as its first member.
create or replace function with_user_id(event_data json, of_user integer) returns json
language sql immutable
return (
  '{"userId":' || of_user
  || case when event_data::text = '{}' then '}' else ',' || substr(event_data::text, 2) end
)::json;
