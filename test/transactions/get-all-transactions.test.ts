import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invalidField, refusal, row, serviceForTest, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function individualWith(rows: Record<string, unknown>[]): Promise<number> {
  const id = await service.createUser();
  const answer = await service.record(rows.map((members) => row(id, members)));
  expect(answer.json.results.every(({ result }: { result: string }) => result === 'created')).toBe(true);
  return id;
}

const ids = (answer: { json: { transactions: { transactionId: string }[] } }) =>
  answer.json.transactions.map(({ transactionId }) => transactionId);

describe('the list', () => {
  it('answers 200 with the items of the page and the count of all that match', async () => {
    const id = await individualWith([
      {
        transactionId: 'a',
        amount: '12.50',
        currency: 'eur',
        timeStamp: '2026-02-01T10:00:00.120+02:00',
        transactionType: 'P2P',
        transactionCategory: 'Debit',
        transactionStatus: 'Accepted',
        senderName: 'Zoë "Z" Ünal',
        receiverName: 'Bo',
        paymentNotes: 'line\nbreak\t✓',
        paymentSystem: 'INTERNAL',
      },
    ]);
    const answer = await service.list({ individualId: id });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      '{"transactions":[{"transactionId":"a","amount":12.50,"currency":"EUR","timeStamp":"2026-02-01T08:00:00.12Z",' +
        '"transactionType":"P2P","transactionCategory":"Debit","transactionStatus":"Accepted","senderName":"Zoë \\"Z\\" Ünal",' +
        '"receiverName":"Bo","paymentNotes":"line\\nbreak\\t✓","paymentSystem":"INTERNAL"}],"transactionCount":1}',
    );
  });

  it('is newest first, then by transactionId descending by bytes', async () => {
    const id = await individualWith([
      { transactionId: 'b', timeStamp: '2026-01-01T00:00:00Z' },
      { transactionId: 'a', timeStamp: '2026-01-01T00:00:00Z' },
      { transactionId: 'B', timeStamp: '2026-01-01T00:00:00Z' },
      { transactionId: 'é', timeStamp: '2026-01-01T00:00:00Z' },
      { transactionId: 'z', timeStamp: '2026-01-01T00:00:00.000001Z' },
      { transactionId: '0', timeStamp: '2025-12-31T23:59:59.999999Z' },
    ]);
    expect(ids(await service.list({ individualId: id }))).toEqual(['z', 'é', 'b', 'a', 'B', '0']);
  });

  it('starts at page 1, has 20 items by default, and counts over all pages', async () => {
    const id = await individualWith(
      Array.from({ length: 45 }, (_, index) => ({ transactionId: String(index).padStart(3, '0') })),
    );
    const pages = await Promise.all([1, 2, 3, 4].map((dataBatch) => service.list({ individualId: id, dataBatch })));
    expect(pages.map((page) => ids(page).length)).toEqual([20, 20, 5, 0]);
    expect(pages.map(({ status, json }) => [status, json.transactionCount])).toEqual(Array(4).fill([200, 45]));
    expect(new Set(pages.flatMap(ids)).size).toBe(45);
    expect(ids(await service.list({ individualId: id, dataBatch: 2_147_483_647, dataBatchCount: 1000 }))).toEqual([]);
  });

  it('answers 404 when the individual has no transactions, and only then', async () => {
    const answer = await service.list({ individualId: await service.createUser() });
    expect(answer.status).toBe(404);
    expect(answer.json).toEqual(refusal(404, 'Not Found', 'The individual has no transactions.'));
    const id = await individualWith([{}]);
    const filtered = await service.list({ individualId: id, amountFrom: '999999' });
    expect([filtered.status, filtered.json]).toEqual([200, { transactions: [], transactionCount: 0 }]);
  });

  it('answers 400 for an unknown individual', async () => {
    const answer = await service.list({ individualId: 2_000_000_000 });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual(refusal(400, 'Bad Request', 'Unknown individual.'));
  });

  it.each([
    [{ dataBatch: 0 }, 'DataBatch', 'The field DataBatch must be between 1 and 2147483647.'],
    [{ dataBatchCount: 0 }, 'DataBatchCount', 'The field DataBatchCount must be between 1 and 1000.'],
    [{ dataBatchCount: 1001 }, 'DataBatchCount', 'The field DataBatchCount must be between 1 and 1000.'],
    [{ individualId: 0 }, 'IndividualId', 'The field IndividualId must be between 1 and 2147483647.'],
    [{ individualId: null }, 'IndividualId', 'The IndividualId field is required.'],
    [{ dataBatch: null }, 'DataBatch', 'The DataBatch field is required.'],
    [{ timestampFrom: 'yesterday' }, 'TimestampFrom', 'The field TimestampFrom must be an ISO 8601 date-time.'],
    [{ timestampTo: '2026-02-30' }, 'TimestampTo', 'The field TimestampTo must be an ISO 8601 date-time.'],
    [{ amountFrom: '1e3' }, 'AmountFrom', 'The field AmountFrom must be a decimal such as 10 or 10.50.'],
    [{ amountFrom: '1,000' }, 'AmountFrom', 'The field AmountFrom must be a decimal such as 10 or 10.50.'],
    [{ amountTo: '.5' }, 'AmountTo', 'The field AmountTo must be a decimal such as 10 or 10.50.'],
    [{ amountTo: '5.' }, 'AmountTo', 'The field AmountTo must be a decimal such as 10 or 10.50.'],
    [{ amountTo: '+5' }, 'AmountTo', 'The field AmountTo must be a decimal such as 10 or 10.50.'],
    [{ amountTo: '123456789012345678901' }, 'AmountTo', 'The field AmountTo must be a decimal such as 10 or 10.50.'],
    [
      { timestampFrom: '2026-02-02', timestampTo: '2026-02-01' },
      'TimestampFrom',
      'The field TimestampFrom must not be later than TimestampTo.',
    ],
    [{ amountFrom: '10.01', amountTo: '10' }, 'AmountFrom', 'The field AmountFrom must not be greater than AmountTo.'],
    [{ asOf: 'nonsense' }, 'AsOf', 'The field AsOf is not a value of the As-Of header.'],
  ])('answers 400 for invalid filters: %j', async (members, field, message) => {
    const answer = await service.list({ individualId: 1, ...members });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual(invalidField(field, message));
  });

  it.each([
    [{ individualId: 'x' }, '$.individualId', 'System.Int32'],
    [{ dataBatch: 1.5 }, '$.dataBatch', 'System.Int32'],
    [{ dataBatch: true }, '$.dataBatch', 'System.Int32'],
    [{ timestampFrom: 5 }, '$.timestampFrom', 'System.String'],
    [{ amountFrom: {} }, '$.amountFrom', 'System.Decimal'],
    [{ search: [] }, '$.search', 'System.String'],
  ])('answers 400 for another JSON type: %j', async (members, path, type) => {
    const answer = await service.list({ individualId: 1, ...members });
    expect(answer.json.errors[path][0]).toMatch(new RegExp(`^The JSON value could not be converted to ${type}\\.`));
  });

  it('reads null and "" as no filter, and integers from numeric strings', async () => {
    const id = await individualWith([{}]);
    const nothing = {
      timestampFrom: '',
      timestampTo: null,
      amountFrom: '',
      amountTo: null,
      search: '',
      transactionType: null,
      asOf: '',
    };
    const answer = await service.list({ individualId: String(id), dataBatch: '1', dataBatchCount: null, ...nothing });
    expect(answer.json.transactionCount).toBe(1);
  });

  it.each(['timestampFrom', 'timestampTo', 'amountFrom', 'amountTo', 'asOf'])(
    'does not take white space for no filter: %s',
    async (member) => {
      const id = await individualWith([{}]);
      const field = member[0]!.toUpperCase() + member.slice(1);
      for (const path of ['get-all', 'summarize', 'export']) {
        const answer = await service.call(`/app/${path}-transactions`, {
          individualId: id,
          dataBatch: 1,
          [member]: ' ',
        });
        expect([path, answer.status, Object.keys(answer.json.errors ?? {})]).toEqual([path, 400, [field]]);
      }
    },
  );

  it('does not trim white space in a search and in an exact filter', async () => {
    const id = await individualWith([{ receiverName: 'Ann Lee', paymentNotes: '' }, { receiverName: 'Ann' }]);
    const count = async (filter: object) => (await service.list({ individualId: id, ...filter })).json.transactionCount;
    expect(await count({ search: ' ' })).toBe(1);
    for (const member of ['transactionType', 'transactionCategory', 'transactionStatus', 'currency']) {
      expect([member, await count({ [member]: ' ' })]).toEqual([member, 0]);
    }
  });
});

describe('a time filter', () => {
  const times = [
    '2026-03-28T23:59:59.999Z',
    '2026-03-29T00:00:00Z',
    '2026-03-29T12:00:00.000001Z',
    '2026-03-29T23:59:59.999999Z',
    '2026-03-30T00:00:00Z',
  ];
  let id: number;
  beforeAll(async () => {
    id = await individualWith(times.map((timeStamp, index) => ({ transactionId: String(index), timeStamp })));
  });

  it.each([
    [{ timestampFrom: times[2] }, ['4', '3', '2']],
    [{ timestampFrom: '2026-03-29T12:00:00.000002Z' }, ['4', '3']],
    [{ timestampTo: times[2] }, ['2', '1', '0']],
    [{ timestampTo: '2026-03-29T12:00:00.0000009Z' }, ['1', '0']],
    [{ timestampFrom: '2026-03-29', timestampTo: '2026-03-29' }, ['3', '2', '1']],
    [{ timestampFrom: '2026-03-29T00:00:00' }, ['4', '3', '2', '1']],
    [{ timestampFrom: '2026-03-29T14:00:00.000001+14:00' }, ['4', '3', '2']],
    [{ timestampFrom: '2026-03-29T14:00:00+14:00' }, ['4', '3', '2', '1']],
    [{ timestampTo: '2026-03-28T10:00:00-14:00' }, ['1', '0']],
    [{ timestampFrom: '0001-01-01', timestampTo: '9999-12-31' }, ['4', '3', '2', '1', '0']],
    [
      { timestampFrom: '0001-01-01T00:00:00+14:00', timestampTo: '9999-12-31T23:59:59.999999-14:00' },
      ['4', '3', '2', '1', '0'],
    ],
    [{ timestampFrom: '2026-03-29T12:00Z' }, ['4', '3', '2']],
  ])('is inclusive: %j', async (filter, expected) => {
    const answer = await service.list({ individualId: id, ...filter });
    expect([ids(answer), answer.json.transactionCount]).toEqual([expected, expected.length]);
  });
});

describe('an amount', () => {
  const amounts = [
    '0.30',
    '0.3',
    '9007199254740993.17',
    '99999999999999999999.999999',
    '0',
    '1000',
    '1.234',
    '10',
    '10.00',
  ];
  let id: number;
  beforeAll(async () => {
    id = await individualWith(amounts.map((amount, index) => ({ transactionId: String(index), amount })));
  });

  it('comes back byte-exact, at the scale it was given', async () => {
    const { text } = await service.list({ individualId: id });
    for (const amount of amounts) expect(text).toContain(`"amount":${amount},`);
  });

  it('comes back byte-exact when sent as a number', async () => {
    const owner = await service.createUser();
    const numbers = ['12.50', '9007199254740993.17', '0.100000', '1e3', '1.5E-3', '100E-2'];
    const rows = numbers.map(
      (number, index) =>
        `{"individualId":${owner},"transactionId":"${index}","amount":${number},"currency":"EUR","timeStamp":"2026-01-01T00:00:00Z"}`,
    );
    await service.call('/app/record-transactions', undefined, { raw: `{"transactions":[${rows.join(',')}]}` });
    const { text } = await service.list({ individualId: owner });
    const listed = [...text.matchAll(/"amount":([^,]+),/g)].map(([, amount]) => amount).reverse();
    expect(listed).toEqual(['12.50', '9007199254740993.17', '0.100000', '1000', '0.0015', '1.00']);
  });

  it.each([
    [{ amountFrom: '0.3', amountTo: '0.30' }, ['1', '0']],
    [{ amountFrom: '9007199254740993.17', amountTo: '9007199254740993.17' }, ['2']],
    [{ amountFrom: '9007199254740993.171' }, ['3']],
    [{ amountFrom: '10', amountTo: '10' }, ['8', '7']],
    [{ amountFrom: '-5', amountTo: '0' }, ['4']],
    [{ amountFrom: 1000, amountTo: 1000.0 }, ['5']],
    [{ amountFrom: '1.2340000', amountTo: '1.23400000000000000000000001' }, ['6']],
    [{ amountTo: '-0.000001' }, []],
  ])('is filtered exactly, bounds inclusive: %j', async (filter, expected) => {
    const answer = await service.list({ individualId: id, ...filter });
    expect([ids(answer), answer.json.transactionCount]).toEqual([expected, expected.length]);
  });
});

describe('the extra filters', () => {
  let id: number;
  beforeAll(async () => {
    id = await individualWith([
      {
        transactionId: 'A1',
        transactionType: 'P2P',
        transactionStatus: 'Pending',
        transactionCategory: 'Debit',
        currency: 'EUR',
        paymentNotes: '100% ÄPFEL_',
      },
      {
        transactionId: 'A2',
        transactionType: 'CARD',
        transactionStatus: 'Accepted',
        transactionCategory: 'Credit',
        currency: 'JPY',
        senderName: 'Zoë',
      },
      {
        transactionId: 'A3',
        transactionType: 'p2p',
        transactionStatus: 'accepted',
        transactionCategory: 'Debit',
        currency: 'EUR',
        receiverName: 'zoë',
        paymentNotes: 'ΚΩΣΤΑΣ, οδός 1',
      },
      {
        transactionId: 'A4',
        transactionStatus: 'Rejected',
        transactionCategory: '',
        currency: 'USD',
        senderName: 'Paweł Sørensen',
        receiverName: 'Ade\u0301le Straße 7',
        paymentNotes: 'first\u0001second',
      },
    ]);
  });

  it.each([
    [{ transactionType: 'P2p' }, ['A3', 'A1']],
    [{ transactionStatus: 'ACCEPTED' }, ['A3', 'A2']],
    [{ transactionCategory: 'credit' }, ['A2']],
    [{ currency: 'jpy' }, ['A2']],
    [{ search: 'ZOË' }, ['A3', 'A2']],
    [{ search: 'äpfel' }, ['A1']],
    [{ search: '%' }, ['A1']],
    [{ search: '_' }, ['A1']],
    [{ search: 'a2' }, ['A2']],
    // The lower case of a sigma depends on its place in the word.
    [{ search: 'ΚΩΣ' }, ['A3']],
    [{ search: 'κωστασ' }, ['A3']],
    [{ search: 'κωστας' }, ['A3']],
    [{ search: 'ΟΔΟΣ 1' }, ['A3']],
    [{ search: 'a1100' }, []],
    // The same letter may be written as one character or as two.
    [{ search: 'ADÉLE' }, ['A4']],
    [{ search: 'ade\u0301le' }, ['A4']],
    [{ search: 'zoe\u0308' }, ['A3', 'A2']],
    [{ search: 'zoe' }, ['A3', 'A2']],
    [{ search: 'pawel' }, ['A4']],
    [{ search: 'SORENSEN' }, ['A4']],
    [{ search: 'strasse 7' }, ['A4']],
    [{ search: 'äpfél' }, []],
    // Each letter may be written with its accent or without.
    [{ search: 'PAWEŁ SORENSEN' }, ['A4']],
    [{ search: 'pawel sørensen' }, ['A4']],
    [{ search: 'adele straße' }, ['A4']],
    [{ search: 'ADÉLE STRASSE 7' }, ['A4']],
    [{ search: 'ádele' }, []],
    [{ search: '\u0001' }, ['A4']],
    [{ search: 'a', transactionType: 'card', transactionStatus: 'accepted' }, ['A2']],
    [{ transactionType: 'P2' }, []],
  ])('are exact but for case, and a search is a substring: %j', async (filter, expected) => {
    const answer = await service.list({ individualId: id, ...filter });
    expect([ids(answer), answer.json.transactionCount]).toEqual([expected, expected.length]);
  });
});

describe('asOf', () => {
  it('pins the set of rows while rows arrive, back-dated ones too', async () => {
    const id = await individualWith(
      Array.from({ length: 30 }, (_, index) => ({ timeStamp: `2026-01-${String(index + 1).padStart(2, '0')}` })),
    );
    const first = await service.list({ individualId: id, dataBatchCount: 10 });
    const asOf = first.headers.get('as-of')!;
    const before = ids(await service.list({ individualId: id, dataBatchCount: 30 }));
    const arriving = Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        service.record([row(id, { timeStamp: `2026-01-${String(index + 5).padStart(2, '0')}T12:00:00Z` })]),
      ),
    );
    const walked = [];
    for (const dataBatch of [1, 2, 3, 4]) {
      const page = await service.list({ individualId: id, dataBatch, dataBatchCount: 10, asOf });
      expect(page.json.transactionCount).toBe(30);
      expect(page.headers.get('as-of')).toBe(asOf);
      walked.push(...ids(page));
    }
    await arriving;
    expect(walked).toEqual(before);
    expect((await service.list({ individualId: id, asOf, amountFrom: '0' })).json.transactionCount).toBe(30);
    expect((await service.list({ individualId: id })).json.transactionCount).toBe(50);
  });

  it('does not pin mutable fields', async () => {
    const id = await individualWith([{ transactionId: 'p', transactionStatus: 'Pending' }]);
    const asOf = (await service.list({ individualId: id })).headers.get('as-of')!;
    await service.record([row(id, { transactionId: 'p', transactionStatus: 'Accepted' })]);
    expect((await service.list({ individualId: id, asOf })).json.transactions[0].transactionStatus).toBe('Accepted');
  });

  it('is refused when foreign, malformed, tampered with or older than 24 hours', async () => {
    const own = await serviceForTest();
    const [a, b] = [await own.createUser(), await own.createUser()];
    await own.record([row(a), row(b)]);
    const asOf = (await own.list({ individualId: a })).headers.get('as-of')!;
    const refused = async (individualId: number, token: string) =>
      (await own.list({ individualId, asOf: token })).json.errors?.AsOf?.[0];
    expect(await refused(b, asOf)).toBe('The field AsOf belongs to another individual.');
    const flipped = (asOf[0] === 'A' ? 'B' : 'A') + asOf.slice(1);
    for (const bad of [flipped, `${asOf}A`, asOf.slice(0, -1), 'x', '🙂']) {
      expect(await refused(a, bad)).toBe('The field AsOf is not a value of the As-Of header.');
    }
    await own.advance(86_300);
    expect((await own.list({ individualId: a, asOf })).status).toBe(200);
    await own.advance(200);
    own.forgetTokens();
    expect(await refused(a, asOf)).toBe('The field AsOf is older than 24 hours.');
  });
});

it('ends a statement that takes too long with 503 and Retry-After', async () => {
  const own = await serviceForTest({ LEDGERLINE_STATEMENT_SECONDS: '1' });
  const id = await own.createUser();
  await own.record([row(id)]);
  // Another session holds the table; the list must not wait for it for ever.
  const held = own.sql.begin(async (sql) => {
    await sql`lock table transactions in access exclusive mode`;
    return own.list({ individualId: id, search: 'x' });
  });
  const answer = await held;
  expect(answer.status).toBe(503);
  expect(answer.json).toEqual(
    refusal(503, 'Service Unavailable', 'The database took too long. Request less at a time, or try again later.'),
  );
  expect(answer.headers.get('error-reason')).toBe('query-too-slow');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
});
