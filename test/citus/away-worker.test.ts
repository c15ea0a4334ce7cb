/**
 * One worker of a Citus cannot be reached: everything about individuals of the other one goes on, and what had to wait
 * follows when it is back. Skipped where TEST_DATABASE_URL is no Citus.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import postgres from 'postgres';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openDetected } from '../../src/db/citus/citus.ts';
import { createLiveStore } from '../../src/events/live/live.store.ts';
import { cloneDatabase, newPhone, row, serviceForTest, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const nodes = inject('citusNodes');
const worker = nodes.findLast(({ isCoordinator }) => !isCoordinator);

/** A port in front of the worker that can be closed, with its connections. */
async function openPort(host: string, port: number) {
  const sockets = new Set<Socket>();
  let server: Server;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  async function open(at: number): Promise<number> {
    server = createServer((near) => {
      const far = connect(port, host);
      keep(near);
      keep(far);
      near.pipe(far).pipe(near);
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
    });
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as { port: number }).port;
  }
  function close(): void {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
  const openedAt = await open(0);
  onTestFinished(close);
  return { port: openedAt, close, reopen: () => open(openedAt) };
}

/** Events of one user in the order of the log, as `sequence type`. */
async function readEvents(service: Service, userId: number): Promise<string[]> {
  const { status, json } = await service.call(`/events?userId=${userId}&limit=100`, undefined, { method: 'GET' });
  expect(status).toBe(200);
  return json.events.map(({ sequence, type }: { sequence: number; type: string }) => `${sequence} ${type}`);
}

it.skipIf(!worker)(
  'serves what the other workers have',
  async () => {
    const database = await cloneDatabase();
    onTestFinished(database.drop);
    const sql = postgres(database.url, { max: 1, connection: { search_path: 'ledgerline' }, onnotice: () => {} });
    onTestFinished(() => sql.end({ timeout: 1 }));
    const port = await openPort(worker!.host, worker!.port);
    await sql`
    select citus_update_node(nodeid, '127.0.0.1', ${port.port}::int) from pg_dist_node
    where nodename = ${worker!.host} and nodeport = ${worker!.port}::int`;
    await until(async () => (await sql`select nodeid from pg_dist_node where not metadatasynced`).length === 0);
    const service = await serviceForTest({ DATABASE_URL: database.url });
    const isOnWorker = async (id: number) => {
      const [placed] = await sql`
      select n.nodeport = ${port.port}::int as is_there from pg_dist_placement p join pg_dist_node n using (groupid)
      where p.shardid = get_shard_id_for_distribution_column('users', ${id}::int)`;
      return placed!.is_there as boolean;
    };
    const verified = { away: [] as number[], here: [] as number[] };
    while (verified.away.length === 0 || verified.here.length === 0) {
      const id = await service.verifiedUser();
      verified[(await isOnWorker(id)) ? 'away' : 'here'].push(id);
    }
    const [away, here] = [verified.away[0]!, verified.here[0]!];
    port.close();
    expect((await service.record([row(away)])).status).toBe(503);
    expect((await service.record([row(here)])).json.results[0].result).toBe('created');
    expect(await readEvents(service, here)).toContain('1 transactions.recorded');
    for (let created = 0; created < 10; created += 1) {
      const id = await service.createUser();
      expect(await isOnWorker(id)).toBe(false);
      expect(await readEvents(service, id)).toEqual(['1 user.created']);
    }
    const phone = newPhone();
    const sender = await service.createUser();
    for (let failed = 0; failed < 6; failed += 1) {
      expect((await service.sendCode(away, newPhone())).status).toBe(503);
    }
    expect((await service.sendCode(sender, phone)).status).toBe(204);
    expect((await service.verify(sender, await service.lastCode(phone))).status).toBe(200);
    const db = await openDetected({ url: database.url, connections: 4, statementSeconds: 30 });
    onTestFinished(db.close);
    const { states, unreachable } = await createLiveStore(db).readStates([away, here, sender]);
    expect(states.map(({ individualId }) => individualId).sort((a, b) => a - b)).toEqual([here, sender]);
    expect(unreachable).toEqual([away]);

    await port.reopen();
    expect((await service.record([row(away)])).status).toBe(200);
    await until(async () => (await readEvents(service, away)).includes('1 transactions.recorded'));
  },
  200_000,
);

it.skipIf(!worker)(
  'an event whose user has an earlier one on the worker waits for it',
  async () => {
    const database = await cloneDatabase();
    onTestFinished(database.drop);
    const sql = postgres(database.url, { max: 1, connection: { search_path: 'ledgerline' }, onnotice: () => {} });
    onTestFinished(() => sql.end({ timeout: 1 }));
    const now = new Date('2026-11-01T00:00:00Z');
    const users = [1, 2, 3, 4, 5, 6, 7, 8];
    for (const id of users) {
      await sql`insert into users (id, created_at, has_created_event) values (${id}, ${now}, true)`;
      await sql`
      insert into user_event_outbox (id, user_id, sequence, type, at, data)
      values (0, ${id}, 1, 'user.created', ${now}, '{}')`;
      await sql`select write_event('phone.verified', ${id}, ${now}, '{}')`;
    }
    const [group] = await sql`
    select groupid from pg_dist_node where nodename = ${worker!.host} and nodeport = ${worker!.port}::int`;
    const sequence = async (away: number[]) => {
      const [moved] = await sql`
      select settled from sequence_reachable_events(${now}, 100, ${`{${away.join()}}`}::text::int[])`;
      const settled = moved!.settled as { user_id: number }[] | null;
      for (const { user_id } of settled ?? []) await sql`delete from user_event_outbox where user_id = ${user_id}`;
      return settled?.length ?? 0;
    };
    const logged = async () => {
      const rows = await sql`select user_id, sequence from events order by position`;
      return users.map((id) => rows.filter(({ user_id }) => user_id === id).map((event) => event.sequence));
    };
    const reached = await sequence([group!.groupid]);
    expect(reached).toBeGreaterThan(0);
    expect(reached).toBeLessThan(users.length);
    const first = await logged();
    expect(first.filter((sequences) => sequences.join() === '1,2')).toHaveLength(reached);
    expect(first.filter((sequences) => sequences.length === 0)).toHaveLength(users.length - reached);
    expect(await sequence([])).toBe(users.length - reached);
    expect(await logged()).toEqual(users.map(() => [1, 2]));
  },
  200_000,
);
