/** Details of transactions: what is checked, kept, compared and returned. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Json } from '../../src/formats/json.ts';
import { readJson } from '../../src/formats/json-reader.ts';
import { demoTransactions } from '../../src/sandbox/demo.ts';
import { detailNames } from '../../src/transactions/details/details.ts';
import { readRow } from '../../src/transactions/row.ts';
import { listStatement } from '../../src/transactions/transactions.store.ts';
import { row, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const fields = [
  ...['transactionId', 'amount', 'currency', 'timeStamp', 'transactionType', 'transactionCategory'],
  ...['transactionStatus', 'senderName', 'receiverName', 'paymentNotes', 'paymentSystem'],
];

const all = {
  senderIban: 'DE89370400440532013000',
  receiverIban: 'GB82WEST12345698765432',
  senderBic: 'COBADEFFXXX',
  receiverBic: 'NWBKGB2L',
  accountNumber: '12-345678',
  senderEmail: 'ada@example.org',
  receiverEmail: 'bo@example.org',
  merchant: 'Café "Nord"',
  cardNetwork: 'VISA',
  cardPan: '411111******1111',
  cardAlias: 'Blue card',
  paymentProvider: 'Provider',
  purposeDet: 'Goods',
  scaStatus: 'exempted',
  reference: 'RF18539007547034',
  transactionFee: 0.5,
  originalAmount: 11.2,
  balanceAfter: -3.25,
  feeCurrency: 'EUR',
  originalCurrency: 'USD',
  additionalData: { order: { id: 7, tags: ['a', ''] }, note: '\u0000 "quoted"' },
};

const get = async (individualId: number, transactionId: string) =>
  (await service.call('/app/get-transaction', { individualId, transactionId })).json;
const getText = async (individualId: number, transactionId: string) =>
  (await service.call('/app/get-transaction', { individualId, transactionId })).text;
const history = async (individualId: number, transactionId: string) =>
  (await service.call('/app/get-transaction-history', { individualId, transactionId })).json.history;
const record = async (...rows: unknown[]) =>
  (await service.record(rows)).json.results.map(({ result }: { result: string }) => result);
const detailsOf = (transaction: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(transaction).filter(([name]) => (detailNames as readonly string[]).includes(name)));

describe('details are returned', () => {
  it('after the fields of the list and in their order, whatever the order they came in', async () => {
    const id = await service.createUser();
    const reversed = Object.fromEntries(Object.entries(all).reverse());
    expect(await record({ ...reversed, ...row(id, { transactionId: 'a' }) })).toEqual(['created']);
    const found = await get(id, 'a');
    expect(Object.keys(found)).toEqual([...fields, ...detailNames]);
    expect(detailsOf(found)).toEqual(all);
    const [version] = await history(id, 'a');
    expect(Object.keys(version)).toEqual([...fields, ...detailNames, 'recordedAt']);
  });

  it('not by the list, and only those that were given', async () => {
    const id = await service.createUser();
    await record(
      row(id, { transactionId: 'a', merchant: 'Shop', senderIban: null, reference: '', transactionFee: '' }),
    );
    await record(row(id, { transactionId: 'none' }));
    expect(Object.keys(await get(id, 'a'))).toEqual([...fields, 'merchant']);
    expect(Object.keys(await get(id, 'none'))).toEqual(fields);
    const { json } = await service.list({ individualId: id });
    for (const listed of json.transactions) expect(Object.keys(listed)).toEqual(fields);
    expect((await service.list({ individualId: id, search: 'Shop' })).json.transactionCount).toBe(0);
  });

  it('with the digits of a decimal as they came', async () => {
    const id = await service.createUser();
    const line =
      `{"transactions":[{"individualId":${id},"transactionId":"a","amount":1,"currency":"EUR",` +
      '"timeStamp":"2026-01-01","transactionFee":0.50,"originalAmount":"9007199254740993.170","balanceAfter":-12345678901234567890.10}]}';
    await service.call('/app/record-transactions', undefined, { raw: line });
    expect(await getText(id, 'a')).toContain(
      '"transactionFee":0.50,"originalAmount":9007199254740993.170,"balanceAfter":-12345678901234567890.10}',
    );
  });

  it('the same after a large batch and after a stream of lines', async () => {
    const id = await service.createUser();
    const rows = Array.from({ length: 120 }, (_, index) =>
      row(id, { transactionId: `r-${index}`, ...(index % 2 === 0 && { ...all, reference: `ref\t\\${index}` }) }),
    );
    await record(...rows);
    expect(detailsOf(await get(id, 'r-4'))).toEqual({ ...all, reference: 'ref\t\\4' });
    expect(detailsOf(await get(id, 'r-5'))).toEqual({});
    const lines = rows.map((each) => JSON.stringify({ ...each, transactionId: `n-${String(each.transactionId)}` }));
    await service.call('/app/record-transactions', undefined, {
      raw: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(detailsOf(await get(id, 'n-r-4'))).toEqual({ ...all, reference: 'ref\t\\4' });
  });
});

describe('details are checked', () => {
  const refusals: [string, unknown, string][] = [
    ['senderIban', 'DE89370400440532013001', 'The field SenderIban must be a valid IBAN.'],
    ['receiverIban', 'DE8937040044053201300', 'The field ReceiverIban must be a valid IBAN.'],
    ['senderIban', 'not an iban', 'The field SenderIban must be a valid IBAN.'],
    ['senderBic', 'COBADEF', 'The field SenderBic must be a valid BIC.'],
    ['receiverBic', 'COBA1EFF', 'The field ReceiverBic must be a valid BIC.'],
    ['senderEmail', 'a b@example.org', 'Invalid email address'],
    ['receiverEmail', 'nobody', 'Invalid email address'],
    ['cardPan', '4111111111111111', 'The field CardPan must be masked.'],
    ['cardPan', 4_111_111_111_111_111, 'The field CardPan must be masked.'],
    ['cardPan', '4111 1111 1111 1111', 'The field CardPan must be masked.'],
    ['cardPan', '4111-1111-1111-1111', 'The field CardPan must be masked.'],
    ['cardPan', '4111111*****1111', 'The field CardPan must be masked.'],
    ['cardPan', '411111*****11111', 'The field CardPan must be masked.'],
    ['cardPan', '41*111*1111', 'The field CardPan must be masked.'],
    ['cardPan', '4111', 'The field CardPan must be masked.'],
    ['cardPan', '**** #### 1111', 'The field CardPan must be masked.'],
    ['cardPan', '٤١١١١١******١١١١', 'The field CardPan must be masked.'],
    ['feeCurrency', 'EURO', 'The field FeeCurrency must be an ISO 4217 code.'],
    ['originalCurrency', '123', 'The field OriginalCurrency must be an ISO 4217 code.'],
    ['merchant', 'x'.repeat(257), 'The field Merchant must be a string with a maximum length of 256.'],
    ['senderEmail', `${'x'.repeat(251)}@e.org`, 'The field SenderEmail must be a string with a maximum length of 256.'],
    ['reference', 'x'.repeat(141), 'The field Reference must be a string with a maximum length of 140.'],
    ['accountNumber', 'x'.repeat(141), 'The field AccountNumber must be a string with a maximum length of 140.'],
    ['scaStatus', 'x'.repeat(65), 'The field ScaStatus must be a string with a maximum length of 64.'],
    [
      'additionalData',
      { text: 'x'.repeat(4096) },
      'The field AdditionalData must be a string with a maximum length of 4096.',
    ],
  ];

  it('a wrong one rejects its row alone, under its field', async () => {
    const id = await service.createUser();
    const rows = refusals.map(([name, value]) => row(id, { [name]: value }));
    const { json } = await service.record([...rows, row(id, { transactionId: 'good' })]);
    refusals.forEach(([name, value, message], index) => {
      const field = name[0]!.toUpperCase() + name.slice(1);
      const { result, errors } = json.results[index];
      expect([name, value, result, errors]).toEqual([name, value, 'rejected', { [field]: [message] }]);
    });
    expect(json.results.at(-1).result).toBe('created');
    expect((await service.list({ individualId: id })).json.transactionCount).toBe(1);
  });

  it.each(['transactionFee', 'originalAmount', 'balanceAfter'])('%s is a decimal', async (name) => {
    const id = await service.createUser();
    const wrong = ['1e3', '1,000', '.5', '1.1234567', 'abc', ...(name === 'balanceAfter' ? [] : ['-1', -1])];
    const { json } = await service.record(wrong.map((value) => row(id, { [name]: value })));
    const field = name[0]!.toUpperCase() + name.slice(1);
    for (const { errors } of json.results) expect(Object.keys(errors)).toEqual([field]);
  });

  it('additionalData is an object, and a text is not one', async () => {
    const id = await service.createUser();
    const { json } = await service.record([[], 'text', 7, true].map((additionalData) => row(id, { additionalData })));
    for (const { result, errors } of json.results) {
      expect(result).toBe('rejected');
      expect(Object.keys(errors)[0]).toMatch(/^\$\.transactions\[\d\]\.additionalData$/);
    }
  });

  it('white space in an IBAN, lower case and every mask are accepted', async () => {
    const id = await service.createUser();
    const pans = [
      '411111******1111',
      '**** **** **** 1111',
      'xxxx-xxxx-xxxx-1111',
      '••••1111',
      '****',
      '4111 11•• •••• 1111',
    ];
    await record(
      row(id, {
        transactionId: 'a',
        senderIban: ' de89 3704 0044 0532 0130 00\t',
        senderBic: 'cobadeff',
        feeCurrency: 'eur',
        additionalData: { text: 'x'.repeat(4085) },
      }),
      ...pans.map((cardPan, index) => row(id, { transactionId: `p-${index}`, cardPan })),
    );
    expect(detailsOf(await get(id, 'a'))).toMatchObject({
      senderIban: 'DE89370400440532013000',
      senderBic: 'COBADEFF',
      feeCurrency: 'EUR',
    });
    for (const [index, cardPan] of pans.entries()) expect((await get(id, `p-${index}`)).cardPan).toBe(cardPan);
  });
});

describe('details of a row that is recorded again', () => {
  it('stay if they are left out or null, change if they differ, and go with an empty text', async () => {
    const id = await service.createUser();
    const first = row(id, { transactionId: 'a', ...all });
    const bare = row(id, { transactionId: 'a' });
    expect(await record(first)).toEqual(['created']);
    expect(await record(bare, { ...bare, merchant: null }, first)).toEqual(['duplicate', 'duplicate', 'duplicate']);
    expect(await record({ ...bare, merchant: 'Other' })).toEqual(['updated']);
    expect(detailsOf(await get(id, 'a'))).toEqual({ ...all, merchant: 'Other' });
    expect(await record({ ...bare, merchant: '', transactionFee: '', additionalData: '' })).toEqual(['updated']);
    const { merchant: _m, transactionFee: _t, additionalData: _a, ...rest } = all;
    expect(detailsOf(await get(id, 'a'))).toEqual(rest);
    expect(await record({ ...bare, merchant: '', transactionFee: '' })).toEqual(['duplicate']);
    const none = Object.fromEntries(detailNames.map((name) => [name, '']));
    expect(await record({ ...bare, ...none })).toEqual(['updated']);
    expect(await record({ ...bare, ...none }, bare)).toEqual(['duplicate', 'duplicate']);
    expect(Object.keys(await get(id, 'a'))).toEqual(fields);
    expect(await record({ ...bare, reference: 'again' })).toEqual(['updated']);
    expect((await history(id, 'a')).map(detailsOf)).toEqual([
      all,
      { ...all, merchant: 'Other' },
      rest,
      {},
      { reference: 'again' },
    ]);
  });

  it('are compared by value: decimals whatever their scale, additionalData whatever the order of its members', async () => {
    const id = await service.createUser();
    const data = { a: 1, b: { c: [1, { d: 2, e: 3 }], f: null } };
    const swapped = { b: { f: null, c: [1, { e: 3, d: 2 }] }, a: 1 };
    const first = row(id, { transactionId: 'a', transactionFee: '1.50', balanceAfter: '-2', additionalData: data });
    expect(await record(first)).toEqual(['created']);
    expect(await record({ ...first, transactionFee: 1.5, balanceAfter: '-2.00', additionalData: swapped })).toEqual([
      'duplicate',
    ]);
    expect(await getText(id, 'a')).toContain('"transactionFee":1.50,"balanceAfter":-2,');
    expect(await record({ ...first, balanceAfter: '2' })).toEqual(['updated']);
    // It is replaced as a whole.
    expect(await record({ ...first, balanceAfter: '2', additionalData: { a: 1 } })).toEqual(['updated']);
    expect((await get(id, 'a')).additionalData).toEqual({ a: 1 });
    expect(await record({ ...first, balanceAfter: '2', additionalData: {} })).toEqual(['updated']);
    expect((await get(id, 'a')).additionalData).toEqual({});
  });

  it('may change whatever the status; a conflict and a late Pending drop theirs', async () => {
    const id = await service.createUser();
    for (const transactionStatus of ['Accepted', 'Rejected', 'Reversed', 'Cancelled', 'Odd', 'Pending']) {
      const first = row(id, { transactionId: transactionStatus, transactionStatus, reference: 'one' });
      expect(await record(first, { ...first, reference: 'two' })).toEqual(['created', 'updated']);
      expect((await get(id, transactionStatus)).reference).toBe('two');
    }
    const settled = row(id, { transactionId: 'Accepted', reference: 'two' });
    expect(await record({ ...settled, amount: '11', reference: 'three' })).toEqual(['conflict']);
    expect(await record({ ...settled, transactionStatus: 'Pending', reference: 'three' })).toEqual(['duplicate']);
    expect((await get(id, 'Accepted')).reference).toBe('two');
    expect(await record({ ...settled, reference: 'three' })).toEqual(['updated']);
  });

  it('apply in the order of the rows of a batch', async () => {
    const id = await service.createUser();
    const bare = row(id, { transactionId: 'a' });
    expect(
      await record(
        { ...bare, merchant: '', reference: 'one' },
        { ...bare, merchant: 'Shop' },
        { ...bare, reference: '' },
        { ...bare, merchant: 'Shop' },
      ),
    ).toEqual(['created', 'updated', 'updated', 'duplicate']);
    expect((await history(id, 'a')).map(detailsOf)).toEqual([
      { reference: 'one' },
      { merchant: 'Shop', reference: 'one' },
      { merchant: 'Shop' },
    ]);
    const many = Array.from({ length: 80 }, (_, index) => row(id, { transactionId: `m-${index}` }));
    await record(...many.flatMap((each) => [each, { ...each, reference: 'late' }]));
    expect((await get(id, 'm-79')).reference).toBe('late');
    expect((await history(id, 'm-79')).map(detailsOf)).toEqual([{}, { reference: 'late' }]);
  });

  it('belong to one individual, and go when it is erased and its rows are removed', async () => {
    const [one, other] = [await service.createUser(), await service.createUser()];
    await record(
      row(one, { transactionId: 'p2p', reference: 'one' }),
      row(other, { transactionId: 'p2p', reference: 'other' }),
    );
    expect((await get(one, 'p2p')).reference).toBe('one');
    expect((await get(other, 'p2p')).reference).toBe('other');
    await service.call(`/User/${one}`, undefined, { method: 'DELETE' });
    expect((await service.call('/app/get-transaction', { individualId: one, transactionId: 'p2p' })).status).toBe(404);
    expect((await get(other, 'p2p')).reference).toBe('other');
  });
});

describe('details in an export', () => {
  it('with "details": true NDJSON has the members and CSV a column for each, otherwise neither', async () => {
    const id = await service.createUser();
    await record(
      row(id, { transactionId: 'a', ...all, merchant: '=1+1' }),
      row(id, { transactionId: 'b', timeStamp: '2025-01-01T00:00:00Z' }),
    );
    const exported = async (details: unknown, accept: string) =>
      (await service.call('/app/export-transactions', { individualId: id, details }, { headers: { accept } })).text;
    const [first, second] = (await exported(true, 'application/x-ndjson')).split('\n');
    expect(first).toBe(await getText(id, 'a'));
    expect(Object.keys(JSON.parse(second!))).toEqual(fields);
    const [head, line, bare] = (await exported(true, 'text/csv')).split('\r\n');
    expect(head).toBe([...fields, ...detailNames].join(','));
    expect(line).toContain(",'=1+1,VISA,411111******1111,");
    expect(line).toContain(',0.5,11.2,-3.25,EUR,USD,"{""order"":{""id"":7,""tags"":[""a"",""""]},');
    expect(bare!.endsWith(','.repeat(detailNames.length))).toBe(true);
    for (const details of [undefined, null, false]) {
      expect((await exported(details, 'text/csv')).split('\r\n')[0]).toBe(fields.join(','));
      expect(Object.keys(JSON.parse((await exported(details, 'application/x-ndjson')).split('\n')[0]!))).toEqual(
        fields,
      );
    }
  });
});

describe('details cost the list nothing', () => {
  it('its rows are as large with details as without, and its statement reads no table of details', async () => {
    const [bare, full] = [await service.createUser(), await service.createUser()];
    const rows = (id: number, details: object) =>
      Array.from({ length: 200 }, (_, index) => row(id, { transactionId: `r-${index}`, ...details }));
    await record(...rows(bare, {}));
    await record(...rows(full, all));
    // The rows of each lie together now, and not in gaps that other rows have left. On a Citus they have other shards.
    if (inject('citusNodes').length === 0) await service.sql`cluster transactions using transactions_touched`;
    const read = async (id: number) => {
      const [size] = await service.sql`
        select sum(pg_column_size(t.*))::int as bytes from transactions t where individual_id = ${id}`;
      const [plan] = await service.sql.unsafe(`explain (analyze, buffers, format json) ${listStatement}`, [
        ...[id, 100, 0, 2_147_483_647],
      ]);
      const text = JSON.stringify(plan!['QUERY PLAN']);
      const relations = new Set([...text.matchAll(/"Relation Name":"([a-z_]+)(?:_\d+)?"/g)].map(([, name]) => name));
      return { bytes: size!.bytes, pages: plan!['QUERY PLAN'][0].Plan['Shared Hit Blocks'], relations };
    };
    // The first time, PostgreSQL reads its catalogs too.
    for (const id of [bare, full]) await read(id);
    const [without, withAll] = [await read(bare), await read(full)];
    expect(withAll.bytes).toBe(without.bytes);
    expect(withAll.relations).toEqual(new Set(['transactions', 'users']));
    // The first row of a batch may lie on the last page of the batch before.
    expect(Math.abs(withAll.pages - without.pages)).toBeLessThanOrEqual(1);
  });
});

describe('details of the demo individual', () => {
  it('are such as the service accepts, and the transactions of every kind have some', () => {
    const rows = demoTransactions(new Date('2026-11-17T12:00:00Z'));
    const detailed = rows.filter(({ details }) => details !== undefined);
    expect(detailed.length).toBeGreaterThan(rows.length * 0.9);
    for (const { body, details } of detailed) {
      const json = readJson(`${body.slice(0, -1)},"individualId":1,${details!.slice(1)}`) as Json;
      expect(readRow(json, '$')).toMatchObject({ row: { body, details } });
    }
  });
});
