import { afterAll, beforeAll, expect, it } from 'vitest';
import { newPhone, refusal, serviceForTest, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const resend = (id: number | string, to = service) => to.call(`/User/${id}/phone-number/resend-code`);

it('sends a new code to the phone of the last send; no body is needed', async () => {
  const id = await service.createUser();
  const [first, last] = [newPhone(), newPhone()];
  await service.sendCode(id, first);
  await service.sendCode(id, last);
  const answer = await resend(id);
  expect([answer.status, answer.text]).toEqual([204, '']);
  expect(await service.messages(first)).toHaveLength(1);
  expect(await service.messages(last)).toHaveLength(2);
  expect((await service.verify(id, await service.lastCode(last))).status).toBe(200);
});

it('answers 400 when nothing has been sent', async () => {
  const answer = await resend(await service.createUser());
  expect(answer.json).toEqual(refusal(400, 'Bad Request', 'No code has been sent to this user yet.'));
});

it('a refused send does not count as the last send', async () => {
  const taken = newPhone();
  await service.verifiedUser(taken);
  const id = await service.createUser();
  await service.sendCode(id, taken);
  expect((await resend(id)).status).toBe(400);
});

it('answers 204 without an SMS when verified', async () => {
  const phone = newPhone();
  const id = await service.verifiedUser(phone);
  expect((await resend(id)).status).toBe(204);
  expect(await service.messages(phone)).toHaveLength(1);
});

it('counts against the same limit', async () => {
  const limited = await serviceForTest({ LEDGERLINE_LIMITS: 'user-sends=2/10m' });
  const id = await limited.createUser();
  await limited.sendCode(id, newPhone());
  expect((await resend(id, limited)).status).toBe(204);
  expect((await resend(id, limited)).status).toBe(429);
});

it.each(['2147483646', '0', '-1', 'abc', '99999999999', '1.5'])('answers 404 for the id %s in the path', async (id) => {
  expect((await resend(id)).status).toBe(404);
});
