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
  coordinator_ids bigint[];
  -- Rows of user_event_outbox that wait on the workers.
  waiting json;
  added json;
  worker record;
  answer record;
  answers json[] := '{}';
begin
  perform from event_log for update;
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
    select json_agg(o) into waiting
    from (
      select w.id, w.user_id, w.sequence, w.type, w.at, w.data from user_event_outbox w
      order by w.id, w.user_id limit batch_limit
    ) o;
  else
    -- A statement about a distributed table asks all workers. So each of the others is asked for its shards by name.
    for worker in
      select n.nodename::text as name, n.nodeport as port, string_agg(format(
        'select id, user_id, sequence, type, at, data from %s', shard_name(s.logicalrelid, s.shardid)),
        ' union all ') as shards
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
      answers := answers || answer.result::json;
    end loop;
    select json_agg(o) into waiting
    from (
      select w.id, w.user_id, w.sequence, w.type, w.at, w.data
      from unnest(answers) a (rows), json_to_recordset(a.rows)
        as w (id bigint, user_id integer, sequence integer, type text, at timestamptz, data json)
      order by w.id, w.user_id limit batch_limit
    ) o;
  end if;
  has_more := coalesce(json_array_length(waiting), 0) >= batch_limit;
  -- The first event of a user may be among those that were not read.
  if has_more then coordinator_ids := '{}'; end if;
  has_more := has_more or cardinality(coordinator_ids) >= batch_limit;

  with taken as (
    delete from event_outbox o where o.id = any(coordinator_ids)
    returning o.id, o.type, o.at, o.user_id, o.sequence, o.data
  )
  select json_agg(t order by t.place, t.id) into added
  from (
    select 1 as place, w.id, w.type, w.at, w.user_id, w.sequence, w.data
    from json_to_recordset(waiting)
      as w (id bigint, user_id integer, sequence integer, type text, at timestamptz, data json)
    -- Events of a counter are logged in the order of their numbers.
    where w.sequence > coalesce((
      select e.sequence from events e
      where e.user_id = w.user_id and (e.type like 'transactions.%') = (w.type like 'transactions.%')
      order by e.position desc limit 1), 0)
    union all
    select 2, k.id, k.type, k.at, k.user_id, k.sequence, k.data from taken k
  ) t;
  perform append_events(added, moment);
  select json_agg(w) into settled from json_to_recordset(waiting) as w (user_id integer, id bigint, at timestamptz);
end $body$;
