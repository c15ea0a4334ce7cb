/** The client's sync and mirror, and details with their exact digits. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { clientCredentials, createClient, parseExact } from '../../client/index.ts';
import { row, startService, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const clientOf = () =>
  createClient({
    baseUrl: service.url,
    token: clientCredentials({ baseUrl: service.url, clientId: 'sandbox', clientSecret: 'sandbox' }),
  });

const rows = (id: number, count: number, members = {}) =>
  Array.from({ length: count }, (_, index) => row(id, { transactionId: `r-${index}`, ...members }));

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('client.sync', () => {
  it('gives every page up to the last, and continues at a stored cursor', async () => {
    const client = clientOf();
    const id = await service.createUser();
    await service.record(rows(id, 25, { reference: 'one' }));
    const pages = await collect(client.sync(id, { count: 10, details: true }));
    expect(pages.map(({ added, hasMore }) => [added.length, hasMore])).toEqual([
      [10, true],
      [10, true],
      [5, false],
    ]);
    expect(pages[0]!.added[0]).toMatchObject({ reference: 'one', amountText: '10.00' });
    await service.record(rows(id, 2, { paymentNotes: 'changed' }));
    const later = await collect(client.sync(id, { cursor: pages.at(-1)!.nextCursor }));
    expect(later.map(({ added, modified }) => [added.length, modified.length])).toEqual([[0, 2]]);
  });

  it('a reader that stops half-way gets the rest from its cursor, and nothing again', async () => {
    const client = clientOf();
    const id = await service.createUser();
    await service.record(rows(id, 25));
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let round = 0; round < 3; round += 1) {
      for await (const page of client.sync(id, { cursor, count: 10 })) {
        seen.push(...page.added.map(({ transactionId }) => transactionId));
        cursor = page.nextCursor;
        break;
      }
    }
    expect(seen.length).toBe(25);
    expect(new Set(seen).size).toBe(25);
  });

  it('ends with its signal', async () => {
    const id = await service.createUser();
    const signal = AbortSignal.abort();
    await expect(collect(clientOf().sync(id, { signal }))).rejects.toThrow();
  });
});

describe('client.mirror', () => {
  it('holds the list after every change, and says what changed', async () => {
    const client = clientOf();
    const id = await service.createUser();
    await service.record(rows(id, 3));
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    const mirror = client.mirror(id, { signal: controller.signal, count: 2 });
    const changes: string[][] = [];
    const following = (async () => {
      for await (const { added, modified } of mirror) {
        changes.push([added, modified].map((some) => some.map(({ transactionId }) => transactionId).join()));
      }
    })();
    await until(() => mirror.transactions.size === 3);
    await service.record([
      row(id, { transactionId: 'r-1', paymentNotes: 'changed' }),
      row(id, { transactionId: 'new' }),
    ]);
    await until(() => mirror.transactions.size === 4);
    expect(changes).toEqual([
      ['r-0,r-1', ''],
      ['r-2', ''],
      ['new', 'r-1'],
    ]);
    const { transactions } = await client.listTransactions({ individualId: id, dataBatch: 1 });
    expect(new Map(mirror.transactions)).toEqual(new Map(transactions.map((each) => [each.transactionId, each])));
    controller.abort();
    await following;

    // An app that starts again, with what it stored.
    await service.record([row(id, { transactionId: 'later' })]);
    const again = client.mirror(id, { cursor: mirror.cursor, transactions: mirror.transactions.values() });
    const [change] = await collect(again.update());
    expect(change!.added.map(({ transactionId }) => transactionId)).toEqual(['later']);
    expect(again.transactions.size).toBe(5);
  });
});

describe('exact digits', () => {
  it('are there for the decimals of details, and nothing is added to additionalData', async () => {
    const id = await service.createUser();
    const additionalData = { amount: 1, other: { amount: 2 }, list: [{ balanceAfter: 3 }] };
    await service.record([
      row(id, { transactionId: 'a', transactionFee: '0.50', balanceAfter: '-1.10', additionalData }),
    ]);
    const found = await clientOf().getTransaction({ individualId: id, transactionId: 'a' });
    expect(found).toMatchObject({ amountText: '10.00', transactionFeeText: '0.50', balanceAfterText: '-1.10' });
    expect(found.additionalData).toEqual(additionalData);
    expect(parseExact('[{"additionalData":{"a":{"amount":1}},"amount":2.50},{"amount":3}]')).toEqual([
      { additionalData: { a: { amount: 1 } }, amount: 2.5, amountText: '2.50' },
      { amount: 3, amountText: '3' },
    ]);
  });
});
