/** `ledgerline distribute`: on a Citus (TEST_DATABASE_URL) with rows, again, and on a database that is none. */
import { expect, inject, it, onTestFinished } from 'vitest';
import { distributedTables, distributeTables, openDetected } from '../../src/db/citus/citus.ts';
import { runMigrations, withConnection } from '../../src/db/migrations/migrate.ts';
import { serviceItself } from '../../src/sharing/slots.ts';
import { createEventLogStore } from '../../src/events/event-log.store.ts';
import { createRecordStore } from '../../src/transactions/record/record.store.ts';
import { createTransactionsStore } from '../../src/transactions/transactions.store.ts';
import { createUsersStore } from '../../src/users/users.store.ts';
import { joinNodes } from '../harness/database/citus.ts';
import { cloneDatabase } from '../harness/service.ts';
import { recordedRow } from './recorded-row.ts';

const nodes = inject('citusNodes');
const now = new Date('2026-11-01T00:00:00Z');
const shardCount = 4;
const names = distributedTables.map(({ table }) => table);

async function openEmpty() {
  const database = await cloneDatabase('template0');
  onTestFinished(database.drop);
  await runMigrations(database.url);
  return database.url;
}

/** Closed before the database is dropped. */
async function open(url: string) {
  const db = await openDetected({ url, connections: 4, statementSeconds: 30 });
  return {
    db,
    users: createUsersStore(db),
    record: createRecordStore(db, { sizes: { blocksAbove: 20, leastBlock: 5 } }),
    list: createTransactionsStore(db, { blocksAbove: 20, leastBlock: 5 }),
    events: createEventLogStore(db),
  };
}

const rowsOf = (individualId: number, from: number, count: number) =>
  Array.from({ length: count }, (_, index) => recordedRow(individualId, { transactionId: `row-${from + index}` }));

it('says in one line that a database has no Citus', async () => {
  const url = await openEmpty();
  await expect(distributeTables(url, shardCount)).rejects.toThrow(/^The database has no Citus: [^\n]+$/);
});

it('asks for the schema first', async () => {
  const database = await cloneDatabase('template0');
  onTestFinished(database.drop);
  await expect(distributeTables(database.url, shardCount)).rejects.toThrow('Run `ledgerline migrate` first.');
});

it.skipIf(nodes.length === 0)(
  'distributes a filled database with all that it holds, and can be run again',
  async () => {
    const url = await openEmpty();
    const before = await open(url);
    expect(before.db.isDistributed).toBe(false);
    const newUser = { id: undefined, merchantId: undefined, email: undefined, additionalData: undefined };
    const ids = [];
    for (let user = 0; user < 6; user += 1) ids.push((await before.users.insertUser(newUser, now))!);
    for (const id of ids) await before.record.recordBatch(rowsOf(id, 1, 30), now);
    // Of these some events are in the log, and some are still in the outbox.
    await before.events.sequenceEvents(now, 5);
    await before.db.close();

    await joinNodes(inject('clusterUrl'), nodes, new URL(url).pathname.slice(1));
    const onHalf = (statement: string) => withConnection(url, async (sql) => sql.unsafe(statement));
    await onHalf("select create_distributed_table('event_counters', 'user_id')");
    await expect(open(url)).rejects.toThrow(/^Not distributed yet: .*users.* Run `ledgerline distribute` again\.$/);
    await onHalf("select undistribute_table('event_counters')");
    const first = await distributeTables(url, shardCount);
    expect(first.distributed.map(({ table }) => table)).toEqual(names);
    expect(first.distributed.find(({ table }) => table === 'transactions')!.rows).toBe(180);
    expect(first).toMatchObject({ present: [], shards: shardCount, workers: nodes.length - 1 });
    expect(first.local).toContain('verifications');
    const again = await distributeTables(url, shardCount);
    expect(again.distributed).toEqual([]);
    expect(again.present.sort()).toEqual([...names].sort());

    const after = await open(url);
    onTestFinished(() => after.db.close());
    expect(after.db.isDistributed).toBe(true);
    const results = await after.record.recordBatch(
      ids.flatMap((id) => [...rowsOf(id, 30, 2)]),
      now,
    );
    expect(results).toEqual(ids.flatMap(() => ['duplicate', 'created']));
    for (const individualId of ids) {
      const page = { number: 2, size: 20 };
      const listed = await after.list.listPage({ individualId, page, filter: {}, owner: serviceItself });
      expect(listed).toMatchObject({ count: 31, total: 31 });
    }
    expect(await after.users.insertUser(newUser, now)).toBe(ids.at(-1)! + 1);

    while (await after.events.sequenceEvents(now, 3));
    const { events } = await after.events.readPage({
      types: undefined,
      userId: undefined,
      afterPosition: 0,
      keptSince: new Date(0),
      limit: 100,
    });
    const expected = ids.flatMap((id) => [
      `${id} user.created 1`,
      `${id} transactions.recorded 1`,
      `${id} transactions.recorded 2`,
    ]);
    const told = events.map(({ userId, type, sequence }) => `${userId} ${type} ${sequence}`);
    expect([...told].sort()).toEqual([...expected, `${ids.at(-1)! + 1} user.created 1`].sort());
    for (const id of ids) {
      const own = told.filter((text) => text.startsWith(`${id} transactions`));
      expect(own).toEqual([`${id} transactions.recorded 1`, `${id} transactions.recorded 2`]);
    }
  },
);
