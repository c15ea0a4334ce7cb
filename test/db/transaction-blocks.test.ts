/** The index of counts against a brute-force model, at sizes on both sides of every threshold it has. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceItself } from '../../src/sharing/slots.ts';
import { openDetected } from '../../src/db/citus/citus.ts';
import type { Database } from '../../src/db/database.ts';
import type { Amount, AmountBound } from '../../src/transactions/amount.ts';
import type { Filter } from '../../src/transactions/filter.ts';
import { makeRow } from '../../src/transactions/row.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { createRecordStore } from '../../src/transactions/record/record.store.ts';
import { countTerms, rowSeparator } from '../../src/transactions/list/block-terms.ts';
import type { BlockSizes } from '../../src/transactions/list/transaction-blocks.store.ts';
import { createTransactionsStore } from '../../src/transactions/transactions.store.ts';
import { parseInstant } from '../../src/values/instant.ts';
import { cloneDatabase } from '../harness/service.ts';
import { sized } from '../harness/size.ts';
import {
  applyToModel,
  complete,
  expected,
  isInverted,
  someFilterOfAnyKind,
  someRow,
  type Model,
} from '../harness/transaction-model.ts';

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

type Store = ReturnType<typeof createStore>;

function createStore(sizes?: BlockSizes) {
  const { recordBatch, recordNewBatch } = createRecordStore(db, { sizes });
  return {
    ...createTransactionsStore(db, sizes),
    recordBatch: (rows: Transaction[], now: Date) => recordBatch(rows.map(makeRow), now),
    recordNewBatch: (rows: Transaction[], now: Date) => recordNewBatch(rows.map(makeRow), now),
  };
}

let lastUser = 0;
async function newIndividual(): Promise<number> {
  const id = (lastUser += 1);
  await db.write`insert into users (id, created_at) values (${id}, now())`;
  return id;
}

/** Some parts of words, and a digit. */
const searches = ['a', 'd', 'an', 'da', 'ace', 'flat', 'two', 'x', '1', '7'];

/** The blocks cover all time without a gap, and know their rows exactly. */
async function checkBlocks(id: number, model: Model, blocksAbove: number, isAlone = true): Promise<void> {
  const blocks = await db.write`
    select start_time::text, end_time::text, row_count, last_seq, amounts::text, recent::text,
      (select count(*)::int from transactions t where t.individual_id = b.individual_id and t.time_stamp >= b.start_time and t.time_stamp < b.end_time) as rows,
      (select coalesce(max(seq), 0) from transactions t where t.individual_id = b.individual_id and t.time_stamp >= b.start_time and t.time_stamp < b.end_time) as seq,
      (select coalesce(array_agg((amount * 1000000)::numeric(40, 0) order by amount), '{}')::text from transactions t
        where t.individual_id = b.individual_id and t.time_stamp >= b.start_time and t.time_stamp < b.end_time) as ordered,
      (select coalesce(array_agg(a order by a), '{}')::text from unnest(amounts || recent) a) as known,
      amounts is null or amounts = array(select a from unnest(amounts) a order by a) as is_ordered,
      facets is not null as counts_facets,
      coalesce(facets, '{}') as known_facets,
      (select coalesce(jsonb_object_agg(key, rows), '{}') from (
        select key, count(*) as rows from transactions t cross join lateral (values ('type=' || transaction_type),
          ('category=' || transaction_category), ('status=' || transaction_status), ('currency=' || currency)) as k (key)
        where t.individual_id = b.individual_id and t.time_stamp >= b.start_time and t.time_stamp < b.end_time
        group by 1) present) as present_facets,
      words is null or array(select w from unnest(string_to_array(words, chr(2))) w order by w collate "C") = array(
        select search_text from transactions t
        where t.individual_id = b.individual_id and t.time_stamp >= b.start_time and t.time_stamp < b.end_time
        order by search_text collate "C") as has_words,
      words, terms
    from transaction_blocks b where individual_id = ${id} order by b.start_time`;
  expect(blocks.length > 0).toBe(model.size > blocksAbove);
  if (blocks.length === 0) return;
  expect([blocks[0]!.start_time, blocks.at(-1)!.end_time]).toEqual(['-infinity', 'infinity']);
  blocks.forEach((block, index) => {
    if (index > 0) expect(block.start_time).toBe(blocks[index - 1]!.end_time);
    expect(block.row_count).toBe(block.rows);
    expect(block.last_seq).toBeGreaterThanOrEqual(block.seq);
    if (block.amounts !== null) expect(block.known).toBe(block.ordered);
    expect(block.is_ordered).toBe(true);
    if (block.counts_facets) expect(block.known_facets).toEqual(block.present_facets);
    expect(block.has_words).toBe(true);
    // After a cut another transaction may change the block before it gets its terms.
    if (isAlone) expect(block.terms === null).toBe(block.words === null);
    if (block.terms === null) return;
    const texts = (block.words as string).split(rowSeparator);
    for (const search of searches) {
      expect(countTerms(block.terms, search), search).toBe(texts.filter((text) => text.includes(search)).length);
    }
  });
  const [user] = await db.write`select transaction_count from users where id = ${id}`;
  expect(user!.transaction_count).toBe(model.size);
}

async function checkCount(store: Store, individualId: number, model: Model, filter: Filter): Promise<void> {
  if (isInverted(filter)) return;
  const page = { number: 1, size: 5 };
  const listed = (await store.listPage({ individualId, page, filter, owner: serviceItself }))!;
  expect(listed.count).toBe(expected(model, filter, model.size).length);
}

async function checkList(
  store: Store,
  id: number,
  model: Model,
  filter: Filter,
  size: number,
  upTo: number | undefined,
): Promise<void> {
  const wanted = expected(model, filter, upTo ?? model.size);
  const pages = Math.ceil(wanted.length / size) + 1;
  const middle = Math.ceil(pages / 2);
  // All pages of a short list, up to one past its end; of a long one those at its ends and where its halves meet.
  const numbers =
    pages < 40
      ? Array.from({ length: pages }, (_, index) => index + 1)
      : [1, 2, Math.ceil(pages / 4), middle - 1, middle, middle + 1, pages - 2, pages - 1, pages, 2 * pages];
  const query = { individualId: id, filter, upTo, owner: serviceItself };
  const lists = await Promise.all(numbers.map((number) => store.listPage({ ...query, page: { number, size } })));
  for (const [index, number] of numbers.entries()) {
    const listed = lists[index]!;
    expect(listed.count).toBe(wanted.length);
    expect(listed.total).toBe(model.size);
    const ids = (JSON.parse(`[${listed.items}]`) as { transactionId: string }[]).map(
      ({ transactionId }) => transactionId,
    );
    expect(ids).toEqual(wanted.slice((number - 1) * size, number * size));
  }
}

describe('list and count agree with a model over inserts in any order, replays, status changes, cleared amounts and ties', () => {
  it.each([
    { blocksAbove: 5, leastBlock: 2, ids: 60 },
    { blocksAbove: 20, leastBlock: 8, ids: 200 },
    { blocksAbove: 0, leastBlock: 1, ids: 30 },
  ])(
    'with blocks above $blocksAbove rows, of at least $leastBlock',
    async ({ blocksAbove, leastBlock, ids }) => {
      const store = createStore({ blocksAbove, leastBlock });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(someRow(ids), { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 8 }),
          fc.array(
            fc.tuple(someFilterOfAnyKind, fc.integer({ min: 1, max: 12 }), fc.double({ min: 0, max: 1, noNaN: true })),
            {
              minLength: 4,
              maxLength: 8,
            },
          ),
          async (batches, tried) => {
            const id = await newIndividual();
            const model: Model = new Map();
            for (const batch of batches) {
              const rows = batch.map((row) => complete(id, row));
              expect(await store.recordBatch(rows, new Date())).toEqual(applyToModel(model, rows));
              await checkBlocks(id, model, blocksAbove);
              // What is remembered of this filter must not outlive the next batch.
              await checkCount(store, id, model, tried[0]![0]);
            }
            await checkList(store, id, model, {}, 7, undefined);
            for (const [filter, size, share] of tried) {
              if (isInverted(filter)) continue;
              const upTo = share < 0.4 ? undefined : Math.ceil(share * model.size);
              await checkList(store, id, model, filter, size, upTo);
            }
          },
        ),
        { numRuns: sized(10, 30) },
      );
    },
    180_000,
  );

  it.each([
    { blocksAbove: 5, leastBlock: 4 },
    { blocksAbove: 0, leastBlock: 10 },
  ])(
    'when batches follow each other in time, with blocks above $blocksAbove rows, of at least $leastBlock',
    async ({ blocksAbove, leastBlock }) => {
      const store = createStore({ blocksAbove, leastBlock });
      await fc.assert(
        fc.asyncProperty(
          fc.array(someRow(100), { minLength: 100, maxLength: 300 }),
          fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 6, maxLength: 10 }),
          // Minutes from one row to the next. Where it is less than one, some rows have the same time.
          fc.constantFrom(1, 0.4, -0.4, -1),
          fc.oneof(fc.constant([]), fc.array(someRow(200), { maxLength: 5 })),
          someFilterOfAnyKind,
          async (given, lengths, step, changes, filter) => {
            const id = await newIndividual();
            const model: Model = new Map();
            const minutes = (index: number) => Date.UTC(2026, 0, 1) + Math.round(index * step) * 60_000;
            const rows = given.map((row, index) =>
              complete(id, {
                ...row,
                transactionId: String(index),
                timeStamp: parseInstant(new Date(minutes(index)).toISOString())!,
              }),
            );
            const later = [...changes];
            for (const [index, length] of lengths.entries()) {
              const record = index % 3 === 0 ? store.recordBatch : store.recordNewBatch;
              // Some batches also change rows of earlier ones.
              const batch = [...rows.splice(0, length), ...later.splice(0, 1).map((row) => complete(id, row))];
              expect(await record(batch, new Date())).toEqual(applyToModel(model, batch));
              await checkBlocks(id, model, blocksAbove);
              await checkCount(store, id, model, filter);
            }
            await checkList(store, id, model, {}, 7, undefined);
            if (!isInverted(filter)) await checkList(store, id, model, filter, 7, undefined);
          },
        ),
        { numRuns: sized(15, 100) },
      );
    },
    180_000,
  );

  it('in blocks that know everything about their rows after an import in time order, from the oldest or the newest', async () => {
    const store = createStore({ blocksAbove: 50, leastBlock: 20 });
    for (const direction of [1, -1]) {
      const id = await newIndividual();
      const model: Model = new Map();
      const rows = Array.from({ length: 1000 }, (_, index) =>
        complete(id, {
          transactionId: `r${index}`,
          amount: ((index * 7919) % 1000).toFixed(2) as Amount,
          timeStamp: parseInstant(new Date(1_700_000_000_000 + direction * index * 60_000).toISOString())!,
          transactionStatus: 'Accepted',
          senderName: `"Ada" \\ ${index}`,
          paymentNotes: '',
        }),
      );
      for (let from = 0; from < rows.length; from += 100) {
        const batch = rows.slice(from, from + 100);
        expect(await store.recordBatch(batch, new Date())).toEqual(applyToModel(model, batch));
        await checkBlocks(id, model, 50);
      }
      const [blocks] = await db.write`
        select count(*)::int as all, count(words)::int as with_words, count(terms)::int as with_terms, count(facets)::int as with_facets,
          count(amounts)::int as with_amounts, max(row_count) as most, min(row_count) as least
        from transaction_blocks where individual_id = ${id}`;
      const { all, least, most } = blocks!;
      expect(blocks).toMatchObject({ with_words: all, with_terms: all, with_facets: all, with_amounts: all });
      expect(all).toBeGreaterThan(10);
      expect(least).toBeGreaterThanOrEqual(20);
      expect(most).toBeLessThanOrEqual(2 * 47);
    }
  });

  it('at the sizes that ship, around the threshold and well past it', async () => {
    const store = createStore();
    const id = await newIndividual();
    const model: Model = new Map();
    const random = (() => {
      let state = 42;
      return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    })();
    const grow = async (to: number) => {
      while (model.size < to) {
        const rows = Array.from({ length: Math.min(900, to - model.size) }, (_, index) =>
          complete(id, {
            transactionId: `r${model.size + index}`,
            amount: (random() * 100).toFixed(2) as Amount,
            timeStamp: parseInstant(new Date(1_700_000_000_000 + Math.floor(random() * 4000) * 60_000).toISOString())!,
            transactionStatus: random() < 0.1 ? 'Pending' : 'Accepted',
            transactionType: random() < 0.001 ? 'Fee' : 'Card',
            currency: random() < 0.3 ? 'USD' : 'EUR',
            senderName: random() < 0.002 ? 'Grâce Groß' : `Ada ${Math.floor(random() * 300)}`,
            paymentNotes: '',
          }),
        );
        expect(await store.recordBatch(rows, new Date())).toEqual(applyToModel(model, rows));
      }
    };
    const middle = parseInstant(new Date(1_700_000_000_000 + 2000 * 60_000).toISOString())!;
    for (const size of sized([1999, 2000, 2001, 4500], [1999, 2000, 2001, 4500, 9000])) {
      await grow(size);
      // As autovacuum would soon. The tests before have left plans for small tables.
      await db.write`analyze transactions, transaction_blocks`;
      await checkBlocks(id, model, 2000);
      for (const filter of [
        {},
        { from: middle },
        { to: middle },
        { amountFrom: '25' as AmountBound, amountTo: '50' as AmountBound },
        { from: middle, amountTo: '10' as AmountBound },
        { transactionType: 'fee' },
        { transactionStatus: 'pending', from: middle },
        { currency: 'usd', transactionType: 'card' },
        { search: 'grace' },
        { search: 'grace groß' },
        { search: 'râce gross', from: middle },
        { search: 'grâce gros', currency: 'eur' },
        { search: 'ada 1', to: middle },
        { search: 'ada', currency: 'usd', amountTo: '50' as AmountBound },
      ]) {
        await checkList(store, id, model, filter, 100, undefined);
        await checkList(store, id, model, filter, 100, size - 300);
      }
      const pending = [...model.values()].filter(({ row }) => row.transactionStatus === 'Pending').slice(0, 5);
      const cleared = pending.map(({ row }) => ({
        ...row,
        amount: '77.77' as Amount,
        timeStamp: middle,
        transactionStatus: 'Accepted',
      }));
      expect(await store.recordBatch(cleared, new Date())).toEqual(applyToModel(model, cleared));
      await checkBlocks(id, model, 2000);
      await checkList(
        store,
        id,
        model,
        { from: middle, to: middle, amountFrom: '77.77' as AmountBound },
        10,
        undefined,
      );
    }
  }, 300_000);
});

describe('while rows arrive from two services', () => {
  it('every count is right at every moment, no row is lost or doubled, and nothing deadlocks', async () => {
    const sizes = { blocksAbove: 50, leastBlock: 20 };
    const [one, two] = [createStore(sizes), createStore(sizes)];
    const ids = await Promise.all(Array.from({ length: 3 }, newIndividual));
    const rows = Array.from({ length: 900 }, (_, index) =>
      complete(ids[index % 3]!, {
        transactionId: `t${index}`,
        amount: String(index % 50) as Amount,
        timeStamp: parseInstant(new Date(1_700_000_000_000 + ((index * 7919) % 900) * 1000).toISOString())!,
        transactionStatus: 'Accepted',
        paymentNotes: '',
      }),
    );
    let writing = true;
    const write = async (store: Store, step: number) => {
      const results: string[] = [];
      for (let start = 0; start < 900; start += 45) {
        const from = (start * step) % 900;
        results.push(...(await store.recordBatch([...rows, ...rows].slice(from, from + 60), new Date())));
      }
      return results;
    };
    const readers = ids.map(async (id) => {
      while (writing) {
        for (const filter of [
          {},
          { amountFrom: '10' as AmountBound, amountTo: '30' as AmountBound },
          { transactionStatus: 'accepted' },
          { search: 't1' },
          { search: '7', currency: 'eur' },
        ]) {
          const listed = await two.listPage({
            individualId: id,
            page: { number: 1, size: 1000 },
            filter,
            owner: serviceItself,
          });
          const items = JSON.parse(`[${listed!.items}]`) as { transactionId: string }[];
          expect(items).toHaveLength(listed!.count);
          expect(new Set(items.map(({ transactionId }) => transactionId)).size).toBe(items.length);
        }
      }
    });
    const results = (await Promise.all([write(one, 1), write(two, 3), write(one, 7), write(two, 11)])).flat();
    writing = false;
    await Promise.all(readers);
    expect(results.filter((result) => result === 'created')).toHaveLength(900);
    expect(results.every((result) => result === 'created' || result === 'duplicate')).toBe(true);
    for (const id of ids) {
      const model: Model = new Map();
      applyToModel(
        model,
        rows.filter(({ individualId }) => individualId === id),
      );
      await checkBlocks(id, model, 50, false);
    }
  }, 300_000);
});
