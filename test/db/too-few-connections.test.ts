/** PostgreSQL allows fewer connections than the service would open. */
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase, type DatabaseOptions } from '../../src/db/database.ts';
import { roleForTest } from '../harness/database/role.ts';
import { cloneDatabase, row, serviceForTest } from '../harness/service.ts';
import { until } from '../harness/until.ts';

/** One for each kind of work, and the probe. */
const fewest = 5;

const asksRole = ({ query }: { query: string }) => query.includes('pg_is_in_recovery');

async function databaseForTest() {
  const database = await cloneDatabase();
  onTestFinished(() => database.drop());
  const sql = postgres(database.url, { max: 1 });
  onTestFinished(() => sql.end());
  return { url: database.url, sql };
}

/** A database that has one connection for each kind of work, and gets no others. */
async function openLimited(options: Partial<DatabaseOptions> = {}) {
  const role = await roleForTest();
  const { url, sql } = await databaseForTest();
  // Shows the statements of its sessions.
  await sql.unsafe(`grant ${role.name} to current_user`);
  const db = openDatabase({ url: role.urlOf(url), connections: 16, statementSeconds: 20, ...options });
  onTestFinished(() => db.close());
  const pause = 'select pg_sleep(0.02)';
  const kinds = {
    read: () => db.read.unsafe(pause),
    write: () => db.write.unsafe(pause),
    long: () => db.long((long) => long.unsafe(pause)),
    transaction: () => db.transaction((transaction) => transaction.unsafe(pause)),
  };
  for (const work of Object.values(kinds)) await work();
  const connections = () => sql<{ pid: number; query: string }[]>`
    select pid, query from pg_stat_activity where usename = ${role.name}`;
  const probe = await until(async () => (await connections()).find(asksRole));
  const allow = (limit: number) => sql.unsafe(`alter role ${role.name} connection limit ${limit}`);
  await allow(fewest);
  return { db, kinds, sql, connections, probe, allow };
}

it('does all work over the connections that it has', async () => {
  const { kinds } = await openLimited();
  for (const [kind, work] of Object.entries(kinds)) {
    const done = await Promise.allSettled(Array.from({ length: 10 }, async () => work()));
    expect([kind, done.filter(({ status }) => status === 'rejected')]).toEqual([kind, []]);
  }
});

it('stays available if there is no connection for the probe', async () => {
  const changes: boolean[] = [];
  const { db, kinds, sql, connections, probe, allow } = await openLimited({
    onChange: (available) => changes.push(available),
  });
  await allow(fewest - 1);
  await sql`select pg_terminate_backend(${probe.pid}::int, 5000)`;
  // Over a connection of a pool.
  await until(async () => changes.length > 0 || (await connections()).some(asksRole));
  expect([db.available, changes]).toEqual([true, []]);
  await kinds.write();
  // When there is one for it again.
  await allow(fewest);
  await until(async () => (await connections()).length === fewest);
  expect(changes).toEqual([]);
});

it('says in the log of a refused request that there was none left', async () => {
  const { url, sql } = await databaseForTest();
  const service = await serviceForTest({ DATABASE_URL: url });
  const individualId = await service.createUser();
  await service.record([row(individualId)]);
  // An export has a connection of its own.
  await sql.unsafe(`alter database ${new URL(url).pathname.slice(1)} connection limit 0`);
  const { status, headers } = await service.call('/app/export-transactions', { individualId });
  expect([status, headers.get('error-reason')]).toEqual([503, 'database-unavailable']);
  const refused = await until(() => service.logLines.find((line) => line.includes('"status":503')));
  expect(JSON.parse(refused)).toMatchObject({
    reason: 'database-unavailable',
    detail: 'it has no connection left (53300)',
  });
});
