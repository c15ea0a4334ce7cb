import { afterAll, beforeAll, expect, it } from 'vitest';
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
