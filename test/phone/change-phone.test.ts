/** Change of number: the old number stays verified until one statement swaps the link. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeCalls, changePath } from '../harness/change-phone.ts';
import { newPhone, refusal, serviceForTest, startService, wrongCode, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const { change, resend, verify, giveUp, phoneOf, linksOf, eventsOf, codesTo } = changeCalls(() => service);

describe('a change', () => {
  it('keeps the old number until the new one is verified, then frees it, tells it, and writes one event', async () => {
    const [old, next] = [newPhone(), newPhone()];
    const id = await service.verifiedUser(old);
    const asked = await change(id, next);
    expect([asked.status, asked.text]).toEqual([204, '']);
    expect(asked.headers.get('code-length')).toBe('6');
    expect(asked.headers.get('code-expires-in')).toBe('600');
    expect(await phoneOf(id)).toBe(old);
    const answer = await verify(id, await service.lastCode(next));
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await phoneOf(id)).toBe(next);
    expect(await linksOf(id)).toEqual([next]);
    // Somebody else can have the old number now.
    expect(await service.verifiedUser(old)).not.toBe(id);
    await until(async () => (await eventsOf(id)).some(({ type }) => type === 'phone.changed'));
    const events = await eventsOf(id);
    expect(events.map(({ type }) => type)).toEqual([
      'phone.code_sent',
      'phone.verified',
      'phone.code_sent',
      'phone.changed',
    ]);
    expect(events.map(({ data }) => data.for ?? null)).toEqual(['verification', null, 'change', null]);
    expect(events.map(({ data }) => data.codeNumber ?? null)).toEqual([1, null, 2, null]);
    expect(Object.keys(events[3]!.data).sort()).toEqual(['country', 'previousCountry', 'userId']);
    await until(async () => (await service.messages(old)).some(({ purpose }) => purpose === 'notice'));
    const notice = (await service.messages(old)).find(({ purpose }) => purpose === 'notice')!;
    expect(notice.code).toBeNull();
    expect(notice.text).not.toContain(next.slice(-4));
    expect((await service.messages(next))[0]!.purpose).toBe('change');
  });

  it('is in the trail and in the data of the user, and is erased with the user', async () => {
    const [old, next] = [newPhone(), newPhone()];
    const id = await service.verifiedUser(old);
    await change(id, next);
    const open = (await service.call(`/User/${id}/data`, undefined, { method: 'GET' })).json;
    expect(open.phone.changeCode).toMatchObject({ codeNumber: 2, phoneNumber: next });
    expect(open.changes).toEqual([]);
    await verify(id, await service.lastCode(next));
    const { changes, phone } = (await service.call(`/User/${id}/data`, undefined, { method: 'GET' })).json;
    const mask = (number: string) => `${number.slice(0, 3)}…${number.slice(-2)}`;
    expect(changes).toEqual([
      {
        askedAt: expect.any(String),
        changedAt: expect.any(String),
        previousPhoneNumber: mask(old),
        phoneNumber: mask(next),
      },
    ]);
    expect(phone).toMatchObject({ verified: next, linked: [next], changeCode: null });
    const trail = await service.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' });
    expect(trail.json.events.map(({ kind }: { kind: string }) => kind)).toContain('phone-changed');
    expect((await service.call(`/User/${id}`, undefined, { method: 'DELETE' })).status).toBe(204);
    expect(await service.sql`select from phone_changes where user_id = ${id}`).toHaveLength(0);
    expect(await linksOf(id)).toEqual([]);
    expect((await change(id, next)).status).toBe(404);
    expect((await verify(id, '123456')).json).toMatchObject(refusal(400, 'Bad Request', 'Invalid code.'));
  });

  it('is refused to an unknown user, and to one who has verified no number', async () => {
    expect((await change(2_147_483_640, newPhone())).status).toBe(404);
    expect((await change('abc', newPhone())).status).toBe(404);
    expect((await resend(2_147_483_640)).status).toBe(404);
    expect((await giveUp(2_147_483_640)).status).toBe(404);
    const answer = await change(await service.createUser(), newPhone());
    expect(answer.json).toEqual(refusal(400, 'Bad Request', 'Phone number not verified.'));
    expect(answer.headers.get('error-reason')).toBe('phone-not-verified');
    const bad = await change(await service.verifiedUser(), '07911');
    expect([bad.status, Object.keys(bad.json.errors as object)]).toEqual([400, ['PhoneNumber']]);
  });

  it('to the number that is linked already sends nothing', async () => {
    const phone = newPhone();
    const id = await service.verifiedUser(phone);
    const answer = await change(id, phone);
    expect([answer.status, answer.headers.get('code-length')]).toEqual([204, null]);
    expect(await service.messages(phone)).toHaveLength(1);
    expect((await verify(id, '123456')).status).toBe(400);
  });

  it('to a number of another user is refused, and draws on the budget', async () => {
    const own = await serviceForTest({ LEDGERLINE_LIMITS: 'user-sends=3/10m' });
    const taken = newPhone();
    await own.verifiedUser(taken);
    const id = await own.verifiedUser();
    const answer = await change(id, taken, own);
    expect(answer.json).toEqual(refusal(400, 'Bad Request', 'Phone already registered'));
    expect((await change(id, newPhone(), own)).status).toBe(204);
    const limited = await change(id, newPhone(), own);
    expect([limited.status, limited.headers.get('error-reason')]).toEqual([429, 'too-many-sends']);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('replaces the one before, also to another number', async () => {
    const [old, first, second] = [newPhone(), newPhone(), newPhone()];
    const id = await service.verifiedUser(old);
    await change(id, first);
    await change(id, second);
    expect((await verify(id, await service.lastCode(first))).status).toBe(400);
    expect((await verify(id, await service.lastCode(second))).status).toBe(200);
    expect(await linksOf(id)).toEqual([second]);
    // Its code is used.
    expect((await verify(id, await service.lastCode(second))).status).toBe(400);
  });

  it('can be cancelled, also when there is none', async () => {
    const next = newPhone();
    const id = await service.verifiedUser();
    expect((await giveUp(id)).status).toBe(204);
    await change(id, next);
    const answer = await giveUp(id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await verify(id, await service.lastCode(next))).status).toBe(400);
    const nothing = await resend(id);
    expect([nothing.status, nothing.headers.get('error-reason')]).toEqual([400, 'nothing-to-resend']);
    expect(nothing.json.errors).toEqual({ Error: ['No change of number is pending.'] });
  });

  it('ends when the number is unlinked', async () => {
    const next = newPhone();
    const id = await service.verifiedUser();
    await change(id, next);
    await service.call(`/User/${id}/phone-number`, undefined, { method: 'DELETE' });
    expect((await verify(id, await service.lastCode(next))).status).toBe(400);
    expect((await resend(id)).status).toBe(400);
    expect(await linksOf(id)).toEqual([]);
  });

  it('can send its code again, the same one while it is valid, and ends an hour after it was requested', async () => {
    const own = await serviceForTest();
    const next = newPhone();
    const id = await own.verifiedUser();
    expect((await resend(id, own)).headers.get('error-reason')).toBe('nothing-to-resend');
    await change(id, next, own);
    const advance = (seconds: number) => own.call('/sandbox/clock', { advanceSeconds: seconds });
    await advance(300);
    expect((await resend(id, own)).status).toBe(204);
    const [again, first] = await codesTo(next, own);
    expect(again).toBe(first);
    // The code has expired, the change has not.
    await advance(1500);
    expect((await verify(id, first, own)).status).toBe(400);
    expect((await resend(id, own)).headers.get('code-expires-in')).toBe('600');
    await advance(1500);
    const last = await resend(id, own);
    expect(last.status).toBe(204);
    // Five minutes are left of the hour.
    expect(Number(last.headers.get('code-expires-in'))).toBeLessThanOrEqual(300);
    const code = (await codesTo(next, own))[0]!;
    await advance(301);
    expect((await verify(id, code, own)).status).toBe(400);
    expect((await resend(id, own)).headers.get('error-reason')).toBe('nothing-to-resend');
  });

  it('answers a repeated Idempotency-Key with the first answer', async () => {
    const next = newPhone();
    const id = await service.verifiedUser();
    const ask = (phoneNumber: string) =>
      service.call(changePath(id), { phoneNumber }, { headers: { 'idempotency-key': `change-${id}` } });
    expect((await ask(next)).status).toBe(204);
    expect((await ask(next)).headers.get('code-length')).toBe('6');
    expect(await service.messages(next)).toHaveLength(1);
    expect((await ask(newPhone())).headers.get('error-reason')).toBe('idempotency-conflict');
  });

  it('sends no notice to the old number if that is switched off', async () => {
    const own = await serviceForTest({ LEDGERLINE_CHANGE_NOTICE: 'false' });
    const [old, next] = [newPhone(), newPhone()];
    const id = await own.verifiedUser(old);
    await change(id, next, own);
    expect((await verify(id, await own.lastCode(next), own)).status).toBe(200);
    await own.stop();
    expect(own.logLines.join('')).not.toContain('change-notice');
  });

  it('needs the scope phone, and a bound token names its own user', async () => {
    const id = await service.verifiedUser();
    const other = await service.token('users');
    expect((await service.call(changePath(id), { phoneNumber: newPhone() }, { token: other })).status).toBe(403);
    const bound = await service.token('phone', await service.createUser());
    const answer = await service.call(changePath(id), { phoneNumber: newPhone() }, { token: bound });
    expect(answer.headers.get('error-reason')).toBe('not-this-user');
  });
});

describe('the codes of a change and of a verification', () => {
  it('are never accepted for one another', async () => {
    const [old, next] = [newPhone(), newPhone()];
    const id = await service.verifiedUser(old);
    await change(id, next);
    const code = await service.lastCode(next);
    expect((await service.verify(id, code)).status).toBe(400);
    const fresh = await service.createUser();
    const phone = newPhone();
    await service.sendCode(fresh, phone);
    expect((await verify(fresh, await service.lastCode(phone))).status).toBe(400);
    expect((await verify(id, code)).status).toBe(200);
  });

  it('have failure windows of their own: a blocked change blocks no verification, and the other way round', async () => {
    const own = await serviceForTest();
    const next = newPhone();
    const id = await own.verifiedUser();
    await change(id, next, own);
    const code = await own.lastCode(next);
    for (let failure = 0; failure < 10; failure += 1) {
      const answer = await verify(id, wrongCode(code), own);
      expect(answer.json).toEqual(refusal(400, 'Bad Request', 'Invalid code.'));
    }
    const blocked = await verify(id, code, own);
    expect([blocked.status, blocked.headers.get('error-reason')]).toEqual([429, 'too-many-failures']);
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect((await own.verify(id, '000000')).status).toBe(400);
    await until(async () => (await eventsOf(id, own)).some(({ type }) => type === 'phone.verification_blocked'));
    // An operator lifts both.
    const listed = await own.call('/operator/guard/blocks', undefined, { method: 'GET' });
    expect(listed.json.blocks).toMatchObject([{ id: `user:${id}`, rule: 'user-failures' }]);
    expect((await own.call('/operator/guard/lift', { userId: id })).status).toBe(200);
    expect((await verify(id, '000000', own)).status).toBe(400);

    const other = await own.verifiedUser();
    for (let failure = 0; failure < 10; failure += 1) await own.verify(other, '000000');
    expect((await own.verify(other, '000000')).status).toBe(429);
    const phone = newPhone();
    await change(other, phone, own);
    expect((await verify(other, await own.lastCode(phone), own)).status).toBe(200);
  });

  it('a code of a change has five attempts, and an unknown id fails like a known one', async () => {
    const next = newPhone();
    const id = await service.verifiedUser();
    await change(id, next);
    const code = await service.lastCode(next);
    for (let attempt = 0; attempt < 5; attempt += 1) await verify(id, wrongCode(code));
    expect((await verify(id, code)).status).toBe(400);
    const missing = await verify(id, ' ');
    expect(missing.json.errors).toEqual({ Code: ['The Code field is required.'] });
    for (let failure = 0; failure < 10; failure += 1) {
      expect((await verify(2_147_483_639, '123456')).status).toBe(400);
    }
    expect((await verify(2_147_483_639, '123456')).status).toBe(429);
  });
});
