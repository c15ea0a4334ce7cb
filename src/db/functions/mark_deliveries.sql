-- Writes the outcomes of some tries if the lease is still the current one. Otherwise it writes nothing and returns
-- false.
create or replace function mark_deliveries(
  of_endpoint integer, lease_epoch bigint, moment timestamptz, outcomes jsonb, failing timestamptz, disable_reason text
) returns boolean
language plpgsql as $$
begin
  perform from webhook_leases l where l.endpoint_id = of_endpoint and l.epoch = lease_epoch for update;
  if not found then return false; end if;
  -- In the order in which retention locks them, which removes deliveries with their events.
  perform from webhook_deliveries d
  where d.id in (select o.id from jsonb_to_recordset(outcomes) as o (id bigint)) and d.state = 'due'
  order by d.id for update;
  update webhook_deliveries d set
    state = o.state, attempts = o.attempts, due_at = coalesce(o."dueAt", d.due_at), last_attempt_at = o."attemptedAt",
    last_status = o.status, last_error = o.error, last_answer = o.answer
  from jsonb_to_recordset(outcomes) as o (
    id bigint, state text, attempts smallint, "dueAt" timestamptz, "attemptedAt" timestamptz, status smallint,
    error text, answer text
  )
  where d.id = o.id and d.state = 'due';
  update webhook_leases l set failing_since = failing
  where l.endpoint_id = of_endpoint and l.failing_since is distinct from failing;
  perform write_event(
    'endpoint.delivery_failed', null, moment, json_build_object('endpointId', of_endpoint, 'reason', o.error)
  )
  from jsonb_to_recordset(outcomes) as o (error text, "isExhausted" boolean) where o."isExhausted";
  if disable_reason is not null then perform disable_endpoint(of_endpoint, disable_reason, moment); end if;
  return true;
end $$;
