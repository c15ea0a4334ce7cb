-- Marks some due deliveries of an endpoint as failed. Returns how many.
create or replace function fail_due_deliveries(of_endpoint integer, batch_limit integer) returns integer
language plpgsql as $$
declare
  failed integer;
begin
  -- As mark_deliveries does, which locks the same rows in another order.
  perform from webhook_leases l where l.endpoint_id = of_endpoint for update;
  update webhook_deliveries d
  set state = 'failed', last_error = coalesce(d.last_error, 'The endpoint was disabled.')
  where d.id = any(array(
    select w.id from webhook_deliveries w where w.endpoint_id = of_endpoint and w.state = 'due'
    order by w.due_at limit batch_limit
    -- Those that retention removes with their events: it locks them in another order.
    for update skip locked
  ));
  get diagnostics failed = row_count;
  return failed;
end $$;
