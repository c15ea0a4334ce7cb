/** The confirmation that a change of number may need. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeCalls, changePath } from '../harness/change-phone.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { twilioAccepts, twilioSettings } from '../harness/servers/twilio.ts';
import { newPhone, refusal, serviceForTest, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const { change, verify, phoneOf, codesTo } = changeCalls(() => service);

describe('the confirmation of a change', () => {
  const confirm = async (of: Service, id: number, purpose = 'change-phone') => {
    const phone = (await phoneOf(id, of))!;
    const created = await of.call(`/User/${id}/confirmations`, { purpose });
    expect(created.status).toBe(201);
    const { confirmationId } = created.json as { confirmationId: string };
    return {
      confirmationId,
      code: (await codesTo(phone, of))[0]!,
      check: `/User/${id}/confirmations/${confirmationId}/check`,
    };
  };
  const approved = async (of: Service, id: number, purpose = 'change-phone') => {
    const { confirmationId, code, check } = await confirm(of, id, purpose);
    expect((await of.call(check, { code })).status).toBe(200);
    return confirmationId;
  };

  it('is needed by a user-bound token always, and is good for one change', async () => {
    const id = await service.verifiedUser();
    const token = await service.token('phone', id);
    const ask = (phoneNumber: string, confirmationId?: unknown) =>
      service.call(changePath(id), { phoneNumber, confirmationId }, { token });
    const required = { ...refusal(400, 'Bad Request', 'Confirmation required.') };
    for (const given of [undefined, null, '', 'x', '018f0000-0000-7000-8000-000000000000']) {
      const answer = await ask(newPhone(), given);
      expect([answer.json, answer.headers.get('error-reason')]).toEqual([required, 'confirmation-required']);
    }
    // Also for the number that is linked already.
    expect((await ask((await phoneOf(id))!)).status).toBe(400);
    const pending = await confirm(service, id);
    expect((await ask(newPhone(), pending.confirmationId)).status).toBe(400);
    expect((await ask(newPhone(), await approved(service, id, 'payment'))).status).toBe(400);
    expect((await ask(newPhone(), await approved(service, await service.verifiedUser()))).status).toBe(400);
    const confirmationId = await approved(service, id);
    const [first, second] = [newPhone(), newPhone()];
    expect((await ask(first, confirmationId)).status).toBe(204);
    expect((await ask(second, confirmationId)).status).toBe(400);
    // The change that is under way goes on without another one.
    expect((await service.call(changePath(id, '/resend-code'), undefined, { token })).status).toBe(204);
    const answer = await service.call(changePath(id, '/verify'), { code: await service.lastCode(first) }, { token });
    expect(answer.status).toBe(200);
    expect(await phoneOf(id)).toBe(first);
  });

  it('is needed by service tokens if the setting says so, and is at most ten minutes old', async () => {
    const own = await serviceForTest({ LEDGERLINE_CHANGE_CONFIRMED: 'true' });
    const id = await own.verifiedUser();
    expect((await change(id, newPhone(), own)).headers.get('error-reason')).toBe('confirmation-required');
    const old = await approved(own, id);
    await own.call('/sandbox/clock', { advanceSeconds: 601 });
    expect((await change(id, newPhone(), own, { confirmationId: old })).status).toBe(400);
    const fresh = await approved(own, id);
    await own.call('/sandbox/clock', { advanceSeconds: 590 });
    expect((await change(id, newPhone(), own, { confirmationId: fresh })).status).toBe(204);
  });

  it('is not needed by a service token otherwise', async () => {
    expect((await change(await service.verifiedUser(), newPhone())).status).toBe(204);
  });

  it('is used up by the 204 that sends, not by a 400, a 429, a 503 or a 204 that sends nothing', async () => {
    const gateway = await gatewayServer(twilioAccepts);
    const own = await serviceForTest({
      ...(await twilioSettings(gateway.url)),
      LEDGERLINE_CHANGE_CONFIRMED: 'true',
      LEDGERLINE_LIMITS: 'user-sends=5/10m',
      LEDGERLINE_BREAKER: '1000/5s/2m',
    });
    const codeOf = (index: number) => /\b\d{6}\b/.exec(gateway.received.at(index)!.form.Body!)![0];
    const verified = async (phone: string) => {
      const user = await own.createUser();
      await own.sendCode(user, phone);
      expect((await own.verify(user, codeOf(-1))).status).toBe(200);
      return user;
    };
    const [phone, taken] = [newPhone(), newPhone()];
    await verified(taken);
    const id = await verified(phone);
    const created = await own.call(`/User/${id}/confirmations`, { purpose: 'change-phone' });
    const { confirmationId } = created.json as { confirmationId: string };
    expect((await own.call(`/User/${id}/confirmations/${confirmationId}/check`, { code: codeOf(-1) })).status).toBe(
      200,
    );
    const ask = (phoneNumber: string) => change(id, phoneNumber, own, { confirmationId });
    expect((await ask(phone)).status).toBe(204);
    expect((await ask(taken)).status).toBe(400);
    const next = newPhone();
    gateway.behave(() => ({ status: 500, body: 'x' }));
    expect((await ask(next)).headers.get('error-reason')).toBe('send-failed');
    gateway.behave('die');
    expect((await ask(next)).headers.get('error-reason')).toBe('send-outcome-unknown');
    const lost = codeOf(-1);
    gateway.behave(twilioAccepts);
    expect((await ask(next)).status).toBe(204);
    // The outcome was unknown, so the same code was sent again.
    expect(codeOf(-1)).toBe(lost);
    expect((await ask(newPhone())).headers.get('error-reason')).toBe('confirmation-required');
  });

  it('is good for one of many changes that are asked for at once', async () => {
    const own = await serviceForTest({ LEDGERLINE_CHANGE_CONFIRMED: 'true' });
    const id = await own.verifiedUser();
    const confirmationId = await approved(own, id);
    const answers = await Promise.all(Array.from({ length: 6 }, () => change(id, newPhone(), own, { confirmationId })));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(5);
  });

  it('and every other confirmation that is open is void after the change', async () => {
    const id = await service.verifiedUser();
    const { confirmationId, code, check } = await confirm(service, id, 'payment');
    const next = newPhone();
    await change(id, next);
    expect((await verify(id, await service.lastCode(next))).status).toBe(200);
    const read = await service.call(`/User/${id}/confirmations/${confirmationId}`, undefined, { method: 'GET' });
    expect(read.json.state).toBe('void');
    expect((await service.call(check, { code })).status).toBe(400);
  });

  it('its code is never accepted as the code of a change, nor the other way round', async () => {
    const id = await service.verifiedUser();
    const next = newPhone();
    await change(id, next);
    const ofChange = await service.lastCode(next);
    const { code, check } = await confirm(service, id, 'payment');
    if (code !== ofChange) {
      expect((await verify(id, code)).status).toBe(400);
      expect((await service.call(check, { code: ofChange })).status).toBe(400);
    }
    expect((await verify(id, ofChange)).status).toBe(200);
  });
});
