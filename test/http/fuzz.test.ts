/** Whatever is sent: never a 5xx, never a hang, always the documented shape. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectTraceId, row, startService, type Answer, type Service } from '../harness/service.ts';
import { isFull, sized } from '../harness/size.ts';

let service: Service;
let user: number;
beforeAll(async () => {
  // Failures block a user, and a blocked user answers 429 before anything interesting happens.
  service = await startService({ LEDGERLINE_LIMITS: 'user-failures=off; user-sends=off' });
  user = await service.createUser();
  await service.record([row(user, { transactionId: 'fuzz' })]);
});
afterAll(() => service.stop());

interface Target {
  path: string;
  valid: () => Record<string, unknown>;
  ok: number[];
}

const targets: Target[] = [
  {
    path: '/User/phone-number/send-code',
    valid: () => ({ id: user, phoneNumber: '+447911100000', correlationType: 0 }),
    ok: [204],
  },
  { path: '/User/phone-number/verify', valid: () => ({ id: user, code: '123456' }), ok: [200] },
  { path: '/User', valid: () => ({ merchantId: 1, email: 'a@b.example', additionalData: {} }), ok: [201] },
  {
    path: '/app/get-all-transactions',
    valid: () => ({
      individualId: user,
      dataBatch: 1,
      dataBatchCount: 20,
      timestampFrom: '2020-01-01',
      timestampTo: '2030-01-01',
      amountFrom: '0',
      amountTo: '1000',
      transactionType: '',
      transactionCategory: '',
      transactionStatus: '',
      currency: '',
      search: '',
      asOf: '',
    }),
    ok: [200],
  },
  { path: '/app/get-transaction', valid: () => ({ transactionId: 'fuzz', individualId: user }), ok: [200] },
  {
    path: '/app/record-transactions',
    valid: () => ({ transactions: [row(user, { transactionId: 'fuzz' })] }),
    ok: [200],
  },
  { path: '/sandbox/clock', valid: () => ({ advanceSeconds: 0 }), ok: [200] },
];

function checkShape({ path, ok }: Target, answer: Answer): void {
  if (ok.includes(answer.status)) return;
  expect([400, 404, 413, 415]).toContain(answer.status);
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect([path, answer.json]).toEqual([
    path,
    expect.objectContaining({
      type: expect.any(String),
      title: expect.any(String),
      status: answer.status,
      traceId: expectTraceId,
    }),
  ]);
  if (answer.json.errors) {
    for (const messages of Object.values(answer.json.errors)) expect(messages).toEqual([expect.any(String)]);
  }
}

const send = async (target: Target, raw: string | Uint8Array) => {
  const answer = await service.call(target.path, undefined, { raw });
  checkShape(target, answer);
  return answer;
};

const odd: unknown[] = [
  null,
  '',
  ' ',
  'x',
  'null',
  true,
  false,
  0,
  1,
  -1,
  1.5,
  1e21,
  -1e308,
  2_147_483_647,
  2_147_483_648,
  9_007_199_254_740_992,
  '2147483648',
  '-0',
  '1e5',
  '0x10',
  'NaN',
  '∞',
  [],
  [[]],
  [null],
  {},
  { a: 1 },
  '\u0000',
  '\uFFFF',
  '🙂',
  'x'.repeat(100_000),
  "'; drop table users; --",
  '%',
  '$1',
  '{0}',
  '${x}',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999+14:00',
  '10000-01-01',
  '+1234567890123456789',
  '2026-13-45',
  '__proto__',
  'constructor',
];

describe.each(targets)('$path', (target) => {
  it('survives every field missing, and every field with any value', async () => {
    for (const field of Object.keys(target.valid())) {
      const { [field]: _, ...without } = target.valid();
      await send(target, JSON.stringify(without));
      for (const value of odd) await send(target, JSON.stringify({ ...target.valid(), [field]: value }));
    }
  });

  // In the usual run test/fuzz/fuzz.test.ts sends such bodies, to every operation.
  it.runIf(isFull)('survives arbitrary bodies', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (value) => {
        await send(target, JSON.stringify(value));
      }),
      { numRuns: 60 },
    );
  });

  it.runIf(isFull)('survives mutated bodies', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 0, max: 3 }),
        fc.uint8Array({ minLength: 1, maxLength: 4 }),
        async (where, cut, bytes) => {
          const valid = Buffer.from(JSON.stringify(target.valid()));
          const at = where % valid.length;
          await send(target, Buffer.concat([valid.subarray(0, at), bytes, valid.subarray(at + cut)]));
        },
      ),
      { numRuns: 120 },
    );
  });
});

it('survives arbitrary rows, and gives one result for each', async () => {
  const fields = Object.keys(row(user)).concat('senderName', 'paymentNotes', 'transactionType');
  const rows = [...odd, ...fields.flatMap((field) => odd.map((value) => row(user, { [field]: value })))];
  const answer = await service.record(rows);
  expect(answer.status).toBe(200);
  expect(answer.json.results).toHaveLength(rows.length);
  for (const { result, errors } of answer.json.results) {
    expect(['created', 'duplicate', 'updated', 'conflict', 'rejected']).toContain(result);
    if (result === 'rejected') expect(Object.values(errors)[0]).toEqual([expect.any(String)]);
  }
});

it('survives odd paths, queries and headers', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.webPath(),
      fc.webQueryParameters(),
      fc.constantFrom('GET', 'POST', 'DELETE', 'PUT'),
      async (path, query, method) => {
        const answer = await service.call(`${path.startsWith('/') ? path : `/${path}`}?${query}`, undefined, {
          method,
        });
        expect(answer.status).toBeLessThan(500);
      },
    ),
    { numRuns: sized(30, 60) },
  );
  for (const id of ['1e3', '0x1', '١', '%00', '..', '%2e%2e', '1;drop', '2147483647']) {
    const answer = await service.call(`/User/${id}/status`, undefined, { method: 'GET' });
    expect([404, 400]).toContain(answer.status);
  }
});
