/**
 * A new database on every node of a Citus on this machine, with a proxy in front of each worker. CITUS_URL names a
 * database of the coordinator, as a superuser. Nobody else should use these servers: sessions are killed, and then
 * PostgreSQL ends all the others.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { distributeTables } from '../dist/db/citus/citus.js';
import { runMigrations } from '../dist/db/migrations/migrate.js';
import { childrenOf } from './database.js';
import { startProxy } from './proxy.js';

/** More than workers, few enough that a move is likely to be of a shard in use. */
const shardCount = 8;
/** A move that takes longer waits for something that the faults broke. */
const longestMoveMilliseconds = 30_000;

export async function startCitus(citusUrl) {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-chaos-'));
  const name = `ledgerline_chaos_${Date.now()}`;
  const nodes = await readNodes(citusUrl);
  const urlOn = ({ port }, database) => {
    const url = new URL(citusUrl);
    url.host = `127.0.0.1:${port}`;
    url.pathname = `/${database}`;
    return url.href;
  };
  const url = urlOn(nodes[0], name);
  const workers = [];
  for (const node of nodes) {
    await onServer(urlOn(node, 'postgres'), [`create database ${name}`]);
    await onServer(urlOn(node, name), ['create extension citus']);
    if (node !== nodes[0]) workers.push(await startProxy(() => node.port));
  }
  await onServer(url, [
    `select citus_set_coordinator_host('127.0.0.1', ${nodes[0].port})`,
    ...workers.map(({ port }) => `select citus_add_node('127.0.0.1', ${port})`),
  ]);
  await runMigrations(url);
  await distributeTables(url, shardCount);
  const mover = createMover(url);

  return {
    folder,
    url,
    port: nodes[0].port,
    canFillDisk: false,
    isStartedAgain: false,
    workers,
    get movedShards() {
      return mover.movedShards;
    },
    moveShard: mover.moveShard,
    /** The postmaster of the coordinator, and the children of every node. */
    processes: () => ({
      postmaster: nodes[0].postmaster,
      children: nodes.flatMap(({ postmaster }) => childrenOf(postmaster)),
    }),
    connect: () => connect(url),
    async stop() {
      for (const node of nodes) await onServer(urlOn(node, name), await leftoversOf(urlOn(node, name)));
      await Promise.all(workers.map((worker) => worker.stop()));
      for (const node of nodes) await onServer(urlOn(node, 'postgres'), [`drop database ${name} with (force)`]);
      await rm(folder, { recursive: true });
    },
  };
}

function connect(url) {
  return postgres(url, { max: 2, connection: { search_path: 'ledgerline' }, onnotice: () => {} });
}

async function onServer(url, statements) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    for (const statement of statements) await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}

/** The coordinator first. */
async function readNodes(citusUrl) {
  const sql = connect(citusUrl);
  const rows = await sql`
    select nodename, nodeport from pg_catalog.pg_dist_node where noderole = 'primary' order by groupid`;
  await sql.end();
  if (rows.some(({ nodename }) => nodename !== '127.0.0.1' && nodename !== 'localhost')) {
    throw new Error('The nodes of CITUS_URL must be on this machine.');
  }
  return Promise.all(
    rows.map(async ({ nodeport }) => ({ port: nodeport, postmaster: await readPid(citusUrl, nodeport) })),
  );
}

async function readPid(citusUrl, port) {
  const url = new URL(citusUrl);
  url.host = `127.0.0.1:${port}`;
  const sql = connect(url.href);
  const [row] = await sql`select pg_read_file('postmaster.pid') as text`;
  await sql.end();
  return Number.parseInt(row.text, 10);
}

/** Moves one shard, with those beside it, to another worker. One move at a time; false if there is one already. */
function createMover(url) {
  let isMoving = false;
  let movedShards = 0;
  async function move({ share, cancelMilliseconds }) {
    const sql = connect(url);
    try {
      // What a cancelled move leaves on the nodes would be in the way of this one.
      await sql.unsafe('call citus_cleanup_orphaned_resources()').simple();
      const shards = await sql`
        select shardid::int as id from pg_dist_shard where logicalrelid = 'users'::regclass order by shardid`;
      const { id } = shards[Math.floor(share * shards.length)];
      const moving = sql`
        select citus_move_shard_placement(p.shardid, from_node.nodename, from_node.nodeport, to_node.nodename,
          to_node.nodeport, 'force_logical')
        from pg_dist_placement p join pg_dist_node from_node on from_node.groupid = p.groupid
        join pg_dist_node to_node on to_node.groupid not in (0, p.groupid)
        where p.shardid = ${id} order by to_node.groupid limit 1`.execute();
      const timer = setTimeout(() => moving.cancel(), cancelMilliseconds ?? longestMoveMilliseconds);
      await moving.finally(() => clearTimeout(timer));
      movedShards += 1;
    } catch (error) {
      // It was cancelled, or met another fault.
      if (!(error instanceof Error)) throw error;
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
  return {
    get movedShards() {
      return movedShards;
    },
    async moveShard(drawn) {
      if (isMoving) return false;
      isMoving = true;
      await move(drawn).finally(() => (isMoving = false));
      return true;
    },
  };
}

/** Statements that remove what moves have left, which keeps a database from being dropped. */
async function leftoversOf(url) {
  const sql = connect(url);
  const subscriptions = await sql`
    select s.subname as name, s.subowner::regrole::text as owner from pg_subscription s
    join pg_database d on d.oid = s.subdbid where d.datname = current_database()`;
  const slots = await sql`
    select slot_name as name from pg_replication_slots where database = current_database() and slot_type = 'logical'`;
  await sql.end();
  return [
    ...subscriptions.flatMap(({ name, owner }) => [
      `alter subscription ${name} disable`,
      `alter subscription ${name} set (slot_name = none)`,
      `drop subscription ${name}`,
      ...(owner.startsWith('citus_shard_') ? [`drop owned by ${owner}`, `drop role ${owner}`] : []),
    ]),
    ...slots.flatMap(({ name }) => [
      `select pg_terminate_backend(active_pid, 5000) from pg_replication_slots where slot_name = '${name}' and active`,
      `select pg_drop_replication_slot('${name}')`,
    ]),
  ];
}
