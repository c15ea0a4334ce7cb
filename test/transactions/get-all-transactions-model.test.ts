/** Random rows and filters: the list beside a model that filters and sorts all rows itself. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { row, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const ids = (answer: { json: { transactions: { transactionId: string }[] } }) =>
  answer.json.transactions.map(({ transactionId }) => transactionId);

describe('against a brute-force model', () => {
  interface Model {
    transactionId: string;
    timeStamp: string;
    amount: string;
    transactionType: string;
  }

  const someTime = fc.constantFrom(
    '2026-01-01T00:00:00.000000Z',
    '2026-01-01T00:00:00.000001Z',
    '2026-01-01T23:59:59.999999Z',
    '2026-01-02T00:00:00.000000Z',
    '2026-01-02T12:30:00.500000Z',
    '2026-02-28T23:59:59.999999Z',
    '2026-03-01T00:00:00.000000Z',
    '0001-01-01T00:00:00.000000Z',
    '9999-12-31T23:59:59.999999Z',
  );
  const someAmount = fc.constantFrom(
    '0',
    '0.01',
    '0.1',
    '0.10',
    '1',
    '9.99',
    '10',
    '10.00',
    '10.000001',
    '99999999999999999999.999999',
  );
  const rows = fc.uniqueArray(
    fc.record({
      transactionId: fc.stringMatching(/^[a-zA-Z0-9é]{1,3}$/),
      timeStamp: someTime,
      amount: someAmount,
      transactionType: fc.constantFrom('P2P', 'CARD'),
    }),
    { selector: ({ transactionId }) => transactionId, minLength: 1, maxLength: 60 },
  );
  const filters = fc.record(
    {
      timestampFrom: someTime,
      timestampTo: someTime,
      amountFrom: someAmount,
      amountTo: someAmount,
      transactionType: fc.constantFrom('p2p', 'card'),
    },
    { requiredKeys: [] },
  );

  const micro = (amount: string) => {
    const [whole = '', fraction = ''] = amount.split('.');
    return BigInt(whole + fraction.padEnd(6, '0'));
  };
  const order = (a: Model, b: Model) =>
    a.timeStamp === b.timeStamp
      ? Buffer.compare(Buffer.from(b.transactionId), Buffer.from(a.transactionId))
      : a.timeStamp < b.timeStamp
        ? 1
        : -1;
  type Filter = Partial<Record<string, string>>;
  /** Such a filter is refused. */
  const isInverted = ({ timestampFrom, timestampTo, amountFrom, amountTo }: Filter) =>
    (timestampFrom !== undefined && timestampTo !== undefined && timestampFrom > timestampTo) ||
    (amountFrom !== undefined && amountTo !== undefined && micro(amountFrom) > micro(amountTo));
  const selects = (filter: Filter) => (model: Model) =>
    (!filter.timestampFrom || model.timeStamp >= filter.timestampFrom) &&
    (!filter.timestampTo || model.timeStamp <= filter.timestampTo) &&
    (!filter.amountFrom || micro(model.amount) >= micro(filter.amountFrom)) &&
    (!filter.amountTo || micro(model.amount) <= micro(filter.amountTo)) &&
    (!filter.transactionType || model.transactionType.toLowerCase() === filter.transactionType);

  it('pages and counts are right for random data and filters, and all pages together give each row once', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.array(filters, { minLength: 5, maxLength: 5 }),
        fc.integer({ min: 1, max: 25 }),
        async (models, tried, size) => {
          const id = await service.createUser();
          await service.record(models.map((model) => row(id, { ...model })));
          for (const filter of [{}, ...tried]) {
            if (isInverted(filter)) {
              const refused = await service.list({ individualId: id, dataBatchCount: size, ...filter });
              expect(refused.status).toBe(400);
              continue;
            }
            const expected = models
              .filter(selects(filter))
              .sort(order)
              .map(({ transactionId }) => transactionId);
            const walked: string[] = [];
            for (let dataBatch = 1; dataBatch <= Math.ceil(expected.length / size) + 1; dataBatch += 1) {
              const page = await service.list({ individualId: id, dataBatch, dataBatchCount: size, ...filter });
              expect(page.json.transactionCount).toBe(expected.length);
              walked.push(...ids(page));
            }
            expect(walked).toEqual(expected);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('walks 10,000 rows on one timestamp with each row seen once', async () => {
    const id = await service.createUser();
    for (let start = 0; start < 10_000; start += 2500) {
      await service.record(
        Array.from({ length: 2500 }, (_, index) => row(id, { transactionId: `tie-${start + index}` })),
      );
    }
    const seen = new Set<string>();
    for (let dataBatch = 1; dataBatch <= 10; dataBatch += 1) {
      for (const transactionId of ids(await service.list({ individualId: id, dataBatch, dataBatchCount: 1000 })))
        seen.add(transactionId);
    }
    expect(seen.size).toBe(10_000);
  });
});
