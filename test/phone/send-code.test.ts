import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  invalidField,
  newPhone,
  refusal,
  serviceForTest,
  startService,
  wrongCode,
  type Answer,
  type Service,
} from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const send = (body: unknown) => service.call('/User/phone-number/send-code', body);

/** How long the code is, and for how many seconds it can be used. */
const codeHeaders = ({ headers }: Answer) => [headers.get('code-length'), headers.get('code-expires-in')];

describe('send-code', () => {
  it('says in the headers of the 204 how long the code is and for how long it can be used', async () => {
    const other = await serviceForTest({ LEDGERLINE_CODE_DIGITS: '8', LEDGERLINE_CODE_SECONDS: '120' });
    const id = await other.createUser();
    expect(codeHeaders(await other.sendCode(id, newPhone()))).toEqual(['8', '120']);
    expect(codeHeaders(await other.call(`/User/${id}/phone-number/resend-code`))).toEqual(['8', '120']);
  });

  it('gives the same headers again for a repeated Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'headers' };
    const repeat = (id: number, phoneNumber: string) =>
      service.call('/User/phone-number/send-code', { id, phoneNumber }, { headers });
    const [id, phone] = [await service.createUser(), newPhone()];
    await repeat(id, phone);
    expect(codeHeaders(await repeat(id, phone))).toEqual(['6', '600']);
    const verified = await service.verifiedUser();
    await repeat(verified, phone);
    expect(codeHeaders(await repeat(verified, phone))).toEqual([null, null]);
  });

  it('answers 204 with no body when the SMS is dispatched', async () => {
    const id = await service.createUser();
    const phone = newPhone();
    const answer = await service.sendCode(id, phone);
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect(codeHeaders(answer)).toEqual(['6', '600']);
    const [message] = await service.messages(phone);
    expect(message).toEqual({
      phoneNumber: phone,
      code: expect.stringMatching(/^\d{6}$/),
      purpose: 'verification',
      channel: 'sms',
      text: expect.stringContaining(message!.code),
      sentAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
  });

  it('is idempotent for a verified user: 204 and nothing sent, whatever the number', async () => {
    const id = await service.verifiedUser();
    const other = newPhone();
    const answer = await service.sendCode(id, other);
    expect([answer.status, ...codeHeaders(answer)]).toEqual([204, null, null]);
    expect(await service.messages(other)).toEqual([]);
  });

  it('answers 404 for an unknown user id', async () => {
    const answer = await service.sendCode(2_147_483_647, newPhone());
    expect(answer.status).toBe(404);
    expect(answer.json).toEqual(refusal(404, 'Not Found', 'Unknown user.'));
  });

  it('answers 400 when the phone is linked to another user', async () => {
    const phone = newPhone();
    await service.verifiedUser(phone);
    const id = await service.createUser();
    const answer = await service.sendCode(id, phone);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual(refusal(400, 'Bad Request', 'Phone already registered'));
    expect(await service.messages(phone)).toHaveLength(1);
  });

  it.each([
    '07911123456',
    '+0123456789',
    '+123456',
    '+1234567890123456',
    '+44 7911 123456',
    '447911123456',
    '+44791112345x',
    '+４４7911123456',
    'x',
  ])('answers 400 for %j, whose format is invalid', async (phoneNumber) => {
    const answer = await send({ id: await service.createUser(), phoneNumber });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual(invalidField('PhoneNumber', 'The PhoneNumber field is not a valid phone number.'));
  });

  it.each(['+1234567', '+123456789012345', '+999123456789'])(
    'takes %s, which fits the pattern',
    async (phoneNumber) => {
      expect((await send({ id: await service.createUser(), phoneNumber })).status).toBe(204);
      expect(await service.messages(phoneNumber)).toHaveLength(1);
    },
  );

  it('recognises every spelling of a number', async () => {
    const local = newPhone();
    const withTrunkZero = local.replace('+44', '+440');
    const id = await service.verifiedUser(withTrunkZero);
    expect((await service.call(`/User/${id}/status`, undefined, { method: 'GET' })).json.phoneNumber).toBe(local);
    expect((await service.sendCode(await service.createUser(), local)).status).toBe(400);
  });

  it.each([
    [{ phoneNumber: '+447911123456' }, 'Id'],
    [{ id: null, phoneNumber: '+447911123456' }, 'Id'],
    [{ id: 1 }, 'PhoneNumber'],
    [{ id: 1, phoneNumber: ' ' }, 'PhoneNumber'],
  ])('requires the fields: %j', async (body, field) => {
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual(invalidField(field, `The ${field} field is required.`));
  });

  it.each([0, -1, 2_147_483_648])('answers 400 for the id %d, out of range', async (id) => {
    const answer = await send({ id, phoneNumber: '+447911123456' });
    expect(answer.json).toEqual(invalidField('Id', 'The field Id must be between 1 and 2147483647.'));
  });

  it('accepts correlationType 0 and 1 only', async () => {
    const id = await service.createUser();
    for (const correlationType of [0, 1, '1', null]) {
      expect((await send({ id, phoneNumber: newPhone(), correlationType })).status).toBe(204);
    }
    const answer = await send({ id, phoneNumber: newPhone(), correlationType: 2 });
    expect(answer.json).toEqual(invalidField('CorrelationType', 'The field CorrelationType must be between 0 and 1.'));
    expect((await send({ id, phoneNumber: newPhone(), correlationType: 'x' })).status).toBe(400);
  });

  it('issues a new code each time, and only the latest one works', async () => {
    const id = await service.createUser();
    const phone = newPhone();
    await service.sendCode(id, phone);
    const first = await service.lastCode(phone);
    do await service.sendCode(id, phone);
    while ((await service.lastCode(phone)) === first);
    expect((await service.verify(id, first)).status).toBe(400);
    expect((await service.verify(id, await service.lastCode(phone))).status).toBe(200);
  });

  it('never lets a code that went to one phone verify another', async () => {
    const id = await service.createUser();
    const [old, next] = [newPhone(), newPhone()];
    await service.sendCode(id, old);
    await service.sendCode(id, next);
    const codes = [await service.lastCode(old), await service.lastCode(next)] as const;
    if (codes[0] !== codes[1]) expect((await service.verify(id, codes[0])).status).toBe(400);
    expect((await service.verify(id, codes[1])).status).toBe(200);
    const status = await service.call(`/User/${id}/status`, undefined, { method: 'GET' });
    expect(status.json).toMatchObject({ isPhoneNumberVerified: true, phoneNumber: next });
  });

  it('keeps the codes of two users for one number apart, and links it to the first who verifies', async () => {
    const phone = newPhone();
    const [a, b] = [await service.createUser(), await service.createUser()];
    await service.sendCode(a, phone);
    const codeOfA = await service.lastCode(phone);
    await service.sendCode(b, phone);
    const codeOfB = await service.lastCode(phone);
    expect((await service.verify(a, codeOfA)).status).toBe(200);
    const late = await service.verify(b, codeOfB);
    expect(late.json).toEqual(refusal(400, 'Bad Request', 'Invalid code.'));
  });
});

describe('the limit of sends', () => {
  it('lets exactly 5 of 100 parallel sends through if the limit is 5', async () => {
    const limited = await serviceForTest({ LEDGERLINE_LIMITS: 'user-sends=5/10m' });
    const id = await limited.createUser();
    const phone = newPhone();
    const answers = await Promise.all(Array.from({ length: 100 }, () => limited.sendCode(id, phone)));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(204), count(429)]).toEqual([5, 95]);
    expect(await limited.messages(phone)).toHaveLength(5);
  });

  it('says in Retry-After when one more send is possible', async () => {
    const limited = await serviceForTest({ LEDGERLINE_LIMITS: 'user-sends=2/10m,3/1d' });
    const id = await limited.createUser();
    const phone = newPhone();
    await limited.sendCode(id, phone);
    await limited.advance(100);
    await limited.sendCode(id, phone);
    const refused = await limited.sendCode(id, phone);
    expect(refused.status).toBe(429);
    expect(refused.json).toEqual(refusal(429, 'Too Many Requests', 'Too many codes were requested. Try again later.'));
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(490);
    expect(wait).toBeLessThanOrEqual(500);
    await limited.advance(wait - 10);
    expect((await limited.sendCode(id, phone)).status).toBe(429);
    await limited.advance(11);
    expect((await limited.sendCode(id, phone)).status).toBe(204);
    const day = await limited.sendCode(id, phone);
    expect(Number(day.headers.get('retry-after'))).toBeGreaterThan(80_000);
  });

  it('applies to a phone for all users, and a send refused by it does not count for the user', async () => {
    const limited = await serviceForTest({ LEDGERLINE_LIMITS: 'user-sends=2/10m; phone-sends=3/10m' });
    const phone = newPhone();
    const users = await Promise.all(Array.from({ length: 6 }, () => limited.createUser()));
    const answers = await Promise.all(users.map((id) => limited.sendCode(id, phone)));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(3);
    expect(await limited.messages(phone)).toHaveLength(3);
    const refused = users[answers.findIndex(({ status }) => status === 429)]!;
    const other = newPhone();
    expect((await limited.sendCode(refused, other)).status).toBe(204);
    expect((await limited.sendCode(refused, other)).status).toBe(204);
    expect((await limited.sendCode(refused, other)).status).toBe(429);
  });

  it('counts a number that is linked to another user, so that numbers cannot be looked up for free', async () => {
    const limited = await serviceForTest({ LEDGERLINE_LIMITS: 'user-sends=3/10m' });
    const phone = newPhone();
    await limited.verifiedUser(phone);
    const id = await limited.createUser();
    const statuses = [];
    for (let call = 0; call < 4; call += 1) statuses.push((await limited.sendCode(id, phone)).status);
    expect(statuses).toEqual([400, 400, 400, 429]);
  });

  it('is 100 in 10 minutes for a user of the sandbox, with none for a phone', async () => {
    const id = await service.createUser();
    const phone = newPhone();
    const answers = [];
    for (let call = 0; call < 101; call += 1) answers.push((await service.sendCode(id, phone)).status);
    expect(answers.filter((status) => status === 204)).toHaveLength(100);
    expect(answers.at(-1)).toBe(429);
    expect((await service.sendCode(await service.createUser(), phone)).status).toBe(204);
  });
});

describe('a code', () => {
  it('is stored only as a digest', async () => {
    const id = await service.createUser();
    const phone = newPhone();
    await service.sendCode(id, phone);
    const code = await service.lastCode(phone);
    const [stored] =
      await service.sql`select verifications::text as text, (latest_code).digest from verifications where user_id = ${id}`;
    expect(stored!.digest).toHaveLength(32);
    expect(stored!.text.replaceAll(/\\x[0-9a-f]+/g, '').replaceAll(phone, '')).not.toContain(code);
  });

  it('works after a wrong attempt', async () => {
    const id = await service.createUser();
    const phone = newPhone();
    await service.sendCode(id, phone);
    const code = await service.lastCode(phone);
    expect((await service.verify(id, wrongCode(code))).status).toBe(400);
    expect((await service.verify(id, code)).status).toBe(200);
  });
});
