create or replace function seconds_after(moment timestamptz, seconds integer) returns timestamptz
language sql stable
return moment + make_interval(secs => seconds);
