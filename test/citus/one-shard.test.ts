/** On a Citus (TEST_DATABASE_URL): what is about one individual is the work of one shard. Skipped elsewhere. */
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ServiceClock } from '../../src/values/clock.ts';
import { openDetected } from '../../src/db/citus/citus.ts';
import type { Database, DatabaseRow, Sql } from '../../src/db/database.ts';
import { createEventLogStore } from '../../src/events/event-log.store.ts';
import { createLiveMessages } from '../../src/events/live/live-messages.ts';
import { createPhoneStore } from '../../src/phone/phone.store.ts';
import { serviceItself } from '../../src/sharing/slots.ts';
import { createHistoryStore } from '../../src/transactions/history.store.ts';
import { createRecordStore } from '../../src/transactions/record/record.store.ts';
import { createSyncStore } from '../../src/transactions/sync/sync.store.ts';
import { createTransactionsStore } from '../../src/transactions/transactions.store.ts';
import { createUsersStore } from '../../src/users/users.store.ts';
import { cloneDatabase } from '../harness/service.ts';
import { recordedRow } from './recorded-row.ts';

const now = new Date('2026-11-01T00:00:00Z');
/** In different shards. */
const individuals = [1, 2, 3, 4, 5];

type Sent = { text: string; parameters: postgres.ParameterOrJSON<never>[] };

/** The same database, which keeps the statements that were sent to it. */
function recordReads(db: Database): { db: Database; sent: Sent[] } {
  const sent: Sent[] = [];
  const keep = (text: string, parameters: unknown[]) =>
    void sent.push({ text, parameters: parameters as Sent['parameters'] });
  const recorded = (sql: Sql): Sql => {
    const tag = (strings: TemplateStringsArray, ...values: unknown[]) => {
      keep(strings.map((part, index) => (index === 0 ? part : `$${index}${part}`)).join(''), values);
      return sql(strings, ...(values as never[]));
    };
    const unsafe = (text: string, parameters: never[], options: { prepare?: boolean }) => {
      keep(text, parameters);
      return sql.unsafe(text, parameters, options);
    };
    return Object.assign(tag, sql, { unsafe });
  };
  const wrapped: Database = {
    ...db,
    isDistributed: db.isDistributed,
    get read() {
      return recorded(db.read);
    },
    get write() {
      return recorded(db.write);
    },
    long: (work, owner) => db.long((sql) => work(recorded(sql)), owner),
    snapshot: (work, owner) =>
      db.snapshot(
        (read) =>
          work((text, parameters) => {
            keep(text, parameters);
            return read(text, parameters);
          }),
        owner,
      ),
    stream: (streamed, owner) => {
      keep(streamed.statement, streamed.parameters);
      return db.stream(streamed, owner);
    },
  };
  return { db: wrapped, sent };
}

describe.skipIf(inject('citusNodes').length === 0)('on a Citus', () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let db: Database;
  let admin: postgres.Sql;

  beforeAll(async () => {
    database = await cloneDatabase();
    admin = postgres(database.url, { max: 1, connection: { search_path: 'ledgerline' }, onnotice: () => {} });
    await admin.unsafe(`alter database ${new URL(database.url).pathname.slice(1)} set citus.enable_stat_counters = on`);
    db = await openDetected({ url: database.url, connections: 4, statementSeconds: 30 });
    const users = createUsersStore(db);
    for (const id of individuals) {
      await users.insertUser({ id, merchantId: undefined, email: undefined, additionalData: undefined }, now);
    }
    const sizes = { blocksAbove: 50, leastBlock: 10 };
    const rows = Array.from({ length: 200 }, (_, minute) =>
      recordedRow(1, { timeStamp: new Date(now.getTime() + minute * 60_000).toISOString() }),
    );
    await createRecordStore(db, { sizes }).recordBatch(rows, now);
    await createRecordStore(db, { sizes }).recordBatch(
      [recordedRow(2, { transactionId: 'known', reference: 'one' })],
      now,
    );
  });
  afterAll(async () => {
    await admin.end();
    await db.close();
    await database.drop();
  });

  /** Task counts of the statements that the work sent, each with its text. */
  async function tasksOf(work: (recorded: Database) => Promise<unknown>): Promise<string[]> {
    const { db: recorded, sent } = recordReads(db);
    await work(recorded);
    expect(sent.length).toBeGreaterThan(0);
    const tasks: string[] = [];
    for (const { text, parameters } of sent) {
      const plan: DatabaseRow[] = await admin.unsafe(`explain (costs off) ${text}`, parameters);
      const lines = plan.map((line) => String(line['QUERY PLAN']));
      const counts = lines.filter((line) => line.includes('Task Count:')).map((line) => line.trim());
      tasks.push(...(counts.length > 0 ? counts : [`no task: ${text}`]));
    }
    return tasks;
  }

  const oneTask = (tasks: string[]) => expect(new Set(tasks)).toEqual(new Set(['Task Count: 1']));
  const common = { filter: {}, owner: serviceItself };
  const page = (number: number) => ({ number, size: 20 });
  const sizes = { blocksAbove: 50, leastBlock: 10 };

  it('a list, at any page and by any filter, is one task', async () => {
    oneTask(
      await tasksOf(async (recorded) => {
        const store = createTransactionsStore(recorded, sizes);
        for (const individualId of [1, 2]) {
          for (const filter of [
            {},
            { from: '2026-11-01T00:10:00.000000Z' as never },
            { amountFrom: '5' as never },
            { transactionStatus: 'accepted' },
            { search: 'x', currency: 'eur' },
          ]) {
            for (const number of [1, 6]) await store.listPage({ ...common, individualId, filter, page: page(number) });
          }
        }
      }),
    );
  });

  it('totals, an export, a count, a transaction, its history and a sync are one task', async () => {
    oneTask(
      await tasksOf(async (recorded) => {
        const store = createTransactionsStore(recorded, sizes);
        const periods = await store.sumPeriods({ ...common, individualId: 1, by: 'month', timeZone: 'UTC' });
        expect(periods).toMatchObject({ count: 200 });
        let exported = 0;
        for await (const bodies of store.readAll({ ...common, individualId: 1 })) exported += bodies.length;
        expect(exported).toBe(200);
        const detailed = store.readAll({ ...common, individualId: 2, hasDetails: true });
        for await (const bodies of detailed) expect(bodies[0]).toContain('"reference":"one"');
        expect(await store.countAll(1)).toBe(200);
        expect(await store.findTransactions('known', 2)).toHaveLength(1);
        const history = createHistoryStore(recorded);
        expect(await history.findHolders('known', 2)).toEqual([2]);
        expect(await history.readVersions({ individualId: 2, transactionId: 'known' }, 0, 10)).toHaveLength(1);
        const sync = createSyncStore(recorded);
        for (const hasDetails of [false, true]) {
          const query = { individualId: 1, after: { commit: 0, seq: 0 }, count: 150, hasDetails };
          expect(await sync.readPage(query)).toMatchObject({ hasMore: true, last: { commit: 1, seq: 150 } });
        }
      }),
    );
  });

  /** Statements that Citus has sent to more than one shard. They are counted when their transaction has ended. */
  async function multiShardStatements(): Promise<{ one: number; several: number }> {
    const [counted] = await admin`
      select query_execution_single_shard::int as one, query_execution_multi_shard::int as several
      from citus_stat_counters where name = current_database()`;
    return { one: counted!.one, several: counted!.several };
  }

  it('recording is a statement of one shard each, whatever the number of individuals, and never of several', async () => {
    const store = createRecordStore(db, { sizes });
    const before = await multiShardStatements();
    await store.recordBatch([recordedRow(3)], now);
    const grown = individuals.flatMap((id) => Array.from({ length: 8 }, () => recordedRow(id, { reference: 'a' })));
    await store.recordBatch(grown, now);
    await store.recordBatch(
      [
        recordedRow(2, { transactionId: 'known', transactionStatus: 'Reversed', reference: 'two' }),
        recordedRow(4, { merchant: 'Shop' }),
        recordedRow(5),
      ],
      now,
    );
    await store.recordBatch(
      [recordedRow(2, { transactionId: 'known', transactionStatus: 'Reversed', reference: '' })],
      now,
    );
    await createUsersStore(db).insertUser(
      { id: undefined, merchantId: undefined, email: undefined, additionalData: undefined },
      now,
    );
    const after = await multiShardStatements();
    expect(after.several - before.several).toBe(0);
    expect(after.one - before.one).toBeGreaterThan(0);
  });

  it('missed blocks and the stream of messages ask no worker while there is nothing to do', async () => {
    const store = createEventLogStore(db);
    const sequence = () => store.isEventWaiting();
    const messages = createLiveMessages({ store, sequence, clock: new ServiceClock() });
    await admin`delete from user_event_outbox`;
    await messages.follow(undefined, { onStart() {}, onEvent() {} });
    const before = await multiShardStatements();
    await createPhoneStore(db).writeMissedBlockEvents(now, now, 10);
    await messages.run();
    expect(await multiShardStatements()).toEqual(before);
  });
});
