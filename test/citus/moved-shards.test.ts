/**
 * Shards that are moved while their individuals are written to, also by a process that is suspended in a transaction:
 * counters equal rows, and every change has its event. Skipped where TEST_DATABASE_URL is no Citus.
 */
import postgres from 'postgres';
import { expect, inject, it, onTestFinished } from 'vitest';
import { dataFolder, startProcess, type ServiceProcess } from '../harness/process.ts';
import { cloneDatabase, row } from '../harness/service.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

const individualId = 17;
const otherIds = [18, 19, 20, 21];
const writers = 6;
const isCitus = inject('citusNodes').length > 0;

interface World {
  sql: postgres.Sql;
  mover: postgres.Sql;
  services: [ServiceProcess, ServiceProcess];
  tokens: [string, string];
}

/** Two processes on one database, with the individuals. */
async function startWorld(): Promise<World> {
  const database = await cloneDatabase();
  onTestFinished(database.drop);
  const connect = () => {
    const sql = postgres(database.url, { max: 1, connection: { search_path: 'ledgerline' }, onnotice: () => {} });
    onTestFinished(() => sql.end({ timeout: 1 }));
    return sql;
  };
  const settings = { DATABASE_URL: database.url, LEDGERLINE_DIGEST_KEY: Buffer.alloc(32, 7).toString('base64') };
  const start = async () => startProcess(await dataFolder(), settings);
  const services: World['services'] = [await start(), await start()];
  const tokens: World['tokens'] = [await services[0].token(), await services[1].token()];
  for (const id of [individualId, ...otherIds])
    expect((await services[0].call('POST', '/User', tokens[0], { id })).status).toBe(201);
  return { sql: connect(), mover: connect(), services, tokens };
}

/** Records one row after the other until it is told to stop, and keeps the status of each answer. */
function writeUntilStopped({ services, tokens }: World, process: 0 | 1, ids: number[], statuses: number[]) {
  let isStopped = false;
  const write = async (id: number) => {
    while (!isStopped) {
      const transactions = [row(id)];
      const answer = await services[process].call('POST', '/app/record-transactions', tokens[process], {
        transactions,
      });
      statuses.push(answer.status);
    }
  };
  const written = Promise.all(Array.from({ length: writers }, (_, writer) => write(ids[writer % ids.length]!)));
  return async () => {
    isStopped = true;
    await written;
  };
}

/** Suspends the process at a moment at which it has locked the individual and has not written yet. */
async function suspendInTransaction(service: ServiceProcess, sql: postgres.Sql): Promise<void> {
  await until(async () => {
    service.child.kill('SIGSTOP');
    // What was sent before is answered first: only then it shows that a session waits for the process.
    for (let look = 0; look < 10; look += 1) {
      const holding = await sql`
        select pid from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
          and query like '%transaction_id%' and clock_timestamp() > state_change + interval '50 ms'`;
      if (holding.length > 0) return true;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    service.child.kill('SIGCONT');
    return false;
  });
}

/** Moves the shard of the individual to the other worker. */
async function moveShard(mover: postgres.Sql, mode: string): Promise<void> {
  await mover`
    select citus_move_shard_placement(s.shardid, from_node.nodename, from_node.nodeport, to_node.nodename,
      to_node.nodeport, ${mode}::citus.shard_transfer_mode)
    from (select get_shard_id_for_distribution_column('users', ${individualId}::int) as shardid) s
    join pg_dist_placement p on p.shardid = s.shardid
    join pg_dist_node from_node on from_node.groupid = p.groupid
    join pg_dist_node to_node on to_node.groupid not in (0, p.groupid)
    order by to_node.groupid limit 1`;
}

/** All rows are numbered and counted, and each has its event. */
async function expectExact(sql: postgres.Sql, ids: number[], statuses: number[]): Promise<void> {
  expect(new Set(statuses)).toEqual(new Set([200]));
  const users = await sql`
    select id, transaction_count as rows, transaction_event_count as events from users
    where id = any(${ids}) order by id`;
  const rows = await sql`
    select individual_id as id, count(*)::int as rows, count(distinct seq)::int as numbers, max(seq) as last
    from transactions where individual_id = any(${ids}) group by individual_id order by 1`;
  expect(rows).toEqual(users.map(({ id, rows: count }) => ({ id, rows: count, numbers: count, last: count })));
  expect(rows.reduce((sum, each) => sum + each.rows, 0)).toBe(statuses.length);
  await until(async () => (await sql`select id from user_event_outbox limit 1`).length === 0);
  for (const { id, rows: count, events } of users) {
    expect(events).toBe(count);
    const logged = await sql`
      select sequence from events where user_id = ${id} and type = 'transactions.recorded' order by position`;
    expect(logged.map(({ sequence }) => sequence)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  }
}

it.skipIf(!isCitus)(
  'a move waits for a process that is suspended while it has locked an individual',
  async () => {
    const world = await startWorld();
    const { sql, mover, services, tokens } = world;
    const statuses: number[] = [];
    const stopFirst = writeUntilStopped(world, 0, [individualId], statuses);
    await until(() => statuses.length > 20);
    await suspendInTransaction(services[0], sql);

    const [{ pid }] = (await mover`select pg_backend_pid() as pid`) as unknown as [{ pid: number }];
    let isMoved = false;
    const moved = moveShard(mover, 'block_writes').finally(() => (isMoved = true));
    const isWaiting = async () =>
      (await sql`select pid from pg_stat_activity where pid = ${pid} and wait_event_type = 'Lock'`).length > 0;
    await until(async () => isMoved || (await isWaiting()));
    const didWait = !isMoved;
    // If the move did not wait, the other process finds the individual unlocked at its new place.
    if (!didWait) {
      const transactions = [row(individualId)];
      const { status } = await services[1].call('POST', '/app/record-transactions', tokens[1], { transactions });
      statuses.push(status);
    }
    services[0].child.kill('SIGCONT');
    const stopSecond = writeUntilStopped(world, 1, [individualId], statuses);
    await moved;
    const before = statuses.length;
    await until(() => statuses.length > before + 20);
    await Promise.all([stopFirst(), stopSecond()]);
    await expectExact(sql, [individualId], statuses);
    expect(didWait).toBe(true);
  },
  200_000,
);

it.skipIf(!isCitus)(
  'shards that are moved under the writes of two processes lose and repeat nothing',
  async () => {
    const world = await startWorld();
    const { sql, mover } = world;
    const [setting] = await sql`select current_setting('wal_level') as level`;
    const statuses: number[] = [];
    const ids = [individualId, ...otherIds];
    const stops = [writeUntilStopped(world, 0, ids, statuses), writeUntilStopped(world, 1, ids, statuses)];
    for (let move = 0; move < sized(2, 10); move += 1)
      await moveShard(mover, setting!.level === 'logical' ? 'force_logical' : 'block_writes');
    await Promise.all(stops.map((stop) => stop()));
    await expectExact(sql, ids, statuses);
  },
  200_000,
);
