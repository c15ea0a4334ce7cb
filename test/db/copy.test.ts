/** Rows that are copied into the database: whatever fails on the way, the connection and its locks are freed. */
import { expect, it, onTestFinished } from 'vitest';
import { openDetected } from '../../src/db/citus/citus.ts';
import type { Amount } from '../../src/transactions/amount.ts';
import { createRecordStore } from '../../src/transactions/record/record.store.ts';
import { makeRow, type Row } from '../../src/transactions/row.ts';
import type { Instant } from '../../src/values/instant.ts';
import { cloneDatabase } from '../harness/service.ts';

async function openStore() {
  const { url, drop } = await cloneDatabase();
  const db = await openDetected({ url, connections: 8, statementSeconds: 5 });
  onTestFinished(async () => {
    await db.close();
    await drop();
  });
  await db.write`insert into users (id, created_at) values (1, now())`;
  return { db, store: createRecordStore(db) };
}

function rowsOf(prefix: string, count: number, paymentNotes = ''): Row[] {
  return Array.from({ length: count }, (_, index) =>
    makeRow({
      individualId: 1,
      transactionId: `${prefix}-${index}`,
      amount: '1.00' as Amount,
      currency: 'EUR',
      timeStamp: '2026-01-01T00:00:00.000000Z' as Instant,
      transactionType: '',
      transactionCategory: '',
      transactionStatus: 'Accepted',
      senderName: '',
      receiverName: '',
      paymentNotes,
      paymentSystem: '',
    }),
  );
}

/** A row whose text cannot be made, as one that is longer than V8's longest string. */
function brokenRow(): Row {
  const [row] = rowsOf('broken', 1);
  return {
    ...row!,
    get head(): string {
      throw new RangeError('Invalid string length');
    },
  };
}

it('a failure in the middle of a COPY ends it, frees the lock of the individual, and nothing is kept', async () => {
  const { db, store } = await openStore();
  for (let round = 0; round < 10; round += 1) {
    const rows = [...rowsOf(`a${round}`, 400, 'n'.repeat(1000)), brokenRow(), ...rowsOf(`b${round}`, 100)];
    await expect(store.recordBatch(rows, new Date())).rejects.toThrow('Invalid string length');
  }
  expect(await store.recordBatch(rowsOf('good', 100), new Date())).toEqual(Array(100).fill('created'));
  const [counts] = await db.read`
    select (select count(*)::int from transactions) as rows, (select transaction_count from users where id = 1) as count,
      (select count(*)::int from pg_stat_activity where datname = current_database() and query ilike 'copy %' and state <> 'idle') as copies`;
  expect(counts).toEqual({ rows: 100, count: 100, copies: 0 });
});

it('a failure that PostgreSQL finds in a COPY is the error of the batch, and the next batch is recorded', async () => {
  const { db, store } = await openStore();
  await db.write`alter table transactions add constraint refused check (search_text not like 'refused%')`;
  // By its message: Citus has another code for what a worker finds.
  await expect(store.recordBatch(rowsOf('refused', 200, 'n'.repeat(1000)), new Date())).rejects.toThrow(
    /violates check constraint "refused/,
  );
  expect(await store.recordBatch(rowsOf('good', 100), new Date())).toEqual(Array(100).fill('created'));
});

it('rows that are taken for new, and are not, are recorded like any others', async () => {
  const { db, store } = await openStore();
  const known = rowsOf('known', 100);
  expect(await store.recordNewBatch(known, new Date())).toEqual(Array(100).fill('created'));
  const changed = rowsOf('known', 1, 'changed')[0]!;
  for (const at of [0, 1000, 2000]) {
    const rows = [...rowsOf(`new${at}`, 2000), ...rowsOf(`twice${at}`, 1), ...rowsOf(`twice${at}`, 1)];
    rows.splice(at, 0, known[1]!, at === 0 ? changed : known[2]!);
    const results = await store.recordNewBatch(rows, new Date());
    expect(results.splice(at, 2)).toEqual(['duplicate', at === 0 ? 'updated' : 'duplicate']);
    expect(results).toEqual([...Array(2001).fill('created'), 'duplicate']);
  }
  const [counts] = await db.read`
    select count(*)::int as rows, max(seq) as last, (select transaction_count from users where id = 1) as count,
      (select sum(row_count)::int from transaction_blocks where individual_id = 1) as in_blocks,
      (select count(*)::int from user_event_outbox where user_id = 1) as events
    from transactions where individual_id = 1`;
  expect(counts).toEqual({ rows: 6103, last: 6103, count: 6103, in_blocks: 6103, events: 5 });
});
