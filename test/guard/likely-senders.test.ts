/** Newcomers with something that speaks for them: a token of one user, or an address whose codes are verified. */
import { expect, it } from 'vitest';
import { until } from '../harness/until.ts';
import { serviceForTest } from '../harness/service.ts';

const settings = {
  LEDGERLINE_TRUSTED_PROXIES: '127.0.0.1',
  LEDGERLINE_RANGES: '4=8,5=100,6=100,7=100,country=100',
};
const goodAddress = '203.0.113.7';
const badAddress = '203.0.113.8';

async function start(mode: 'enforce' | 'shadow') {
  const service = await serviceForTest({
    ...settings,
    LEDGERLINE_RULES: `*=off,prefix=${mode},address-sends=enforce,address-failures=enforce`,
  });
  let number = 0;
  const nextPhone = (range: string) => `${range}${String((number += 1)).padStart(4, '0')}`;
  const send = async (id: number, phoneNumber: string, address = '', isBound = false) =>
    service.call(
      '/User/phone-number/send-code',
      { id, phoneNumber },
      {
        headers: address ? { 'x-forwarded-for': address } : {},
        ...(isBound && { token: await service.token('phone', id) }),
      },
    );
  const verify = async (id: number, phone: string, address: string) =>
    service.call(
      '/User/phone-number/verify',
      { id, code: await service.lastCode(phone) },
      { headers: { 'x-forwarded-for': address } },
    );
  const newcomer = async (address = '', isBound = false) =>
    (await send(await service.createUser(), nextPhone('+44791110'), address, isBound)).status;
  return { service, nextPhone, send, verify, newcomer };
}

it('likely senders have a share of a range that others have used up', async () => {
  const { service, nextPhone, send, verify, newcomer } = await start('enforce');
  const visits = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => ({
      id: await service.createUser(),
      phone: nextPhone(`+4479112${index}`),
    })),
  );
  for (const { id, phone } of visits) await send(id, phone, goodAddress);
  // At the same time, of which none may be lost; three codes are never verified.
  await Promise.all(visits.slice(0, 5).map(({ id, phone }) => verify(id, phone, goodAddress)));
  const [known] = await service.sql`
    select cardinality(sends) as sends, cardinality(verified) as verified, cardinality(failures) as failures
    from guard_sources where label = ${goodAddress}`;
  expect(known).toEqual({ sends: 8, verified: 5, failures: 0 });

  for (let call = 0; call < 8; call += 1) expect(await newcomer(badAddress)).toBe(204);
  expect(await newcomer(badAddress)).toBe(429);
  expect(await newcomer()).toBe(429);
  // The share is of one sum: a quarter more for both together.
  expect(await newcomer('', true)).toBe(204);
  expect(await newcomer(goodAddress)).toBe(204);
  expect(await newcomer('', true)).toBe(429);
  expect(await newcomer(goodAddress)).toBe(429);
});

it('likely senders are not recorded in shadow where their share has room', async () => {
  const { service, newcomer } = await start('shadow');
  for (let call = 0; call < 8; call += 1) expect(await newcomer()).toBe(204);
  expect(await newcomer('', true)).toBe(204);
  expect(await newcomer()).toBe(204);
  const decisions = async () =>
    (await service.call('/operator/guard/decisions?rule=prefix', undefined, { method: 'GET' })).json.decisions;
  await until(async () => (await decisions()).length > 0);
  expect((await decisions()).map(({ action }: { action: string }) => action)).toEqual(['shadow']);
});
