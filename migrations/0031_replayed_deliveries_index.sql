-- expand, outside a transaction: Counts the deliveries of replays that are still due to an endpoint.
create index concurrently if not exists webhook_deliveries_replayed on webhook_deliveries (endpoint_id)
  where state = 'due' and is_replay;
comment on index webhook_deliveries_replayed is 'Counts the deliveries of replays that are still due to an endpoint';
