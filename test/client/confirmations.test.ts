/** The client's confirmations, against a service. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient, LedgerlineError, type Client } from '../../client/index.ts';
import { accepts, codeIn, impatientSettings } from '../harness/send-outcome.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { newPhone, serviceForTest, startService, wrongCode, type Service } from '../harness/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = createClient({ baseUrl: service.url, token: () => service.token() });
});
afterAll(() => service.stop());

const terms = { amount: '24.90', currency: 'EUR', payee: 'Corner Shop' };

async function failure(call: Promise<unknown>): Promise<LedgerlineError> {
  return call.then(
    () => Promise.reject(new Error('The call succeeded.')),
    (error: LedgerlineError) => error,
  );
}

it('creates, resends, checks and reads a confirmation', async () => {
  const phone = newPhone();
  const id = await service.verifiedUser(phone);
  const created = await client.confirmations.create(id, { purpose: 'payment', ...terms });
  expect(created).toMatchObject({ codeLength: 6, expiresInSeconds: 300 });
  expect(await client.confirmations.resend(id, created.confirmationId)).toMatchObject({ codeLength: 6 });
  const code = await service.lastCode(phone);
  const wrong = await failure(
    client.confirmations.check(id, created.confirmationId, { code: wrongCode(code), ...terms }),
  );
  expect(wrong).toMatchObject({ kind: 'refused', reason: 'invalid-code' });
  expect(await client.confirmations.check(id, created.confirmationId, { code, ...terms })).toMatchObject({
    purpose: 'payment',
  });
  expect(await client.confirmations.read(id, created.confirmationId)).toMatchObject({ state: 'approved' });
});

it('cancels a confirmation, and sends nothing twice with one key', async () => {
  const phone = newPhone();
  const id = await service.verifiedUser(phone);
  const request = { purpose: 'payment', ...terms };
  const first = await client.confirmations.create(id, request, { idempotencyKey: 'k' });
  expect(await client.confirmations.create(id, request, { idempotencyKey: 'k' })).toEqual(first);
  expect(await service.messages(phone)).toHaveLength(2);
  await client.confirmations.cancel(id, first.confirmationId);
  expect((await client.confirmations.read(id, first.confirmationId)).state).toBe('void');
});

it('names the confirmation of an unknown outcome in its error, and never repeats a check', async () => {
  const gateway = await gatewayServer(accepts);
  const doubtful = await serviceForTest(impatientSettings(gateway.url));
  let checks = 0;
  const own = createClient({
    baseUrl: doubtful.url,
    token: () => doubtful.token(),
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (!String(url).endsWith('/check')) return response;
      checks += 1;
      // The answer is lost on its way.
      throw new TypeError('network');
    },
  });
  const id = await doubtful.createUser();
  await doubtful.sendCode(id, newPhone());
  await doubtful.verify(id, codeIn(gateway.received[0]!));
  gateway.behave('die');
  const error = await failure(own.confirmations.create(id, { purpose: 'payment', ...terms }));
  expect(error).toMatchObject({
    reason: 'send-outcome-unknown',
    location: expect.stringMatching(/^\/User\/\d+\/conf/),
  });
  const confirmationId = error.location!.split('/').at(-1)!;
  const code = codeIn(gateway.received.at(-1)!);
  expect(await failure(own.confirmations.check(id, confirmationId, { code, ...terms }))).toMatchObject({
    kind: 'offline',
  });
  expect(checks).toBe(1);
  expect((await own.confirmations.read(id, confirmationId)).state).toBe('approved');
});
