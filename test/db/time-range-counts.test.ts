/** A time range that cuts blocks: its count is remembered while the blocks stay, and exact when they change. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDetected } from '../../src/db/citus/citus.ts';
import type { Database } from '../../src/db/database.ts';
import { serviceItself } from '../../src/sharing/slots.ts';
import { createRecordStore } from '../../src/transactions/record/record.store.ts';
import { createTransactionsStore, type TransactionsStore } from '../../src/transactions/transactions.store.ts';
import { parseInstant } from '../../src/values/instant.ts';
import { recordedRow } from '../citus/recorded-row.ts';
import { cloneDatabase } from '../harness/service.ts';

const sizes = { blocksAbove: 20, leastBlock: 10 };
const now = new Date('2026-11-01T00:00:00Z');
const timeOf = (minute: number) => new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString();
const filter = { from: parseInstant(timeOf(25))!, to: parseInstant(timeOf(74))! };

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Database;
let store: TransactionsStore;
beforeAll(async () => {
  database = await cloneDatabase();
  db = await openDetected({ url: database.url, connections: 4, statementSeconds: 30 });
  store = createTransactionsStore(db, sizes);
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

/** An individual with a row in each of a hundred minutes. */
async function makeIndividual(individualId: number, { createdAt = now, firstMinute = 0 } = {}) {
  await db.write`insert into users (id, created_at) values (${individualId}, ${createdAt})`;
  const { recordBatch } = createRecordStore(db, { sizes });
  const record = (minute: number, members: Record<string, unknown> = {}) =>
    recordedRow(individualId, { transactionId: `t${minute}`, timeStamp: timeOf(minute), ...members });
  await recordBatch(
    Array.from({ length: 100 }, (_, minute) => record(firstMinute + minute, { transactionStatus: 'Pending' })),
    now,
  );
  return {
    record: (minute: number, members?: Record<string, unknown>) => recordBatch([record(minute, members)], now),
    async count(upTo?: number): Promise<number> {
      const page = { number: 1, size: 5 };
      return (await store.listPage({ individualId, page, filter, upTo, owner: serviceItself }))!.count;
    },
  };
}

describe('the count of a time range', () => {
  it('follows rows that come, go and move in the blocks that it cuts', async () => {
    const { record, count } = await makeIndividual(1);
    expect([await count(), await count()]).toEqual([50, 50]);
    await record(26, { transactionId: 'new' });
    expect(await count()).toBe(51);
    expect([await count(100), await count(100)]).toEqual([50, 50]);
    await record(73, { transactionId: 'late' });
    expect(await count()).toBe(52);
    // Out of the range, within one block.
    await record(26, { timeStamp: timeOf(24) });
    expect([await count(), await count(100)]).toEqual([51, 49]);
    await record(90, { timeStamp: timeOf(72) });
    expect([await count(), await count(100)]).toEqual([52, 50]);
  });

  it('is not that of an individual with the same id before a sandbox was emptied', async () => {
    const { count } = await makeIndividual(4);
    expect(await count()).toBe(50);
    await db.write`delete from transactions where individual_id = 4`;
    await db.write`delete from transaction_blocks where individual_id = 4`;
    await db.write`delete from user_event_outbox where user_id = 4`;
    await db.write`delete from users where id = 4`;
    const another = await makeIndividual(4, { createdAt: new Date(now.getTime() + 1), firstMinute: 60 });
    expect(await another.count()).toBe(15);
  });

  // On Citus such a list is read in steps, which count each time.
  describe.skipIf(inject('citusNodes').length > 0)('is remembered', () => {
    const changeRows = (id: number) =>
      db.write`update users set transaction_event_count = transaction_event_count + 1 where id = ${id}`;

    it('until the rows of the individual change', async () => {
      const { count } = await makeIndividual(2);
      expect(await count()).toBe(50);
      // What the service never does: a block has more rows, and the individual does not know.
      await db.write`
        update transaction_blocks set row_count = row_count + 7
        where individual_id = 2 and start_time <= ${timeOf(50)} and end_time > ${timeOf(50)}`;
      expect(await count()).toBe(50);
      await changeRows(2);
      expect(await count()).toBe(57);
    });

    it('in a block that it cuts, until that block has another version', async () => {
      const { count } = await makeIndividual(3);
      expect(await count()).toBe(50);
      // A row goes, and its block does not know.
      await db.write`delete from transactions where individual_id = 3 and transaction_id in ('t25', 't74')`;
      await changeRows(3);
      expect(await count()).toBe(50);
      await db.write`update transaction_blocks set version = version + 1 where individual_id = 3`;
      await changeRows(3);
      expect(await count()).toBe(48);
    });
  });
});
