/** Checks of confirmations: one success, for exactly what was agreed to. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmationCalls, pathOf as path, payment, terms } from '../harness/confirmations.ts';
import { startService, wrongCode, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const { check, create, eventsOf, pending, read, stateOf, unlink } = confirmationCalls(() => service);

describe('check', () => {
  it('approves once, for the right code and the same terms', async () => {
    const { id, confirmationId, code } = await pending();
    const answer = await check(id, confirmationId, { code, ...terms });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      confirmationId,
      purpose: 'payment',
      approvedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    const again = await check(id, confirmationId, { code, ...terms });
    expect([again.status, again.headers.get('error-reason')]).toEqual([400, 'invalid-code']);
    expect(again.json.errors).toEqual({ Error: ['Invalid code.'] });
    expect((await read(id, confirmationId)).json).toMatchObject({
      state: 'approved',
      approvedAt: answer.json.approvedAt,
    });
    expect(await eventsOf(id, 'confirmation.')).toEqual([
      { type: 'confirmation.approved', data: { userId: id, confirmationId, purpose: 'payment' } },
    ]);
  });

  it.each([
    ['the amount by value', { amount: 24.9 }],
    ['the amount with another scale', { amount: '024.900' }],
    ['the currency in another case', { currency: 'eur' }],
    ['the payee with spaces around it', { payee: '  Corner Shop ' }],
    ['the purpose', { purpose: 'payment' }],
  ])('accepts %s as the same terms', async (_, given) => {
    const { id, confirmationId, code } = await pending();
    expect((await check(id, confirmationId, { code, ...terms, ...given })).status).toBe(200);
  });

  it('accepts two spellings of one letter as the same payee', async () => {
    const { id, confirmationId, code } = await pending({ ...payment, payee: 'Cafe\u0301' });
    expect((await check(id, confirmationId, { code, ...terms, payee: 'Caf\u00e9' })).status).toBe(200);
  });

  it.each([
    ['another amount', { amount: '24.91' }],
    ['another currency', { currency: 'USD' }],
    ['another payee', { payee: 'Corner Shop 2' }],
    ['another case of the payee', { payee: 'corner shop' }],
    ['another purpose', { purpose: 'login' }],
    ['no payee', { payee: null }],
    ['no amount and currency', { amount: null, currency: null }],
    ['an amount without its currency', { currency: null }],
    ['a currency that is none', { currency: 'EURO' }],
  ])('voids it at once for %s, whatever the code', async (_, given) => {
    const { id, confirmationId, code } = await pending();
    const refused = await check(id, confirmationId, { code, ...terms, ...given });
    expect([refused.status, refused.json.errors]).toEqual([400, { Error: ['Invalid code.'] }]);
    expect(await stateOf(id, confirmationId)).toBe('void');
    expect((await check(id, confirmationId, { code, ...terms })).status).toBe(400);
    expect(await eventsOf(id, 'confirmation.')).toEqual([
      { type: 'confirmation.failed', data: { userId: id, confirmationId, purpose: 'payment', reason: 'mismatch' } },
    ]);
  });

  it('voids one without terms if a term is added', async () => {
    const { id, confirmationId, code } = await pending({ purpose: 'login' });
    expect((await check(id, confirmationId, { code, payee: 'x' })).status).toBe(400);
    expect(await stateOf(id, confirmationId)).toBe('void');
  });

  it('neither counts nor voids what is malformed', async () => {
    const { id, confirmationId, code } = await pending();
    for (const [body, field] of [
      [{ ...terms }, 'Code'],
      [{ ...terms, code: '  ' }, 'Code'],
      [{ ...terms, code: '1'.repeat(65) }, 'Code'],
      [{ ...terms, code, amount: 'x' }, 'Amount'],
      [{ ...terms, code, payee: 'x'.repeat(141) }, 'Payee'],
    ] as const) {
      for (let count = 0; count < 4; count += 1) {
        const answer = await check(id, confirmationId, body);
        expect([answer.status, Object.keys(answer.json.errors)]).toEqual([400, [field]]);
      }
    }
    expect((await check(id, confirmationId, { code, ...terms })).status).toBe(200);
  });

  it('fails it with the fifth wrong code', async () => {
    const { id, confirmationId, code } = await pending();
    for (let count = 0; count < 5; count += 1) {
      expect(await stateOf(id, confirmationId)).toBe('pending');
      expect((await check(id, confirmationId, { code: wrongCode(code), ...terms })).status).toBe(400);
    }
    expect(await stateOf(id, confirmationId)).toBe('failed');
    expect((await check(id, confirmationId, { code, ...terms })).status).toBe(400);
    expect(await eventsOf(id, 'confirmation.')).toEqual([
      { type: 'confirmation.failed', data: { userId: id, confirmationId, purpose: 'payment', reason: 'attempts' } },
    ]);
  });

  it('keeps the attempts of one confirmation apart from those of another, and from the codes of verification', async () => {
    const { id, phone, confirmationId, code } = await pending();
    const second = await create(id, { ...payment, amount: '1' });
    const other = await service.lastCode(phone);
    for (let count = 0; count < 4; count += 1) await check(id, confirmationId, { code: wrongCode(code), ...terms });
    expect((await check(id, second.json.confirmationId, { code: other, ...terms, amount: 1 })).status).toBe(200);
    expect((await check(id, confirmationId, { code, ...terms })).status).toBe(200);
  });

  it('does not accept a code of verification, and verify does not accept a code of a confirmation', async () => {
    const { id, confirmationId, code } = await pending();
    await unlink(id);
    expect((await service.verify(id, code)).status).toBe(400);
    expect(await stateOf(id, confirmationId)).toBe('void');
  });

  it.each([
    ['an unknown confirmation', async () => [await service.verifiedUser(), crypto.randomUUID()] as const],
    ['an unknown user', async () => [2_000_000_002, crypto.randomUUID()] as const],
    ['what is no id', async () => [await service.verifiedUser(), 'nothing'] as const],
    ['one of another user', async () => [await service.verifiedUser(), (await pending()).confirmationId] as const],
  ])('answers "Invalid code." for %s, and blocks after ten failures', async (_, make) => {
    const [id, confirmationId] = await make();
    for (let count = 0; count < 10; count += 1) {
      const answer = await check(id, confirmationId, { code: '123456', ...terms });
      expect([answer.status, answer.json.errors]).toEqual([400, { Error: ['Invalid code.'] }]);
    }
    const blocked = await check(id, confirmationId, { code: '123456', ...terms });
    expect([blocked.status, blocked.headers.get('error-reason')]).toEqual([429, 'too-many-failures']);
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(3500);
  });

  it('changes nothing while the user is blocked, and failed checks never stop a verification', async () => {
    const { id, phone, confirmationId, code } = await pending();
    for (let count = 0; count < 10; count += 1) await check(id, crypto.randomUUID(), { code, ...terms });
    expect((await check(id, confirmationId, { code, ...terms, amount: 1 })).status).toBe(429);
    expect(await stateOf(id, confirmationId)).toBe('pending');
    await unlink(id);
    await service.sendCode(id, phone);
    expect((await service.verify(id, await service.lastCode(phone))).status).toBe(200);
  });

  it('is not stopped by failed verifications', async () => {
    const { id, confirmationId, code } = await pending();
    for (let count = 0; count < 11; count += 1) await service.verify(id, '000000');
    expect((await service.verify(id, '000000')).status).toBe(429);
    expect((await check(id, confirmationId, { code, ...terms })).status).toBe(200);
  });

  it('is refused to a user-bound token, which may do everything else', async () => {
    const { id, confirmationId, code } = await pending();
    const token = await service.token('phone', id);
    const asUser = (method: string, action = '', body?: unknown) =>
      service.call(path(id, confirmationId, action), body, { method, token });
    const refused = await asUser('POST', 'check', { code, ...terms });
    expect([refused.status, refused.headers.get('error-reason')]).toEqual([403, 'not-this-user']);
    expect(refused.text).toContain('The token is bound to a user. This needs one that is not.');
    expect((await asUser('POST', 'check', {})).status).toBe(400);
    expect((await asUser('GET')).status).toBe(200);
    expect((await asUser('POST', 'resend-code')).status).toBe(204);
    expect((await service.call(`/User/${id}/confirmations`, payment, { token })).status).toBe(201);
    expect((await asUser('DELETE')).status).toBe(204);
    const other = await service.verifiedUser();
    expect((await service.call(`/User/${other}/confirmations`, payment, { token })).status).toBe(403);
  });
});
