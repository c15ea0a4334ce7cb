import { afterAll, beforeAll, expect, it } from 'vitest';
import { newPhone, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const status = (id: number | string, token?: string) =>
  service.call(`/User/${id}/status`, undefined, { method: 'GET', ...(token && { token }) });

it('is unverified with null before, and verified with the number and the time after', async () => {
  const phone = newPhone();
  const id = await service.createUser();
  expect((await status(id)).json).toEqual({ isPhoneNumberVerified: false, phoneNumber: null, verifiedAt: null });
  await service.sendCode(id, phone);
  expect((await status(id)).json).toEqual({ isPhoneNumberVerified: false, phoneNumber: null, verifiedAt: null });
  await service.verify(id, await service.lastCode(phone));
  const { json } = await status(id);
  const [row] = await service.sql`select verified_at from verifications where user_id = ${id}`;
  expect(json).toEqual({ isPhoneNumberVerified: true, phoneNumber: phone, verifiedAt: expect.any(String) });
  expect(json.verifiedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d*[1-9])?Z$/);
  expect(new Date(json.verifiedAt)).toEqual(row!.verified_at);
  await service.call(`/User/${id}/phone-number`, undefined, { method: 'DELETE' });
  expect((await status(id)).json).toEqual({ isPhoneNumberVerified: false, phoneNumber: null, verifiedAt: null });
});

it('accepts the scope users or phone', async () => {
  const id = await service.createUser();
  expect((await status(id, await service.token('users'))).status).toBe(200);
  expect((await status(id, await service.token('phone'))).status).toBe(200);
  expect((await status(id, await service.token('transactions:read'))).status).toBe(403);
});

it.each(['2147483646', 'x', '0', '2147483648', '%20'])('answers 404 for the id %s', async (id) => {
  expect((await status(id)).status).toBe(404);
});
