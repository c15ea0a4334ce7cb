import { afterAll, beforeAll, expect, it } from 'vitest';
import { newPhone, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const unlink = (id: number) => service.call(`/User/${id}/phone-number`, undefined, { method: 'DELETE' });

it('makes the user unverified, and another user can verify the number', async () => {
  const phone = newPhone();
  const id = await service.verifiedUser(phone);
  const answer = await unlink(id);
  expect([answer.status, answer.text]).toEqual([204, '']);
  const status = await service.call(`/User/${id}/status`, undefined, { method: 'GET' });
  expect(status.json).toMatchObject({ isPhoneNumberVerified: false, phoneNumber: null });
  const next = await service.verifiedUser(phone);
  expect((await service.call(`/User/${next}/status`, undefined, { method: 'GET' })).json.phoneNumber).toBe(phone);
});

it('lets the user verify a number again', async () => {
  const phone = newPhone();
  const id = await service.verifiedUser(phone);
  await unlink(id);
  await service.sendCode(id, phone);
  expect((await service.verify(id, await service.lastCode(phone))).status).toBe(200);
});

it('ends a code that was not used yet', async () => {
  const id = await service.createUser();
  const phone = newPhone();
  await service.sendCode(id, phone);
  await unlink(id);
  expect((await service.verify(id, await service.lastCode(phone))).status).toBe(400);
});

it('answers 204 for a user without a number, 404 for an unknown user', async () => {
  expect((await unlink(await service.createUser())).status).toBe(204);
  expect((await unlink(2_147_483_640)).status).toBe(404);
});

it('never leaves a link without its user under races', async () => {
  for (let round = 0; round < 30; round += 1) {
    const phone = newPhone();
    const id = await service.createUser();
    await service.sendCode(id, phone);
    const code = await service.lastCode(phone);
    await Promise.all([service.verify(id, code), unlink(id), service.verify(id, code), unlink(id)]);
    const [user] = await service.sql`select verified_phone from verifications where user_id = ${id}`;
    const links = await service.sql`select user_id from phone_links where phone = ${phone}`;
    expect(links.length).toBe(user!.verified_phone === phone ? 1 : 0);
  }
});
