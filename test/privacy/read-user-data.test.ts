/** Subject access: GET /User/{id}/data. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newPhone, row, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const data = (id: number, token?: string) =>
  service.call(`/User/${id}/data`, undefined, { method: 'GET', ...(token && { token }) });

it('gives the user, both phones in full, the history, the messages, the blocks and where to export', async () => {
  const phone = newPhone();
  const { id } = (await service.call('/User', { email: 'ada@example.com', additionalData: { tier: 3 } })).json;
  await service.sendCode(id, phone);
  const code = await service.lastCode(phone);
  await service.verify(id, code);
  await service.record([row(id)]);
  await service.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' });
  const answer = await data(id);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.json).toMatchObject({
    user: { id, merchantId: null, email: 'ada@example.com', additionalData: { tier: 3 } },
    phone: { verified: phone, lastSent: phone },
    verifications: [{ kind: 'verified', times: 1 }],
    messages: [{ codeNumber: 1, gateway: 'inbox', state: 'accepted' }],
    blocks: [],
    transactions: { count: 1, export: '/app/export-transactions' },
  });
  expect(answer.text).not.toContain(code);
  expect(answer.text).not.toMatch(/digest/i);
});

it('tells a block and until when it lasts', async () => {
  const id = await service.createUser();
  for (let failure = 0; failure < 10; failure += 1) await service.verify(id, '000000');
  expect((await data(id)).json.blocks).toEqual([{ rule: 'user-failures', until: expect.any(String) }]);
});

it('is audited, is refused to user-bound tokens, and is a 404 for an unknown user', async () => {
  const id = await service.createUser();
  await data(id);
  const actions = await service.sql`select action from operator_actions where user_id = ${id}`;
  expect([...actions]).toEqual([{ action: 'read-user-data' }]);
  expect((await data(id, await service.token('phone', id))).status).toBe(403);
  expect((await data(2_147_483_640)).status).toBe(404);
});
