/** Rows that an earlier release has recorded, whose search texts are not what this one would write. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceItself } from '../../src/sharing/slots.ts';
import { openDetected } from '../../src/db/citus/citus.ts';
import type { Database } from '../../src/db/database.ts';
import type { Amount } from '../../src/transactions/amount.ts';
import { makeRow } from '../../src/transactions/row.ts';
import { foldForSearch, type Transaction } from '../../src/transactions/transaction.ts';
import { createRecordStore } from '../../src/transactions/record/record.store.ts';
import { createTransactionsStore } from '../../src/transactions/transactions.store.ts';
import { parseInstant } from '../../src/values/instant.ts';
import { cloneDatabase } from '../harness/service.ts';
import { complete } from '../harness/transaction-model.ts';

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

describe('rows that release 0.2.0 recorded', () => {
  // It kept accented letters as they were sent, and letters with a stroke.
  const earlierText = (row: Transaction) => {
    const text = [row.transactionId, row.senderName, row.receiverName, row.paymentNotes].join('\u0001').toLowerCase();
    return `${text}\u0001${text.normalize('NFD').replaceAll(/[\u0300-\u036f]/g, '')}`;
  };

  it.each([1000, 5])(
    'are found as before, also after a change of their status, with blocks above %d rows',
    async (blocksAbove) => {
      const sizes = { blocksAbove, leastBlock: 2 };
      const store = createTransactionsStore(db, sizes);
      const { recordBatch } = createRecordStore(db, { sizes });
      const record = (changed: Transaction[]) => recordBatch(changed.map(makeRow), new Date());
      const id = blocksAbove;
      await db.write`insert into users (id, created_at) values (${id}, now())`;
      const rows = Array.from({ length: 20 }, (_, index) =>
        complete(id, {
          transactionId: `r${index}`,
          amount: '1' as Amount,
          timeStamp: parseInstant(new Date(1_700_000_000_000 + index * 60_000).toISOString())!,
          transactionStatus: 'Pending',
          senderName: 'Café Łódź'.normalize('NFD'),
          paymentNotes: '',
        }),
      );
      await record(rows);
      // Beside rows of this release.
      for (const row of rows.filter((_, index) => index % 2 === 1)) {
        await db.write`
        update transactions set search_text = ${earlierText(row)}
        where individual_id = ${id} and transaction_id = ${row.transactionId}`;
      }
      await db.write`
      update transaction_blocks b set terms = null, words = (
        select string_agg(search_text, chr(2)) from transactions t
        where t.individual_id = b.individual_id and t.time_stamp >= b.start_time and t.time_stamp < b.end_time)
      where individual_id = ${id}`;
      const count = async (search: string) => {
        const filter = { search: foldForSearch(search) };
        const query = { individualId: id, filter, page: { number: 1, size: 5 }, owner: serviceItself };
        return (await store.listPage(query))!.count;
      };
      const counts = async () =>
        Promise.all(['café', 'cafe\u0301', 'cafe', 'Łódź', 'Łódź'.normalize('NFD')].map(count));
      expect(await counts()).toEqual([20, 20, 20, 20, 20]);
      // An earlier text has no `lodz`: its count and its rows must agree on that.
      expect(await count('café lodz')).toBe(10);
      const accepted = rows.slice(5, 10).map((row) => ({ ...row, transactionStatus: 'Accepted' }));
      expect(await record(accepted)).toEqual(accepted.map(() => 'updated'));
      expect(await counts()).toEqual([20, 20, 20, 20, 20]);
      const [words] = await db.write`
      select count(*)::int as others from transaction_blocks b
      where individual_id = ${id}
        and array(select w from unnest(string_to_array(words, chr(2))) w order by w collate "C") <> array(
          select search_text from transactions t
          where t.individual_id = b.individual_id and t.time_stamp >= b.start_time and t.time_stamp < b.end_time
          order by search_text collate "C")`;
      expect(words!.others).toBe(0);
    },
  );
});
