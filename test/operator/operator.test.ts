/** The trail of a verification and the operator's overview. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPhone, serviceForTest, startService, wrongCode, type Answer, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ LEDGERLINE_LIMITS: 'user-sends=3/10m' });
});
afterAll(() => service.stop());

const get = (path: string, token?: string) => service.call(path, undefined, { method: 'GET', ...(token && { token }) });

interface Event {
  kind: string;
  reason: string | null;
  times: number;
}

/** The trail, once it has what another process may write a moment later. */
function readTrail(id: number, isComplete: (events: Event[]) => boolean): Promise<Answer> {
  const read = async () => {
    const trail = await get(`/operator/users/${id}/trail`);
    return isComplete(trail.json.events) && trail;
  };
  return until(read);
}

describe('/operator/users/{id}/trail', () => {
  it('shows a verification from the first send to the end, with the number masked', async () => {
    const id = await service.createUser();
    const phone = newPhone();
    await service.sendCode(id, phone);
    await service.sendCode(id, phone);
    const code = await service.lastCode(phone);
    await service.verify(id, wrongCode(code));
    await service.verify(id, wrongCode(code));
    await service.verify(id, code);
    const timesIn = (events: Event[], kind: string, reason: string | null) =>
      events
        .filter((event) => event.kind === kind && event.reason === reason)
        .reduce((sum, event) => sum + event.times, 0);
    const { status, json, text } = await readTrail(
      id,
      (events) => timesIn(events, 'verify-refused', 'wrong-code') >= 2,
    );
    expect(status).toBe(200);
    expect(json).toMatchObject({
      id,
      messages: [
        { number: 2, outcome: 'verified', state: 'accepted', gateway: 'inbox', segments: 1, locale: 'en', tries: [] },
        { number: 1, outcome: 'accepted', verifiedAt: null },
      ],
    });
    expect(json.messages[0].phoneNumber).toBe(`+44…${phone.slice(-2)}`);
    expect(json.messages[0].verifiedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(timesIn(json.events, 'verify-refused', 'wrong-code')).toBe(2);
    expect(timesIn(json.events, 'verified', null)).toBe(1);
    for (const secret of [phone.slice(1), code]) expect(text.replaceAll(/"[^"]*Z"/g, '')).not.toContain(secret);
  });

  it('shows what was refused and why, in few rows for many refusals', async () => {
    const id = await service.createUser();
    for (let call = 0; call < 20; call += 1) await service.sendCode(id, newPhone());
    const refusedIn = (events: Event[]) => events.filter(({ kind }) => kind === 'send-refused');
    const sum = (events: Event[]) => events.reduce((total, { times }) => total + times, 0);
    const { json } = await readTrail(id, (events) => sum(refusedIn(events)) >= 17);
    const refused = refusedIn(json.events);
    expect(sum(refused)).toBe(17);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    expect(refused.length).toBeLessThan(5);
    expect(refused[0]!.reason).toBe('user-sends');
  });

  it('shows when a code expired', async () => {
    const clocked = await serviceForTest();
    const id = await clocked.createUser();
    await clocked.sendCode(id, newPhone());
    await clocked.advance(601);
    clocked.forgetTokens();
    const { json } = await clocked.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' });
    expect(json.messages[0].outcome).toBe('expired');
  });

  it('needs the scope operator:read, and answers 404 for an unknown user', async () => {
    const id = await service.createUser();
    expect((await get(`/operator/users/${id}/trail`, await service.token('users phone'))).status).toBe(403);
    expect((await get('/operator/overview', await service.token('users phone'))).status).toBe(403);
    expect((await get('/operator/users/2147483647/trail')).status).toBe(404);
    expect((await get('/operator/users/x/trail')).status).toBe(404);
  });
});

describe('/operator/overview', () => {
  it('counts by day, country and gateway', async () => {
    const fresh = await serviceForTest();
    await fresh.verifiedUser('+447400123456');
    await fresh.verifiedUser('+4915112345678');
    await fresh.sendCode(await fresh.createUser(), '+4915112345679');
    await fresh.sendCode(await fresh.createUser(), '+999123456789');
    const { json } = await fresh.call('/operator/overview', undefined, { method: 'GET' });
    const day = new Date().toISOString().slice(0, 10);
    const row = { day, gateway: 'inbox', delivered: 0, failed: 0, receipts: 0, passedOver: 0 };
    expect(json).toEqual({
      days: [
        { ...row, country: 'DE', sent: 2, accepted: 2, verified: 1 },
        { ...row, country: 'GB', sent: 1, accepted: 1, verified: 1 },
        { ...row, country: null, sent: 1, accepted: 1, verified: 0 },
      ],
      configuredOrder: ['inbox'],
      gateways: [{ gateway: 'inbox', breaker: 'closed' }],
      orders: [],
      isQuiet: false,
    });
    // Only one of them has a receipt.
    await fresh.sql`
      update messages set state = case when verified_at is null then 'refused' else 'failed' end::message_state
      where country = 'DE'`;
    const later = await fresh.call('/operator/overview', undefined, { method: 'GET' });
    expect(later.json.days[0]).toEqual({
      ...row,
      ...{ country: 'DE', sent: 2, accepted: 1, verified: 1, failed: 2, receipts: 1 },
    });
  });

  it.each(['0', '367', 'x', '-1', '1.5'])('refuses days=%s', async (days) => {
    const answer = await get(`/operator/overview?days=${days}`);
    expect(answer.status).toBe(400);
    expect(answer.json.errors).toHaveProperty('Days');
  });
});
