-- For nodes of the release before: like sequence_reachable_events, and fails if a worker cannot be reached.
create or replace function sequence_distributed_events(
  moment timestamptz, batch_limit integer, out has_more boolean, out settled json
)
language plpgsql as $$
begin
  select r.has_more, r.settled into has_more, settled from sequence_reachable_events(moment, batch_limit, '{}') r;
end $$;
