import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  invalidField,
  newPhone,
  refusal,
  serviceForTest,
  startService,
  wrongCode,
  type Service,
} from '../harness/service.ts';
import { sized } from '../harness/size.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const invalidCode = refusal(400, 'Bad Request', 'Invalid code.');

async function sent(to: Service = service) {
  const id = await to.createUser();
  const phone = newPhone();
  await to.sendCode(id, phone);
  return { id, phone, code: await to.lastCode(phone) };
}

async function statuses(calls: Promise<{ status: number }>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(calls)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('verify', () => {
  it('answers 200 with no body, and the phone number of the user becomes verified', async () => {
    const { id, phone, code } = await sent();
    const answer = await service.verify(id, code);
    expect([answer.status, answer.text]).toEqual([200, '']);
    const status = await service.call(`/User/${id}/status`, undefined, { method: 'GET' });
    expect(status.json).toMatchObject({ isPhoneNumberVerified: true, phoneNumber: phone });
  });

  it.each([{}, { code: null }, { code: '' }, { code: '   ' }, { code: '\t\n' }])(
    'answers 400 for a missing or empty code: %j',
    async (members) => {
      const answer = await service.call('/User/phone-number/verify', { id: 1, ...members });
      expect(answer.status).toBe(400);
      expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(answer.json).toEqual(invalidField('Code', 'The Code field is required.'));
      expect(Object.keys(answer.json)).toEqual(['type', 'title', 'status', 'traceId', 'errors']);
    },
  );

  it('answers 400 for an incorrect code', async () => {
    const { id, code } = await sent();
    const answer = await service.verify(id, wrongCode(code));
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual(invalidCode);
    expect(Object.keys(answer.json)).toEqual(['type', 'title', 'status', 'traceId', 'errors']);
  });

  it('answers the same for an expired code', async () => {
    const own = await serviceForTest();
    const { id, code } = await sent(own);
    await own.advance(601);
    expect((await own.verify(id, code)).json).toEqual(invalidCode);
  });

  it('accepts a code shortly before it expires', async () => {
    const own = await serviceForTest();
    const { id, code } = await sent(own);
    await own.advance(590);
    expect((await own.verify(id, code)).status).toBe(200);
  });

  it('answers the same for a used code; the user stays verified', async () => {
    const { id, code } = await sent();
    await service.verify(id, code);
    expect((await service.verify(id, code)).json).toEqual(invalidCode);
    expect((await service.call(`/User/${id}/status`, undefined, { method: 'GET' })).json.isPhoneNumberVerified).toBe(
      true,
    );
  });

  it('answers the same when no code was ever issued, and for an unknown id', async () => {
    expect((await service.verify(await service.createUser(), '123456')).json).toEqual(invalidCode);
    expect((await service.verify(1_999_999_999, '123456')).json).toEqual(invalidCode);
  });

  it('ends the code with the fifth wrong attempt', async () => {
    const { id, code } = await sent();
    for (let attempt = 0; attempt < 5; attempt += 1) await service.verify(id, wrongCode(code));
    expect((await service.verify(id, code)).json).toEqual(invalidCode);
  });

  it('accepts the right code at the fifth attempt', async () => {
    const { id, code } = await sent();
    for (let attempt = 0; attempt < 4; attempt += 1) await service.verify(id, wrongCode(code));
    expect((await service.verify(id, code)).status).toBe(200);
  });

  it('ignores correlationType, whatever its value', async () => {
    const { id, code } = await sent();
    const answer = await service.call('/User/phone-number/verify', { id, code, correlationType: { any: 'thing' } });
    expect(answer.status).toBe(200);
  });

  it('requires the code as a string', async () => {
    const answer = await service.call('/User/phone-number/verify', { id: 1, code: 123456 });
    expect(answer.json.errors['$.code'][0]).toMatch(/^The JSON value could not be converted to System\.String\./);
  });
});

describe('under races', () => {
  it('answers exactly one of 200 parallel correct verifies with 200', async () => {
    const { id, code } = await sent();
    const counts = await statuses(Array.from({ length: 200 }, () => service.verify(id, code)));
    // The ten that follow the success are failures; the tenth failure blocks the others.
    expect(counts).toEqual({ 200: 1, 400: 10, 429: 189 });
  });

  it('does not block while attempts in flight may still succeed', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id, code } = await sent();
      const counts = await statuses(Array.from({ length: 11 }, () => service.verify(id, code)));
      expect(counts).toEqual({ 200: 1, 400: 10 });
    }
  });

  it('answers exactly ten of 200 parallel wrong verifies with 400 and counts 5 on the code', async () => {
    const { id, code } = await sent();
    const counts = await statuses(Array.from({ length: 200 }, () => service.verify(id, wrongCode(code))));
    expect(counts).toEqual({ 400: 10, 429: 190 });
    const [row] =
      await service.sql`select (latest_code).attempts, cardinality(failures) as failures from verifications where user_id = ${id}`;
    expect(row).toEqual({ attempts: 5, failures: 10 });
  });

  it('links a number to exactly one of two users who race for it, again and again', async () => {
    for (let round = 0; round < sized(40, 100); round += 1) {
      const phone = newPhone();
      const users = await Promise.all([service.createUser(), service.createUser()]);
      const codes: string[] = [];
      for (const id of users) {
        await service.sendCode(id, phone);
        codes.push(await service.lastCode(phone));
      }
      const counts = await statuses(users.map((id, index) => service.verify(id, codes[index]!)));
      expect(counts).toEqual({ 200: 1, 400: 1 });
      const holders = await service.sql`select user_id from verifications where verified_phone = ${phone}`;
      const links = await service.sql`select user_id from phone_links where phone = ${phone}`;
      expect(holders).toHaveLength(1);
      expect(links).toEqual(holders);
    }
  });

  it('parallel sends and verifies never answer 5xx and never verify twice', async () => {
    const { id, phone, code } = await sent();
    const calls = Array.from({ length: 60 }, (_, index) =>
      index % 2 ? service.verify(id, code) : service.sendCode(id, phone),
    );
    const counts = await statuses(calls);
    // A code that a send supersedes first makes every verify a failure. Ten failures block the next attempts.
    const { 200: verified = 0, ...others } = counts;
    expect(verified).toBeLessThanOrEqual(1);
    expect(others).toEqual({ 204: 30, 400: 10, 429: 20 - verified });
    const status = await service.call(`/User/${id}/status`, undefined, { method: 'GET' });
    expect(status.json.isPhoneNumberVerified).toBe(verified === 1);
  });
});

describe('the block after failures', () => {
  it('starts with the tenth failure in an hour, which is still a 400, and ends after an hour', async () => {
    const own = await serviceForTest();
    const { id, phone } = await sent(own);
    const answers = [];
    for (let attempt = 0; attempt < 12; attempt += 1) answers.push((await own.verify(id, 'nope')).status);
    expect(answers).toEqual([...Array(10).fill(400), 429, 429]);
    const refused = await own.verify(id, 'nope');
    expect(refused.json).toEqual(refusal(429, 'Too Many Requests', 'Too many failed attempts. Try again later.'));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3590);
    // A right code does not help while the block lasts.
    await own.sendCode(id, phone);
    expect((await own.verify(id, await own.lastCode(phone))).status).toBe(429);
    await own.advance(3601);
    await own.sendCode(id, phone);
    expect((await own.verify(id, await own.lastCode(phone))).status).toBe(200);
  });

  it('lasts an hour from the tenth failure, not from the first', async () => {
    const own = await serviceForTest();
    const id = await own.createUser();
    for (let attempt = 0; attempt < 9; attempt += 1) await own.verify(id, 'nope');
    await own.advance(3000);
    expect((await own.verify(id, 'nope')).status).toBe(400);
    await own.advance(3500);
    expect((await own.verify(id, 'nope')).status).toBe(429);
    await own.advance(101);
    expect((await own.verify(id, 'nope')).status).toBe(400);
  });

  it('does not start if the failures are spread over more than an hour', async () => {
    const own = await serviceForTest();
    const id = await own.createUser();
    for (let attempt = 0; attempt < 9; attempt += 1) await own.verify(id, 'nope');
    await own.advance(3601);
    for (let attempt = 0; attempt < 9; attempt += 1) expect((await own.verify(id, 'nope')).status).toBe(400);
  });

  it('counts failures of unknown ids too', async () => {
    const id = 1_888_888_888;
    for (let attempt = 0; attempt < 10; attempt += 1) expect((await service.verify(id, 'nope')).status).toBe(400);
    expect((await service.verify(id, 'nope')).status).toBe(429);
  });

  it('does not count a success, and does not affect other users', async () => {
    const { id, code } = await sent();
    const other = await sent();
    for (let attempt = 0; attempt < 4; attempt += 1) await service.verify(id, 'nope');
    expect((await service.verify(id, code)).status).toBe(200);
    const [row] =
      await service.sql`select cardinality(failures) as failures, blocked_until from verifications where user_id = ${id}`;
    expect(row).toEqual({ failures: 4, blocked_until: null });
    expect((await service.verify(other.id, other.code)).status).toBe(200);
  });

  it('is not lifted by a new code', async () => {
    const { id, phone } = await sent();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      if (attempt % 3 === 0) await service.sendCode(id, phone);
      await service.verify(id, 'nope');
    }
    await service.sendCode(id, phone);
    expect((await service.verify(id, await service.lastCode(phone))).status).toBe(429);
  });

  it('lasts a day after 20 failures in a day, if configured', async () => {
    const own = await serviceForTest({ LEDGERLINE_LIMITS: 'user-failures=10/1h/1h,20/1d/1d' });
    const id = await own.createUser();
    const attempts = async (count: number) => {
      for (let attempt = 0; attempt < count; attempt += 1) expect((await own.verify(id, 'nope')).status).toBe(400);
    };
    await attempts(10);
    await own.advance(3601);
    await attempts(10);
    const refused = await own.verify(id, 'nope');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
    await own.advance(86_401);
    own.forgetTokens();
    await attempts(1);
  });
});
