/** Confirmations: a code for one act of a verified user, bound to what the person agreed to. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyTerm, confirmationCalls, pathOf as path, payment, terms, type Pending } from '../harness/confirmations.ts';
import { newPhone, startService, wrongCode, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const { cancel, check, create, eventsOf, pending, read, resend, stateOf, unlink } = confirmationCalls(() => service);

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('create', () => {
  it('answers 201 with the id and its Location, and sends a text that names the terms', async () => {
    const phone = newPhone();
    const id = await service.verifiedUser(phone);
    const answer = await create(id);
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      confirmationId: expect.stringMatching(uuid),
      codeLength: 6,
      expiresInSeconds: 300,
    });
    expect(answer.headers.get('location')).toBe(path(id, answer.json.confirmationId));
    const [message] = await service.messages(phone);
    expect(message).toMatchObject({ purpose: 'payment', code: expect.stringMatching(/^\d{6}$/) });
    expect(message!.text).toContain('24.90 EUR');
    expect(message!.text).toContain('Corner Shop');
    expect(message!.text).toContain(message!.code);
    expect((await read(id, answer.json.confirmationId)).json).toEqual({
      confirmationId: answer.json.confirmationId,
      purpose: 'payment',
      state: 'pending',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      expiresAt: expect.stringMatching(/Z$/),
      approvedAt: null,
    });
  });

  it('numbers its code after those of verification, and writes an event', async () => {
    const { id, confirmationId } = await pending();
    expect((await eventsOf(id, 'phone.code_sent')).map(({ data }) => data)).toEqual([
      expect.objectContaining({ codeNumber: 1, for: 'verification' }),
      expect.objectContaining({ codeNumber: 2, for: 'confirmation', confirmationId, outcome: 'accepted' }),
    ]);
  });

  it('goes only to a verified phone of a known user', async () => {
    const id = await service.createUser();
    const unverified = await create(id);
    expect([unverified.status, unverified.headers.get('error-reason')]).toEqual([400, 'phone-not-verified']);
    expect(unverified.json.errors).toEqual({ Error: ['Phone number not verified.'] });
    const unknown = await create(2_000_000_001);
    expect([unknown.status, unknown.headers.get('error-reason')]).toEqual([404, 'unknown-user']);
  });

  it.each([
    [{}, 'Purpose'],
    [{ purpose: '' }, 'Purpose'],
    [{ purpose: 'Payment' }, 'Purpose'],
    [{ purpose: 'a'.repeat(65) }, 'Purpose'],
    [{ purpose: 'pay ment' }, 'Purpose'],
    [{ purpose: 'payment', amount: '1' }, 'Currency'],
    [{ purpose: 'payment', currency: 'EUR' }, 'Amount'],
    [{ purpose: 'payment', amount: '-1', currency: 'EUR' }, 'Amount'],
    [{ purpose: 'payment', amount: '1e3', currency: 'EUR' }, 'Amount'],
    [{ purpose: 'payment', amount: '1.1234567', currency: 'EUR' }, 'Amount'],
    [{ purpose: 'payment', amount: '1', currency: 'EURO' }, 'Currency'],
    [{ purpose: 'payment', payee: 'x'.repeat(141) }, 'Payee'],
    [{ purpose: 'payment', payee: 'Corner\nShop' }, 'Payee'],
    [{ purpose: 'payment', payee: '\n' }, 'Payee'],
    [{ purpose: 'payment', payee: ' \u2029 ' }, 'Payee'],
    [{ purpose: 'payment', payee: 'Corner\u0007Shop' }, 'Payee'],
    [{ purpose: 'payment', payee: 'Corner\u2028Shop' }, 'Payee'],
    [{ purpose: 'payment', payee: 'Corner\u202EpohS' }, 'Payee'],
    [{ purpose: 'payment', payee: 'Corner\u2066Shop' }, 'Payee'],
    [{ purpose: 'payment', payee: 'Corner\u0000Shop' }, 'Payee'],
  ])('refuses %j under %s', async (body, field) => {
    const id = await service.createUser();
    const answer = await create(id, body);
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([400, [field]]);
  });

  it('takes a payee of 140 characters after trimming, and an empty one as none', async () => {
    const id = await service.verifiedUser();
    expect((await create(id, { ...payment, payee: `  ${'x'.repeat(140)}  ` })).status).toBe(201);
    expect((await create(id, { ...payment, payee: '' })).status).toBe(201);
    expect((await create(id, { ...payment, payee: '  ' })).status).toBe(201);
    expect((await create(id, { purpose: 'login' })).status).toBe(201);
  });

  it('says in the text of change-phone that the number is to be changed', async () => {
    const { phone } = await pending({ purpose: 'change-phone' });
    const [message] = await service.messages(phone);
    expect(message!.text).toMatch(/phone number is to be changed/);
    expect(message!.purpose).toBe('change-phone');
  });
});

describe('resend-code', () => {
  it('sends the same code with the same terms, and does not prolong it', async () => {
    const { id, phone, confirmationId, code } = await pending({ ...payment, locale: 'de' });
    const before = (await read(id, confirmationId)).json;
    const answer = await resend(id, confirmationId);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('code-length')).toBe('6');
    const [last, first] = await service.messages(phone);
    expect(last!.text).toBe(first!.text);
    expect(last!.code).toBe(code);
    expect((await read(id, confirmationId)).json).toEqual(before);
    expect((await eventsOf(id, 'phone.code_sent')).map(({ data }) => data.codeNumber)).toEqual([1, 2, 2]);
    expect((await check(id, confirmationId, { code, ...terms })).status).toBe(200);
  });

  it('has nothing to resend when it is no longer pending', async () => {
    const approved = await pending();
    await check(approved.id, approved.confirmationId, { code: approved.code, ...terms });
    const voided = await pending();
    await cancel(voided.id, voided.confirmationId);
    const unlinked = await pending();
    await unlink(unlinked.id);
    for (const { id, confirmationId } of [approved, voided, unlinked]) {
      const answer = await resend(id, confirmationId);
      expect([answer.status, answer.headers.get('error-reason')]).toEqual([400, 'nothing-to-resend']);
    }
  });
});

describe('read, resend and delete', () => {
  it('answer 404 for an unknown confirmation or user', async () => {
    const { id, confirmationId } = await pending();
    const other = await service.verifiedUser();
    for (const [user, named, reason] of [
      [id, crypto.randomUUID(), 'not-found'],
      [id, 'nothing', 'not-found'],
      [other, confirmationId, 'not-found'],
      [2_000_000_003, confirmationId, 'unknown-user'],
    ] as const) {
      for (const [method, action] of [['GET'], ['DELETE'], ['POST', 'resend-code']] as const) {
        const answer = await service.call(path(user, named, action), undefined, { method });
        expect([method, answer.status]).toEqual([method, 404]);
        if (named !== 'nothing') expect(answer.headers.get('error-reason')).toBe(reason);
      }
    }
    expect(await stateOf(id, confirmationId)).toBe('pending');
  });

  it('match the path in any case', async () => {
    const { id, confirmationId } = await pending();
    const answer = await service.call(`/user/${id}/Confirmations/${confirmationId.toUpperCase()}/`, undefined, {
      method: 'GET',
    });
    expect(answer.json.confirmationId).toBe(confirmationId);
  });
});

describe('delete', () => {
  it('voids a pending one, and leaves an approved one as it is', async () => {
    const { id, confirmationId, code } = await pending();
    const remove = () => cancel(id, confirmationId);
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 204]);
    expect(await stateOf(id, confirmationId)).toBe('void');
    expect((await check(id, confirmationId, { code, ...terms })).status).toBe(400);
    const other = await pending();
    await check(other.id, other.confirmationId, { code: other.code, ...terms });
    await cancel(other.id, other.confirmationId);
    expect(await stateOf(other.id, other.confirmationId)).toBe('approved');
  });
});

describe('Idempotency-Key', () => {
  it('repeats a 201 with its body, and refuses a different request', async () => {
    const phone = newPhone();
    const id = await service.verifiedUser(phone);
    const key = { 'idempotency-key': 'pay-1' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(id, payment, key)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const later = await create(id, payment, key);
    expect([later.status, later.text, later.headers.get('location')]).toEqual([
      201,
      answers[0]!.text,
      answers[0]!.headers.get('location'),
    ]);
    expect(await service.messages(phone)).toHaveLength(2);
    const other = await create(id, { ...payment, amount: '24.91' }, key);
    expect([other.status, other.headers.get('error-reason')]).toEqual([400, 'idempotency-conflict']);
  });
});

describe('what is stored', () => {
  it('has the terms sealed while it is pending, and no longer when it has ended', async () => {
    const ends: [string, (of: Pending) => Promise<unknown>][] = [
      ['approved', ({ id, confirmationId, code }) => check(id, confirmationId, { code, ...terms })],
      ['void', ({ id, confirmationId, code }) => check(id, confirmationId, { code, ...terms, amount: 1 })],
      ['void', ({ id }) => unlink(id)],
      ['void', ({ id, confirmationId }) => cancel(id, confirmationId)],
      [
        'failed',
        async ({ id, confirmationId, code }) => {
          for (let count = 0; count < 5; count += 1)
            await check(id, confirmationId, { code: wrongCode(code), ...terms });
        },
      ],
    ];
    for (const [state, end] of ends) {
      const one = await pending();
      const stored = async () => (await service.sql`select * from confirmations where user_id = ${one.id}`)[0]!;
      const before = await stored();
      expect(before.sealed_terms.length).toBeGreaterThan(20);
      expect(JSON.stringify(before)).not.toContain('Corner');
      await end(one);
      expect(await stored()).toMatchObject({ state, sealed_terms: null, code_digest: null });
      expect((await stored()).terms_digest).toEqual(before.terms_digest);
    }
  });

  it('is shown to its subject without the terms', async () => {
    const { id, confirmationId } = await pending();
    const { json, text } = await service.call(`/User/${id}/data`, undefined, { method: 'GET' });
    expect(json.confirmations).toEqual([
      expect.objectContaining({ confirmationId, purpose: 'payment', state: 'pending', codeNumber: 2 }),
    ]);
    expect(text).not.toMatch(anyTerm);
  });

  it('is erased with its user', async () => {
    const { id, confirmationId, code } = await pending();
    await service.call(`/User/${id}`, undefined, { method: 'DELETE' });
    expect(await service.sql`select * from confirmations where user_id = ${id}`).toHaveLength(0);
    expect((await read(id, confirmationId)).status).toBe(404);
    expect((await check(id, confirmationId, { code, ...terms })).status).toBe(400);
    expect((await create(id)).status).toBe(404);
  });
});
