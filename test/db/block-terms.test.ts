/** When the terms of blocks are written, and when they count. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDetected } from '../../src/db/citus/citus.ts';
import type { Database } from '../../src/db/database.ts';
import { serviceItself } from '../../src/sharing/slots.ts';
import type { Amount } from '../../src/transactions/amount.ts';
import { addTerms } from '../../src/transactions/list/transaction-blocks.store.ts';
import { createRecordStore } from '../../src/transactions/record/record.store.ts';
import { makeRow } from '../../src/transactions/row.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { createTransactionsStore } from '../../src/transactions/transactions.store.ts';
import { parseInstant } from '../../src/values/instant.ts';
import { cloneDatabase } from '../harness/service.ts';
import { complete } from '../harness/transaction-model.ts';

const sizes = { blocksAbove: 50, leastBlock: 20 };
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Database;
beforeAll(async () => {
  database = await cloneDatabase();
  db = await openDetected({ url: database.url, connections: 8, statementSeconds: 30 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

let lastUser = 0;
async function newIndividual(): Promise<number> {
  const id = (lastUser += 1);
  await db.write`insert into users (id, created_at) values (${id}, now())`;
  return id;
}

const record = (rows: Transaction[]) => createRecordStore(db, { sizes }).recordBatch(rows.map(makeRow), new Date());

describe('a search', () => {
  const rowsOf = (id: number, from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) =>
      complete(id, {
        transactionId: String(from + index),
        amount: '1' as Amount,
        timeStamp: parseInstant(new Date(1_700_000_000_000 + (from + index) * 60_000).toISOString())!,
        transactionStatus: 'Accepted',
        senderName: (from + index) % 3 === 0 ? 'Ada Adams' : 'Grace',
        paymentNotes: '',
      }),
    );
  const count = async (individualId: number, search: string) => {
    const query = { individualId, filter: { search }, page: { number: 1, size: 5 }, owner: serviceItself };
    // Another store remembers nothing.
    return (await createTransactionsStore(db, sizes).listPage(query))!.count;
  };
  const withTerms = async (id: number) => {
    const [blocks] = await db.write`
      select count(*)::int as all, count(terms)::int as with_terms from transaction_blocks where individual_id = ${id}`;
    return blocks!;
  };

  it.each(['imported', 'grown'])('uses the terms of %s blocks while they have their texts', async (way) => {
    const id = await newIndividual();
    const rows = rowsOf(id, 0, 300);
    const step = way === 'imported' ? 100 : 5;
    for (let from = 0; from < rows.length; from += step) {
      await record(rows.slice(from, from + step));
    }
    const { all, with_terms } = await withTerms(id);
    expect(all).toBeGreaterThan(5);
    // Rows were added to the newest since it was cut.
    expect(with_terms).toBeGreaterThanOrEqual(all - 1);
    expect(await Promise.all(['ad', 'a', 'grac', 'nobody'].map((search) => count(id, search)))).toEqual([
      100, 300, 200, 0,
    ]);
    // Words of a release that writes no terms, for which the terms are those of other rows.
    await db.write`update transaction_blocks set terms = '1{a~an~' where individual_id = ${id} and terms is not null`;
    expect(await count(id, 'an')).toBe(with_terms);
    await db.write`update transaction_blocks set words = null where individual_id = ${id}`;
    expect([await count(id, 'an'), await count(id, 'ad')]).toEqual([0, 100]);
  });

  it('finds the same without terms', async () => {
    const id = await newIndividual();
    await record(rowsOf(id, 0, 60));
    await record(rowsOf(id, 60, 300));
    await db.write`update transaction_blocks set terms = null where individual_id = ${id} and last_seq > 150`;
    expect((await withTerms(id)).with_terms).toBeGreaterThan(0);
    expect([await count(id, 'ad'), await count(id, 'an'), await count(id, '7')]).toEqual([
      100,
      0,
      rowsOf(id, 0, 300).filter(({ transactionId }) => transactionId.includes('7')).length,
    ]);
  });

  it('finds the rows of a batch after which terms could not be written, since the batch is recorded', async () => {
    const id = await newIndividual();
    const broken = { ...db, write: (() => Promise.reject(new Error('away'))) as never };
    const { recordBatch } = createRecordStore(broken, { sizes });
    expect(await recordBatch(rowsOf(id, 0, 120).map(makeRow), new Date())).toEqual(Array(120).fill('created'));
    expect((await withTerms(id)).with_terms).toBe(0);
    expect(await count(id, 'ad')).toBe(40);
  });

  it('does not use terms that were made of a block before it was changed', async () => {
    const id = await newIndividual();
    await record(rowsOf(id, 0, 120));
    const blocks = await db.write`
      select individual_id, start_time::text, row_count, words, version::text from transaction_blocks
      where individual_id = ${id}`;
    await record(rowsOf(id, 120, 122));
    await addTerms(db, blocks);
    const [newest] = await db.write`
      select words, terms from transaction_blocks where individual_id = ${id} order by start_time desc limit 1`;
    expect(newest).toEqual({ words: null, terms: null });
  });
});
