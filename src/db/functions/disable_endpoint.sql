-- Disables a webhook endpoint and writes an event about it. Due deliveries become failed. If there are many, the others
-- follow in batches (fail_due_deliveries), and until then count as failed because their endpoint is disabled.
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
