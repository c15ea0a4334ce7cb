-- Disables a webhook endpoint and says so in an event. What was due becomes failed; the rest of many rows follows in
-- batches (fail_due_deliveries), and until then counts as failed because its endpoint is disabled.
create or replace function disable_endpoint(of_endpoint integer, reason text, moment timestamptz) returns void
language plpgsql as $$
begin
  update webhook_endpoints e set enabled = false, disabled_reason = reason where e.id = of_endpoint and e.enabled;
  if not found then return; end if;
  perform write_event(
    'endpoint.disabled', null, moment, json_build_object('endpointId', of_endpoint, 'reason', reason)
  );
  perform fail_due_deliveries(of_endpoint, 5000);
end $$;
