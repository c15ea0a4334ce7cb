import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../client/index.ts';
import { refusal, row, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const history = (body: unknown, token?: string) =>
  service.call('/app/get-transaction-history', body, token ? { token } : {});

it('gives every version, oldest first, each a transaction with the time it was recorded', async () => {
  const id = await service.createUser();
  const first = row(id, { transactionId: 'x', transactionStatus: 'Pending', amount: '50.00', paymentNotes: 'a "b"' });
  await service.record([first]);
  await service.advance(60);
  await service.record([{ ...first, amount: '47.11' }]);
  await service.advance(60);
  // Two updates in one batch are two versions.
  await service.record([
    { ...first, amount: '48.00' },
    { ...first, amount: '48.00', transactionStatus: 'Accepted' },
  ]);
  const answer = await history({ transactionId: ' x ', individualId: id });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.text).toContain('"amount":50.00,');
  const versions = answer.json.history;
  expect(versions.map(({ amount, transactionStatus }: Record<string, unknown>) => [amount, transactionStatus])).toEqual(
    [
      [50, 'Pending'],
      [47.11, 'Pending'],
      [48, 'Pending'],
      [48, 'Accepted'],
    ],
  );
  const { recordedAt, ...last } = versions.at(-1);
  expect(last).toEqual((await service.call('/app/get-transaction', { transactionId: 'x', individualId: id })).json);
  expect(recordedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d*[1-9])?Z$/);
  const times = versions.map((version: { recordedAt: string }) => Date.parse(version.recordedAt));
  expect(times[1] - times[0]).toBeGreaterThanOrEqual(60_000);
  expect(times[2] - times[1]).toBeGreaterThanOrEqual(60_000);
  expect(times[3]).toBe(times[2]);
});

it('has one version for a row that never changed, however it was recorded', async () => {
  const id = await service.createUser();
  const rows = Array.from({ length: 60 }, (_, index) => row(id, { transactionId: `copied-${index}` }));
  await service.record(rows);
  await service.record([row(id, { transactionId: 'inserted' })]);
  for (const transactionId of ['copied-7', 'inserted']) {
    const versions = (await history({ transactionId, individualId: id })).json.history;
    expect(versions).toEqual([expect.objectContaining({ transactionId, recordedAt: expect.any(String) })]);
  }
});

it('gives more versions than are read at once', async () => {
  const id = await service.createUser();
  const pending = row(id, { transactionId: 'many', transactionStatus: 'Pending' });
  const rows = Array.from({ length: 1500 }, (_, index) => ({ ...pending, amount: String(index) }));
  await service.record(rows);
  const versions = (await history({ transactionId: 'many', individualId: id })).json.history;
  expect(versions.map(({ amount }: { amount: number }) => amount)).toEqual(rows.map((_, index) => index));
});

it('names the transaction as get-transaction does', async () => {
  const [a, b] = [await service.createUser(), await service.createUser()];
  await service.record([
    row(a, { transactionId: 'both', amount: '1' }),
    row(b, { transactionId: 'both', amount: '2' }),
  ]);
  expect((await history({ transactionId: 'both' })).json).toEqual(
    refusal(400, 'Bad Request', 'Several individuals have a transaction with this id. Give individualId too.'),
  );
  expect((await history({ transactionId: 'none' })).json).toEqual(refusal(404, 'Not Found', 'Unknown transaction.'));
  const bound = await service.token('', b);
  expect((await history({ transactionId: 'both' }, bound)).json.history[0].amount).toBe(2);
  expect((await history({ transactionId: 'both', individualId: a }, bound)).status).toBe(403);
  expect((await history({})).json.errors).toEqual({ TransactionId: ['The TransactionId field is required.'] });
  expect((await history({ transactionId: 'both' }, await service.token('phone'))).status).toBe(403);
});

it('is 404 for an erased user', async () => {
  const id = await service.createUser();
  await service.record([row(id, { transactionId: 'gone' })]);
  await service.call(`/User/${id}`, undefined, { method: 'DELETE' });
  expect((await history({ transactionId: 'gone', individualId: id })).status).toBe(404);
});

it('is in the client, with exact amounts', async () => {
  const id = await service.createUser();
  await service.record([row(id, { transactionId: 'exact', amount: '9007199254740993.17' })]);
  const client = createClient({ baseUrl: service.url, token: () => service.token() });
  const [version] = await client.getTransactionHistory({ transactionId: 'exact', individualId: id });
  expect(version).toMatchObject({ amountText: '9007199254740993.17', recordedAt: expect.any(String) });
});
