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
    expect((await find(phoneNumber)).json).toEqual({ userIds: [waiting] });
    const verified = await service.verifiedUser(phoneNumber);
    // Whoever has it comes first, and nobody twice.
    expect((await find(phoneNumber)).json).toEqual({ userIds: [verified, waiting] });
    expect((await find(newPhone())).json).toEqual({ userIds: [] });
  });

  it('accepts every spelling of a number, and refuses other texts', async () => {
    const id = await service.verifiedUser('+447911123456');
    expect((await find('+4407911123456')).json).toEqual({ userIds: [id] });
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
    expect(answer.json).toEqual({ verifiedPhone: phoneNumber, lastSentPhone: phoneNumber });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const logged = () => service.logLines.slice(before).join('');
    await expect.poll(logged).toMatch(new RegExp(`"subject":"[^"]+","action":"reveal-phone","target":"user ${id}"`));
    expect(logged()).not.toContain(phoneNumber.slice(1));
  });

  it('gives null for a user without a number, and 404 for an unknown user', async () => {
    expect((await reveal(await service.createUser())).json).toEqual({ verifiedPhone: null, lastSentPhone: null });
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
