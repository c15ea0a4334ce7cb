import { afterAll, beforeAll, expect, it } from 'vitest';
import { invalidField, refusal, serviceForTest, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const create = (body?: unknown, options = {}) => service.call('/User', body, options);

it('answers 201 with the new id; the body is optional', async () => {
  const answers = [
    await create(),
    await create({}),
    await create(undefined, { raw: '' }),
    await create(undefined, { raw: 'null' }),
    await create({ merchantId: null, email: null, additionalData: null, id: null }),
    await create({ merchantId: 7, email: 'a@b.example', additionalData: { tier: 'gold', rate: 1.5 } }),
  ];
  for (const answer of answers) {
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({ id: expect.any(Number) });
  }
  expect(new Set(answers.map(({ json }) => json.id)).size).toBe(answers.length);
});

it('accepts an id that the caller chose, once', async () => {
  const id = 700_001;
  expect((await create({ id })).json).toEqual({ id });
  const again = await create({ id });
  expect(again.json).toEqual(refusal(400, 'Bad Request', 'User already exists.'));
});

it('skips ids that callers chose, up to the largest one', async () => {
  const own = await serviceForTest();
  const first = await own.createUser();
  for (let id = first + 1; id <= first + 50; id += 1) await own.call('/User', { id });
  await own.call('/User', { id: 2_147_483_647 });
  expect(await own.createUser()).toBe(first + 51);
  await own.sql`select setval('user_ids', 2147483646)`;
  const wrapped = await own.createUser();
  expect(wrapped).toBe(first + 52);
});

it('gives each of many parallel callers its own id', async () => {
  const ids = await Promise.all(Array.from({ length: 100 }, () => service.createUser()));
  expect(new Set(ids).size).toBe(100);
});

it.each([
  'x',
  '@',
  'a@',
  '@b',
  'a@b@c',
  '',
  'a@b.example\r\nBcc: c@d.example',
  'a\u0085@b',
  'a b@c',
  'a@b\u007f',
  'a@b\n',
])('refuses %j as e-mail address', async (email) => {
  const answer = await create({ email });
  expect(answer.status).toBe(400);
  expect(answer.json).toEqual(invalidField('Email', 'Invalid email address'));
});

it.each([
  [{ additionalData: [] }, '$.additionalData'],
  [{ additionalData: 'x' }, '$.additionalData'],
  [{ merchantId: 1.5 }, '$.merchantId'],
])('refuses another type: %j', async (body, path) => {
  const answer = await create(body);
  expect(answer.status).toBe(400);
  expect(Object.keys(answer.json.errors)).toEqual([path]);
});

it('stores additional data unchanged', async () => {
  const { json } = await create(undefined, {
    raw: '{"additionalData": {"big":12345678901234567890.10,"n":null,"t":"ü\\u0041","z":"\\u0000","e":1e999999}}',
  });
  const [user] = await service.sql`select additional_data::text as data from users where id = ${json.id}`;
  expect(user!.data).toBe('{"big":12345678901234567890.10,"n":null,"t":"üA","z":"\\u0000","e":1e999999}');
});

it('refuses an e-mail address that PostgreSQL cannot store', async () => {
  const refused = await create({ email: 'a\u0000@b' });
  expect([refused.status, refused.json.errors]).toEqual([400, { Email: ['Invalid email address'] }]);
});
