import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createHistoryStore } from '../../src/transactions/history.store.ts';
import { createTransactionsStore } from '../../src/transactions/transactions.store.ts';
import type { Database } from '../../src/db/database.ts';
import { invalidField, refusal, row, startService, type Service } from '../harness/service.ts';

let service: Service;
let a: number;
let b: number;
beforeAll(async () => {
  service = await startService();
  [a, b] = [await service.createUser(), await service.createUser()];
  await service.record([
    row(a, { transactionId: 'only-a', amount: '7.70' }),
    row(a, { transactionId: 'both', amount: '1' }),
    row(b, { transactionId: 'both', amount: '2' }),
  ]);
});
afterAll(() => service.stop());

const get = (body: unknown, token?: string) => service.call('/app/get-transaction', body, token ? { token } : {});

it('returns one transaction, as the list does', async () => {
  const answer = await get({ transactionId: ' only-a ' });
  expect(answer.status).toBe(200);
  const [listed] = (await service.list({ individualId: a, amountFrom: '7' })).json.transactions;
  expect(answer.json).toEqual(listed);
  expect(answer.text).toContain('"amount":7.70,');
});

it('tells the two wallets of one transfer apart by individualId', async () => {
  expect((await get({ transactionId: 'both', individualId: a })).json.amount).toBe(1);
  expect((await get({ transactionId: 'both', individualId: b })).json.amount).toBe(2);
});

it('answers 400 when several individuals hold the id and none is named', async () => {
  const answer = await get({ transactionId: 'both' });
  expect(answer.json).toEqual(
    refusal(400, 'Bad Request', 'Several individuals have a transaction with this id. Give individualId too.'),
  );
});

it('looks for the transaction of the user that the token is bound to', async () => {
  const token = await service.token('', b);
  expect((await get({ transactionId: 'both' }, token)).json.amount).toBe(2);
  expect((await get({ transactionId: 'only-a' }, token)).status).toBe(404);
  expect((await get({ transactionId: 'both', individualId: a }, token)).status).toBe(403);
});

it('answers 404 when it does not exist', async () => {
  const answer = await get({ transactionId: 'none' });
  expect(answer.json).toEqual(refusal(404, 'Not Found', 'Unknown transaction.'));
  expect((await get({ transactionId: 'only-a', individualId: b })).status).toBe(404);
});

it('requires transactionId, at most 64 characters', async () => {
  for (const body of [{}, { transactionId: null }, { transactionId: ' ' }]) {
    expect((await get(body)).json).toEqual(invalidField('TransactionId', 'The TransactionId field is required.'));
  }
  expect((await get({ transactionId: 'x'.repeat(64) })).status).toBe(404);
  expect((await get({ transactionId: 'x'.repeat(65) })).json).toEqual(
    invalidField('TransactionId', 'The field TransactionId must be a string with a maximum length of 64.'),
  );
});

it.skipIf(inject('citusNodes').length > 0)('reads one row, however many individuals hold the id', async () => {
  await service.sql`
    with added as (
      insert into users (id, created_at) select n, now() from generate_series(500000, 501000) n returning id
    )
    insert into transactions
    select copied.* from added, transactions t cross join lateral
      jsonb_populate_record(t, jsonb_build_object('individual_id', id, 'transaction_id', 'shared')) copied
    where t.transaction_id = 'only-a'`;
  await service.sql.begin(async (sql) => {
    // As all sessions of the service for reads by key.
    await sql`set local plan_cache_mode = force_generic_plan`;
    const db = { read: sql } as unknown as Database;
    expect(await createTransactionsStore(db).findTransactions('shared', 500_900)).toHaveLength(1);
    expect(await createHistoryStore(db).findHolders('shared', 500_900)).toEqual([500_900]);
    const [read] = await sql`
      select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'transactions'`;
    expect(read!.rows).toBeLessThan(10);
  });
});
