/** The limits on what a caller may send: the table of the contract, field by field. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invalidField, newPhone, row, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const tooLong = (field: string, length: number) =>
  `The field ${field} must be a string with a maximum length of ${length}.`;
const pascal = (member: string) => member[0]!.toUpperCase() + member.slice(1);

const rowLimits: [string, number][] = [
  ['transactionType', 64],
  ['transactionCategory', 64],
  ['transactionStatus', 64],
  ['paymentSystem', 64],
  ['senderName', 256],
  ['receiverName', 256],
  ['paymentNotes', 2000],
];

describe('a row', () => {
  it.each(rowLimits)('has a %s of at most %i UTF-16 code units', async (member, length) => {
    const id = await service.createUser();
    // An emoji is two code units.
    const longest = '😀'.repeat(length / 2);
    const { results } = (await service.record([row(id, { [member]: longest }), row(id, { [member]: `${longest}x` })]))
      .json;
    expect(results).toEqual([
      { individualId: id, transactionId: expect.any(String), result: 'created' },
      {
        individualId: id,
        transactionId: expect.any(String),
        result: 'rejected',
        errors: { [pascal(member)]: [tooLong(pascal(member), length)] },
      },
    ]);
  });

  it('that was refused is repeated in the answer only in part', async () => {
    const { results } = (
      await service.record([{ transactionId: 'x'.repeat(100_000), individualId: 'y'.repeat(100_000) }])
    ).json;
    expect(results[0]).toMatchObject({ transactionId: 'x'.repeat(256), individualId: 'y'.repeat(256) });
  });
});

const filterLimits: [string, number][] = [
  ['transactionType', 64],
  ['transactionCategory', 64],
  ['transactionStatus', 64],
  ['search', 256],
];

describe('a filter', () => {
  it.each(filterLimits)('has a %s of at most %i UTF-16 code units', async (member, length) => {
    const id = await service.createUser();
    await service.record([row(id)]);
    for (const path of ['/app/get-all-transactions', '/app/summarize-transactions', '/app/export-transactions']) {
      const call = (text: string) => service.call(path, { individualId: id, dataBatch: 1, [member]: text });
      expect((await call('x'.repeat(length))).status).toBe(200);
      expect((await call('x'.repeat(length + 1))).json).toEqual(
        invalidField(pascal(member), tooLong(pascal(member), length)),
      );
    }
  });
});

describe('a user', () => {
  it('has an e-mail address of at most 320 characters', async () => {
    const address = (length: number) => `${'a'.repeat(length - 4)}@b.c`;
    expect((await service.call('/User', { email: address(320) })).status).toBe(201);
    expect((await service.call('/User', { email: address(321) })).json).toEqual(
      invalidField('Email', tooLong('Email', 320)),
    );
  });

  it('has additionalData of at most 16,384 characters as JSON without white space', async () => {
    const data = (length: number) => ({ a: 'x'.repeat(length - 8) });
    const spaced = `{"additionalData": ${JSON.stringify(data(16_384), null, 1000).replace('\n', ' '.repeat(100_000))}}`;
    expect((await service.call('/User', undefined, { raw: spaced })).status).toBe(201);
    expect((await service.call('/User', { additionalData: data(16_385) })).json).toEqual(
      invalidField('AdditionalData', tooLong('AdditionalData', 16_384)),
    );
  });

  it('has additionalData of few enough values', async () => {
    const raw = `{"additionalData":{"a":[${'0,'.repeat(400_000)}0]},"email":"a@b.c"}`;
    expect((await service.call('/User', undefined, { raw })).json).toEqual(
      invalidField('AdditionalData', tooLong('AdditionalData', 16_384)),
    );
  });
});

describe('a code', () => {
  it('has at most 64 characters, and a longer one is not counted as a failure', async () => {
    const phone = newPhone();
    const id = await service.createUser();
    await service.sendCode(id, phone);
    // Ten failures in an hour would block the user, and five would end the code.
    for (let attempt = 0; attempt < 12; attempt += 1) {
      expect((await service.verify(id, '1'.repeat(65))).json).toEqual(invalidField('Code', tooLong('Code', 64)));
    }
    expect((await service.verify(id, '1'.repeat(64))).json.errors).toEqual({ Error: ['Invalid code.'] });
    expect((await service.verify(id, await service.lastCode(phone))).status).toBe(200);
  });
});

describe('a request for a token', () => {
  it('has a body of at most 16 KiB, also one without a length', async () => {
    const form = (length: number) => {
      const start = 'grant_type=client_credentials&client_id=sandbox&client_secret=sandbox&pad=';
      return start + 'x'.repeat(length - start.length);
    };
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const ask = (length: number) =>
      service.call('/connect/token', undefined, { raw: form(length), headers, token: null });
    expect((await ask(16 * 1024)).status).toBe(200);
    const refused = await ask(16 * 1024 + 1);
    expect([refused.status, refused.json.error, refused.headers.get('error-reason')]).toEqual([
      413,
      'invalid_request',
      'invalid-request',
    ]);
    const streamed = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(form(16 * 1024 + 1)));
        controller.close();
      },
    });
    const response = await fetch(`${service.url}/connect/token`, {
      method: 'POST',
      headers,
      body: streamed,
      duplex: 'half',
    });
    expect(response.status).toBe(413);
  });
});

describe('a JSON body of rows', () => {
  const message = "The field Transactions must be a string or array type with a maximum length of '10000'.";

  it('has at most 10,000 of them', async () => {
    const refused = await service.record(Array(10_001).fill(0));
    expect(refused.json).toEqual(invalidField('Transactions', message));
    const { results } = (await service.record(Array(10_000).fill(0))).json;
    expect(results).toHaveLength(10_000);
    expect(results[9999].errors).toEqual({
      '$.transactions[9999]': ['The JSON value could not be converted to TransactionRow. Path: $.transactions[9999].'],
    });
  });

  it('of 6 MiB with millions of them is refused in the same way', async () => {
    const raw = `{"transactions":[${'0,'.repeat(3 * 1024 * 1024)}0]}`;
    const answer = await service.call('/app/record-transactions', undefined, { raw });
    expect(answer.json).toEqual(invalidField('Transactions', message));
  });

  it('may contain millions of values that no field reads', async () => {
    const id = await service.createUser();
    const junk = `[${'0,'.repeat(1024 * 1024)}0]`;
    const good = JSON.stringify(row(id, { transactionId: 'good' }));
    const raw = `{"junk":${junk},"transactions":[${good.slice(0, -1)},"more":${junk}}]}`;
    const answer = await service.call('/app/record-transactions', undefined, { raw });
    expect(answer.json).toEqual({ results: [{ transactionId: 'good', individualId: id, result: 'created' }] });
  });

  it('is malformed wherever in it the mistake is', async () => {
    const raw = `{"transactions":[${'0,'.repeat(1024 * 1024)}0}`;
    const answer = await service.call('/app/record-transactions', undefined, { raw });
    expect(answer.status).toBe(400);
    expect(answer.json.errors.$[0]).toMatch(/^'}' is invalid after a value\. Expected either ',', '}', or ']'\./);
  });

  it('rejects a row whose text is a megabyte long, and takes the others', async () => {
    const id = await service.createUser();
    const { results } = (await service.record([row(id), row(id, { paymentNotes: '\\n"'.repeat(400_000) }), row(id)]))
      .json;
    expect(results.map(({ result }: { result: string }) => result)).toEqual(['created', 'rejected', 'created']);
    expect(results[1].errors).toEqual({ PaymentNotes: [tooLong('PaymentNotes', 2000)] });
  });
});

it('the document of the API names the limits', async () => {
  const { schemas } = (await service.call('/openapi.json', undefined, { method: 'GET', token: null })).json.components;
  for (const [member, length] of rowLimits) {
    expect(schemas.TransactionRow.properties[member].maxLength).toBe(length);
  }
  for (const [member, length] of filterLimits) {
    expect(schemas.AllTransactionRequestModel.properties[member].maxLength).toBe(length);
  }
  expect(schemas.RecordTransactionsRequest.properties.transactions.maxItems).toBe(10_000);
  expect(schemas.VerifyRequest.properties.code.maxLength).toBe(64);
  expect(schemas.CreateUserRequest.properties.email.maxLength).toBe(320);
});
