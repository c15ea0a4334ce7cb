-- Renews the leases of a dispatcher and takes free ones, up to its share of the enabled endpoints. Returns its current
-- leases. Those above its share have is_surplus, and are released when none of their requests is in flight. A lease
-- that has expired is not renewed: it is taken again, under a new epoch.
create or replace function lease_endpoints(dispatcher uuid, lease_seconds integer)
returns table (endpoint_id integer, epoch bigint, is_surplus boolean)
language plpgsql as $$
declare
  -- Leases use the clock of the database server, not that of the service: several processes must agree on the time.
  moment timestamptz := clock_timestamp();
  until timestamptz := seconds_after(clock_timestamp(), lease_seconds);
  -- Later than any lease can end, unless that clock was set back.
  latest_possible_end timestamptz := seconds_after(clock_timestamp(), 2 * lease_seconds);
  share integer;
  renewed integer;
begin
  -- After the clock was set back, a process that has ended must not keep its leases until the clock is there again.
  update webhook_dispatchers d set seen_until = until where d.seen_until > latest_possible_end;
  update webhook_leases l set held_until = until where l.held_until > latest_possible_end;
  insert into webhook_dispatchers as d (id, seen_until) values (dispatcher, until)
  on conflict (id) do update set seen_until = excluded.seen_until;
  delete from webhook_dispatchers d where d.id in (
    select g.id from webhook_dispatchers g where g.seen_until < moment for update skip locked
  );
  update webhook_leases l set held_until = until
  where l.holder = dispatcher and l.held_until > moment
    and exists (select from webhook_endpoints e where e.id = l.endpoint_id and e.enabled);
  get diagnostics renewed = row_count;
  select ceil((select count(*) from webhook_endpoints e where e.enabled)::numeric / greatest(count(*), 1))
  into share from webhook_dispatchers d;
  update webhook_leases l set holder = dispatcher, epoch = nextval('webhook_lease_epochs'), held_until = until
  where l.endpoint_id in (
    select f.endpoint_id from webhook_leases f join webhook_endpoints e on e.id = f.endpoint_id and e.enabled
    where f.held_until < moment order by f.held_until limit greatest(share - renewed, 0)
    for update of f skip locked
  );
  return query
  select l.endpoint_id, l.epoch, row_number() over (order by l.endpoint_id) > share
  from webhook_leases l join webhook_endpoints e on e.id = l.endpoint_id and e.enabled
  where l.holder = dispatcher and l.held_until >= until;
end $$;
