-- Like sequence_events, for a distributed user_event_outbox. A transaction that deletes on the workers and inserts on
-- the coordinator would not be atomic, so this one only reads from the workers. The rows that were logged, now or
-- before, are returned in `settled`; the service deletes them after the commit: see docs/decisions/0004-events.md.
-- Workers whose groups are in `away` are not asked; the events of their users wait.
create or replace function sequence_reachable_events(
  moment timestamptz, batch_limit integer, away integer[],
  out has_more boolean,
  -- Rows of user_event_outbox that are in the log: [{"user_id", "id", "at"}]. Null if there are none.
  out settled json
)
language plpgsql as $body$
declare
  first_position bigint;
  coordinator_ids bigint[];
  -- The events that wait on the workers, as one array for each column.
  waiting record;
  moved integer;
  worker record;
  answer record;
  answers json := '[]';
begin
  select l.last_position into first_position from event_log l for update;
  -- Without its worker a user's first event, user.created, cannot be logged. If no event of that counter is in the log,
  -- the later ones wait for it.
  coordinator_ids := array(
    select o.id from event_outbox o
    where cardinality(away) = 0 or o.user_id is null
      or exists (select from events e where e.user_id = o.user_id and e.type not like 'transactions.%')
      or not (select p.groupid from pg_catalog.pg_dist_placement p
        where p.shardid = get_shard_id_for_distribution_column('users', o.user_id)) = any(away)
    order by o.id limit batch_limit);
  -- Read after the other outbox: the transaction that wrote there has seen the user, so user.created is visible here.
  if cardinality(away) = 0 then
    select count(*) as count, array_agg(o.id) as ids, array_agg(o.user_id) as user_ids,
      array_agg(o.sequence) as sequences, array_agg(o.type) as types, array_agg(o.at) as times,
      array_agg(o.data::text) as data
    into waiting
    from (
      select w.id, w.user_id, w.sequence, w.type, w.at, w.data from user_event_outbox w
      order by w.id, w.user_id limit batch_limit
    ) o;
  else
    -- A statement about a distributed table asks all workers. So each of the others is asked for its shards by name.
    for worker in
      select n.nodename::text as name, n.nodeport as port, string_agg(format(
        'select id, user_id, sequence, type, at, data::text as data from %s',
        shard_name(s.logicalrelid, s.shardid)), ' union all ') as shards
      from pg_catalog.pg_dist_shard s
      join pg_catalog.pg_dist_placement p on p.shardid = s.shardid
      join pg_catalog.pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
      where s.logicalrelid = 'user_event_outbox'::regclass and p.groupid <> all(away)
      group by n.nodename, n.nodeport
    loop
      select r.success, r.result into answer from master_run_on_worker(
        array[worker.name], array[worker.port], array[format(
          $$select coalesce(json_agg(o), '[]') from (select * from (%s) u order by id, user_id limit %s) o$$,
          worker.shards, batch_limit)], true) r;
      if not answer.success then
        -- connection_failure
        raise exception 'A worker was not reached.' using errcode = '08006';
      end if;
      answers := (answers::jsonb || answer.result::jsonb)::json;
    end loop;
    select count(*) as count, array_agg(o.id) as ids, array_agg(o.user_id) as user_ids,
      array_agg(o.sequence) as sequences, array_agg(o.type) as types, array_agg(o.at) as times,
      array_agg(o.data) as data
    into waiting
    from (
      select w.id, w.user_id, w.sequence, w.type, w.at, w.data
      from json_to_recordset(answers) as w (id bigint, user_id integer, sequence integer, type text, at timestamptz, data text)
      order by w.id, w.user_id limit batch_limit
    ) o;
  end if;
  has_more := waiting.count >= batch_limit;
  -- The first event of a user may be among those that were not read.
  if has_more then coordinator_ids := '{}'; end if;
  has_more := has_more or cardinality(coordinator_ids) >= batch_limit;

  with taken as (
    delete from event_outbox o where o.id = any(coordinator_ids)
    returning o.id, o.type, o.at, o.user_id, o.sequence, o.data
  ), fresh as (
    select w.id, w.type, w.at, w.user_id, w.sequence, w.data::json
    from unnest(waiting.ids, waiting.user_ids, waiting.sequences, waiting.types, waiting.times, waiting.data)
      as w (id, user_id, sequence, type, at, data)
    -- Events of a counter are logged in the order of their numbers.
    where w.sequence > coalesce((
      select e.sequence from events e
      where e.user_id = w.user_id and (e.type like 'transactions.%') = (w.type like 'transactions.%')
      order by e.position desc limit 1), 0)
  ), logged as (
    insert into events (position, id, type, at, user_id, sequence, data)
    select first_position + row_number() over (order by t.place, t.id), event_id(t.at), t.type, t.at, t.user_id,
      t.sequence, t.data
    from (
      select 1 as place, f.id, f.type, f.at, f.user_id, f.sequence, f.data from fresh f
      union all
      select 2, k.id, k.type, k.at, k.user_id, k.sequence, k.data from taken k
    ) t
    returning position, type, data
  ), wanting as materialized (
    -- The lock keeps an endpoint from being disabled while something is queued for it.
    select e.id, e.types from webhook_endpoints e where e.enabled for share
  ), queued as (
    insert into webhook_deliveries (endpoint_id, event_position, due_at)
    select w.id, l.position, moment
    from logged l join wanting w on w.types = '{}' or l.type = any(w.types)
    -- An event about an endpoint is sent to the other endpoints only.
    where l.type not like 'endpoint.%' or (l.data ->> 'endpointId')::integer <> w.id
    order by l.position, w.id
  )
  select count(*) into moved from logged;
  if moved > 0 then
    update event_log set last_position = first_position + moved;
  end if;
  select json_agg(json_build_object('user_id', w.user_id, 'id', w.id, 'at', w.at)) into settled
  from unnest(waiting.user_ids, waiting.ids, waiting.times) as w (user_id, id, at);
end $body$;
