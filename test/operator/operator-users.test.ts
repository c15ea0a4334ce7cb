import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPhone, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const find = (phoneNumber: string) => service.call('/operator/find-users', { phoneNumber });
const reveal = (id: number, token?: string) =>
  service.call(`/operator/users/${id}/reveal-phone`, undefined, token ? { token } : {});

describe('POST /operator/find-users', () => {
  it('finds users who verified a number, and users whose last code was sent to it', async () => {
    const phoneNumber = newPhone();
    const waiting = await service.createUser();
    await service.sendCode(waiting, phoneNumber);
    expect((await find(phoneNumber)).json).toEqual({ userIds: [waiting], holder: null });
    const verified = await service.verifiedUser(phoneNumber);
    // Whoever has it comes first, and nobody twice.
    const { verifiedAt } = (await service.call(`/User/${verified}/status`, undefined, { method: 'GET' })).json;
    expect((await find(phoneNumber)).json).toEqual({
      userIds: [verified, waiting],
      holder: { userId: verified, verifiedAt, lastUsedAt: verifiedAt },
    });
    expect((await find(newPhone())).json).toEqual({ userIds: [], holder: null });
  });

  it('accepts every spelling of a number, and refuses other texts', async () => {
    const id = await service.verifiedUser('+447911123456');
    expect((await find('+4407911123456')).json).toMatchObject({ userIds: [id], holder: { userId: id } });
    const bad = await find('07911');
    expect([bad.status, bad.json.errors]).toEqual([
      400,
      { PhoneNumber: ['The PhoneNumber field is not a valid phone number.'] },
    ]);
  });

  it('audits who looked for which number, masked, also without a result', async () => {
    const phoneNumber = newPhone();
    const before = service.logLines.length;
    const reader = await service.token('operator:read');
    expect((await service.call('/operator/find-users', { phoneNumber }, { token: reader })).status).toBe(200);
    const { json } = await service.call('/operator/actions?count=1', undefined, { method: 'GET' });
    const target = `${phoneNumber.slice(0, 3)}…${phoneNumber.slice(-2)}`;
    expect(json.actions[0]).toMatchObject({ action: 'find-users', subject: 'sandbox', client: 'sandbox', target });
    const logged = () => service.logLines.slice(before).join('');
    await expect.poll(logged).toContain(`"action":"find-users","target":"${target}"`);
    expect(logged() + JSON.stringify(json)).not.toContain(phoneNumber.slice(1));
    // What was no number was not looked for.
    await find('07911');
    const after = await service.call('/operator/actions?count=1', undefined, { method: 'GET' });
    expect(after.json.actions[0].id).toBe(json.actions[0].id);
  });

  it('uses an index', async () => {
    const plan = await service.sql.begin(async (sql) => {
      await sql`set local enable_seqscan = off`;
      return sql`explain select user_id from verifications where sent_phone = '+447911123456'`;
    });
    expect(JSON.stringify(plan)).toContain('verifications_by_sent_phone');
  });
});

describe('POST /operator/users/{id}/reveal-phone', () => {
  it('gives the numbers, and is audited', async () => {
    const phoneNumber = newPhone();
    const id = await service.verifiedUser(phoneNumber);
    const before = service.logLines.length;
    const answer = await reveal(id);
    const time = expect.stringMatching(/^20.+Z$/);
    expect(answer.json).toEqual({
      verifiedPhone: phoneNumber,
      lastSentPhone: phoneNumber,
      verifiedAt: time,
      lastUsedAt: time,
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const logged = () => service.logLines.slice(before).join('');
    await expect.poll(logged).toMatch(new RegExp(`"subject":"[^"]+","action":"reveal-phone","target":"user ${id}"`));
    expect(logged()).not.toContain(phoneNumber.slice(1));
  });

  it('gives null for a user without a number, and 404 for an unknown user', async () => {
    const none = { verifiedPhone: null, lastSentPhone: null, verifiedAt: null, lastUsedAt: null };
    expect((await reveal(await service.createUser())).json).toEqual(none);
    expect((await reveal(2_000_000_000)).status).toBe(404);
  });

  it('needs operator:write', async () => {
    const id = await service.createUser();
    const reader = await service.token('operator:read');
    expect((await reveal(id, reader)).status).toBe(403);
    expect((await service.call('/operator/find-users', {}, { token: reader })).status).toBe(400);
    const other = await service.token('users phone');
    expect((await service.call('/operator/find-users', {}, { token: other })).status).toBe(403);
  });
});

describe('POST /operator/free-phone', () => {
  const free = (body: object, token?: string) => service.call('/operator/free-phone', body, token ? { token } : {});

  it('unlinks a number that changed hands, tells its holder’s back end, and is audited with its reason', async () => {
    const phoneNumber = newPhone();
    const userId = await service.verifiedUser(phoneNumber);
    const before = service.logLines.length;
    expect((await free({ userId, phoneNumber, reason: 'a new owner called' })).status).toBe(204);
    expect((await service.call(`/User/${userId}/status`, undefined, { method: 'GET' })).json).toEqual({
      isPhoneNumberVerified: false,
      phoneNumber: null,
      verifiedAt: null,
    });
    const written = async () => {
      const { json } = await service.call(`/events?userId=${userId}`, undefined, { method: 'GET' });
      return (json.events as { type: string }[]).filter(({ type }) => /unlinked|acted/.test(type));
    };
    await expect.poll(written).toHaveLength(2);
    const events = await written();
    expect(events).toMatchObject([
      { type: 'phone.unlinked', data: { userId, by: 'operator' } },
      { type: 'operator.acted', data: { action: 'free-phone', actor: 'sandbox', target: `user ${userId}` } },
    ]);
    const { json } = await service.call(`/operator/actions?userId=${userId}`, undefined, { method: 'GET' });
    expect(json.actions).toMatchObject([
      { action: 'free-phone', detail: `+44…${phoneNumber.slice(-2)}`, reason: 'a new owner called' },
    ]);
    expect(service.logLines.slice(before).join('') + JSON.stringify([events, json])).not.toContain(
      phoneNumber.slice(1),
    );
    expect(await service.verifiedUser(phoneNumber)).not.toBe(userId);
  });

  it('unlinks no other number than the one that was named', async () => {
    const [phoneNumber, other] = [newPhone(), newPhone()];
    const userId = await service.verifiedUser(phoneNumber);
    const answer = await free({ userId, phoneNumber: other });
    expect([answer.status, answer.json.errors]).toEqual([404, { Error: ['The user does not have this number.'] }]);
    expect((await free({ userId: 2_000_000_000, phoneNumber })).status).toBe(404);
    expect((await find(phoneNumber)).json.holder).toMatchObject({ userId });
    expect((await free({ userId, phoneNumber: '07911' })).status).toBe(400);
    const reader = await service.token('operator:read users phone');
    expect((await free({ userId, phoneNumber }, reader)).status).toBe(403);
  });
});
