import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invalidField, row, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const results = async (rows: unknown[]): Promise<string[]> =>
  (await service.record(rows)).json.results.map(({ result }: { result: string }) => result);
const stored = async (id: number, transactionId: string) =>
  (await service.call('/app/get-transaction', { individualId: id, transactionId })).json;

describe('record-transactions', () => {
  it('accepts the row that docs/transactions.md shows, and returns it', async () => {
    const page = await readFile(new URL('../../docs/transactions.md', import.meta.url), 'utf8');
    const example = JSON.parse(/```json\n([^]*?)```/.exec(page)![1]!);
    const individualId = await service.createUser();
    expect(await results([{ ...example, individualId }])).toEqual(['created']);
    const { individualId: _, amount, ...texts } = example;
    expect(await stored(individualId, example.transactionId)).toEqual({ ...texts, amount: Number(amount) });
  });

  it('answers one result for each row, in order, and a bad row never stops the good ones', async () => {
    const id = await service.createUser();
    const answer = await service.record([
      row(id, { transactionId: 'a' }),
      row(id, { transactionId: 'b', amount: '-1' }),
      row(2_000_000_000, { transactionId: 'c' }),
      'nonsense',
      row(id, { transactionId: 'd', timeStamp: 'soon', currency: 'EURO' }),
      { transactionId: 'e', individualId: id },
      row(id, { transactionId: ' f ' }),
    ]);
    expect(answer.status).toBe(200);
    expect(answer.json.results).toEqual([
      { transactionId: 'a', individualId: id, result: 'created' },
      {
        transactionId: 'b',
        individualId: id,
        result: 'rejected',
        errors: {
          Amount: [
            'The field Amount must be a non-negative decimal with up to 20 digits before the point and 6 after.',
          ],
        },
      },
      {
        transactionId: 'c',
        individualId: 2_000_000_000,
        result: 'rejected',
        errors: { IndividualId: ['Unknown individual.'] },
      },
      {
        transactionId: null,
        individualId: null,
        result: 'rejected',
        errors: {
          '$.transactions[3]': ['The JSON value could not be converted to TransactionRow. Path: $.transactions[3].'],
        },
      },
      {
        transactionId: 'd',
        individualId: id,
        result: 'rejected',
        errors: {
          Currency: ['The field Currency must be an ISO 4217 code.'],
          TimeStamp: ['The field TimeStamp must be an ISO 8601 date-time.'],
        },
      },
      {
        transactionId: 'e',
        individualId: id,
        result: 'rejected',
        errors: {
          Amount: ['The Amount field is required.'],
          Currency: ['The Currency field is required.'],
          TimeStamp: ['The TimeStamp field is required.'],
        },
      },
      { transactionId: 'f', individualId: id, result: 'created' },
    ]);
  });

  it.each([
    ['1e3', 'created'],
    ['0', 'created'],
    ['00012.5', 'rejected'],
    ['99999999999999999999.999999', 'created'],
    ['100000000000000000000', 'rejected'],
    ['0.0000001', 'rejected'],
    ['1e-7', 'rejected'],
    ['1e20', 'rejected'],
    ['1e999', 'rejected'],
    ['-0.01', 'rejected'],
    ['true', 'rejected'],
    ['"12.50"', 'created'],
    ['"007.5"', 'created'],
    ['"1e3"', 'rejected'],
    ['"1,5"', 'rejected'],
    ['".5"', 'rejected'],
    ['""', 'rejected'],
    ['"NaN"', 'rejected'],
    ['null', 'rejected'],
  ])('takes the amount %s: %s', async (amount, expected) => {
    const id = await service.createUser();
    const raw = `{"transactions":[{"individualId":${id},"transactionId":"x","amount":${amount},"currency":"EUR","timeStamp":"2026-01-01T00:00:00Z"}]}`;
    const answer = await service.call('/app/record-transactions', undefined, { raw });
    // A number with a leading zero is no JSON at all.
    if (amount === '00012.5') expect(answer.status).toBe(400);
    else expect(answer.json.results[0].result).toBe(expected);
  });

  it('takes no part of a text that is too long for every field as an amount, an individual or an id', async () => {
    const zeros = '0'.repeat(131_072);
    const id = await service.createUser();
    const cases = [
      { amount: `${zeros}25` },
      { individualId: `${zeros}${id}0` },
      { transactionId: `${' '.repeat(131_073)}id` },
    ];
    for (const members of cases) {
      const { json } = await service.record([row(id, members)]);
      expect(json.results[0].result, Object.keys(members)[0]).toBe('rejected');
    }
  });

  it('refuses a blank id, one that is too long, and characters that cannot be kept', async () => {
    const id = await service.createUser();
    expect(
      await results([' ', '', 'x'.repeat(65), 'a\u0000b', null].map((transactionId) => row(id, { transactionId }))),
    ).toEqual(Array(5).fill('rejected'));
    expect(await results([row(id, { paymentNotes: 'a\u0000b' })])).toEqual(['rejected']);
  });

  it.each([
    [{}, 'Transactions', 'The Transactions field is required.'],
    [{ transactions: null }, 'Transactions', 'The Transactions field is required.'],
  ])('answers 400 for %j', async (body, field, message) => {
    expect((await service.call('/app/record-transactions', body)).json).toEqual(invalidField(field, message));
  });

  it('answers 400 when transactions is no list, and takes an empty one', async () => {
    expect((await service.call('/app/record-transactions', { transactions: {} })).status).toBe(400);
    expect((await service.call('/app/record-transactions', { transactions: [] })).json).toEqual({ results: [] });
  });

  it('accepts more rows than one batch holds', async () => {
    const id = await service.createUser();
    const rows = Array.from({ length: 2500 }, () => row(id));
    expect(await results(rows)).toEqual(Array(2500).fill('created'));
    expect((await service.list({ individualId: id })).json.transactionCount).toBe(2500);
  });
});

describe('a row that comes again', () => {
  it('is a duplicate when the content is the same, amounts compared by value', async () => {
    const id = await service.createUser();
    const first = row(id, { transactionId: 'x', amount: '10.00' });
    expect(await results([first])).toEqual(['created']);
    expect(
      await results([
        first,
        { ...first, amount: '10' },
        { ...first, amount: 10.0 },
        { ...first, timeStamp: '2026-01-01T01:00:00+01:00' },
      ]),
    ).toEqual(Array(4).fill('duplicate'));
    expect((await service.list({ individualId: id })).text).toContain('"amount":10.00,');
  });

  it('with another id is another row, even if everything else is equal', async () => {
    const id = await service.createUser();
    await results([row(id), row(id)]);
    expect((await service.list({ individualId: id })).json.transactionCount).toBe(2);
  });

  it.each([{ amount: '11' }, { currency: 'USD' }, { timeStamp: '2026-01-01T00:00:01Z' }])(
    'is a conflict when %j changed on a row that is not Pending, and the stored row stays unchanged',
    async (change) => {
      const id = await service.createUser();
      const first = row(id, { transactionId: 'x', transactionStatus: 'Accepted' });
      await results([first]);
      expect(await results([{ ...first, ...change, transactionStatus: 'Reversed' }])).toEqual(['conflict']);
      expect(await stored(id, 'x')).toMatchObject({ amount: 10, currency: 'EUR', transactionStatus: 'Accepted' });
    },
  );

  it('may change its amount and time while Pending: cards clear at other amounts', async () => {
    const id = await service.createUser();
    const first = row(id, { transactionId: 'x', transactionStatus: 'Pending', amount: '50' });
    await results([first]);
    const cleared = { ...first, amount: '47.11', timeStamp: '2026-01-02T00:00:00Z', transactionStatus: 'Accepted' };
    expect(await results([cleared])).toEqual(['updated']);
    expect(await stored(id, 'x')).toMatchObject({
      amount: 47.11,
      timeStamp: '2026-01-02T00:00:00Z',
      transactionStatus: 'Accepted',
    });
    expect((await service.list({ individualId: id })).json.transactionCount).toBe(1);
    expect(
      (await service.list({ individualId: id, amountFrom: '47.11', amountTo: '47.11', timestampFrom: '2026-01-02' }))
        .json.transactionCount,
    ).toBe(1);
  });

  it.each(['Accepted', 'Rejected', 'Reversed', 'Cancelled'])(
    'is a duplicate when %s would go back to Pending',
    async (transactionStatus) => {
      const id = await service.createUser();
      const first = row(id, { transactionId: 'x', transactionStatus });
      await results([first]);
      expect(await results([{ ...first, transactionStatus: 'Pending', paymentNotes: 'late news' }])).toEqual([
        'duplicate',
      ]);
      expect(await stored(id, 'x')).toMatchObject({ transactionStatus, paymentNotes: '' });
    },
  );

  it('is a conflict, not a duplicate, if a late Pending row has another amount', async () => {
    const id = await service.createUser();
    const first = row(id, { transactionId: 'x', transactionStatus: 'Accepted' });
    await results([first]);
    expect(await results([{ ...first, transactionStatus: 'Pending', amount: '9' }])).toEqual(['conflict']);
  });

  it('is updated when anything else changed, and its history is kept', async () => {
    const id = await service.createUser();
    const first = row(id, { transactionId: 'x', transactionStatus: 'Accepted' });
    await results([first]);
    expect(await results([{ ...first, paymentNotes: 'one' }])).toEqual(['updated']);
    expect(await results([{ ...first, transactionStatus: 'Reversed', paymentNotes: 'one' }])).toEqual(['updated']);
    const history = await service.sql`
      select version, body::json ->> 'paymentNotes' as notes, body::json ->> 'transactionStatus' as status
      from transaction_history where individual_id = ${id} order by version`;
    expect([...history]).toEqual([
      { version: 1, notes: '', status: 'Accepted' },
      { version: 2, notes: 'one', status: 'Accepted' },
    ]);
  });

  it('applies in order when one batch holds a key several times', async () => {
    const id = await service.createUser();
    const first = row(id, { transactionId: 'x', transactionStatus: 'Pending', amount: '5' });
    const cleared = { ...first, amount: '6', transactionStatus: 'Accepted' };
    expect(
      await results([first, cleared, first, { ...cleared, paymentNotes: 'hi' }, { ...cleared, amount: '7' }]),
    ).toEqual(['created', 'updated', 'conflict', 'updated', 'conflict']);
    expect(await stored(id, 'x')).toMatchObject({ amount: 6, paymentNotes: 'hi', transactionStatus: 'Accepted' });
    const [{ versions }] =
      (await service.sql`select count(*)::int as versions from transaction_history where individual_id = ${id}`) as unknown as [
        { versions: number },
      ];
    expect(versions).toBe(2);
  });
});

describe('in parallel', () => {
  it('records overlapping batches of several individuals without a lost or doubled row', async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => service.createUser()));
    const rows = Array.from({ length: 300 }, (_, index) => row(users[index % 5]!, { transactionId: `p-${index}` }));
    const batches = Array.from({ length: 8 }, (_, shift) =>
      [...rows.slice(shift * 20), ...rows.slice(0, shift * 20)].slice(0, 200),
    );
    const all = (await Promise.all(batches.map(results))).flat();
    const distinct = new Set(batches.flat().map((each) => each.transactionId)).size;
    expect(all.filter((result) => result === 'created')).toHaveLength(distinct);
    expect(all.filter((result) => result === 'duplicate')).toHaveLength(1600 - distinct);
    for (const id of users) {
      const [check] = await service.sql`
        select u.transaction_count = count(*) and u.transaction_count = max(t.seq) and count(distinct t.seq) = count(*) as right
        from users u join transactions t on t.individual_id = u.id where u.id = ${id} group by u.transaction_count`;
      expect(check!.right).toBe(true);
    }
  });

  it('never shows a count that is not there yet, or rows out of the order of their commits', async () => {
    const id = await service.createUser();
    await service.record([row(id)]);
    let writing = true;
    const writer = (async () => {
      for (let batch = 0; batch < 40; batch += 1)
        await Promise.all([service.record([row(id), row(id)]), service.record([row(id)])]);
      writing = false;
    })();
    while (writing) {
      const page = await service.list({ individualId: id, dataBatchCount: 1000 });
      expect(page.json.transactions).toHaveLength(page.json.transactionCount);
      const asOf = page.headers.get('as-of')!;
      const again = await service.list({ individualId: id, dataBatchCount: 1000, asOf });
      expect(again.text).toBe(page.text);
    }
    await writer;
  });
});
