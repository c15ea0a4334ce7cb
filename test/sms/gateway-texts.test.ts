/** Ids and reasons that a gateway writes: whatever they contain, the send, the trail and the events go on. */
import { expect, it } from 'vitest';
import { brief } from '../../src/sms/gateway.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { newPhone, serviceForTest } from '../harness/service.ts';
import { until } from '../harness/until.ts';

async function start(answer: () => { status: number; body: unknown }) {
  const server = await gatewayServer(answer);
  const service = await serviceForTest({
    LEDGERLINE_GATEWAYS: 'messagebird',
    LEDGERLINE_MESSAGEBIRD_KEY: 'hunter2-key',
    LEDGERLINE_GATEWAY_URLS: `messagebird=${server.url}`,
    LEDGERLINE_BREAKER: '1/5s/2m',
  });

  async function readTrail(id: number) {
    const { json } = await service.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' });
    return json.messages[0];
  }

  return { server, service, readTrail };
}

/** The reason of MessageBird's answer quotes this text. */
const refusal = (parameter: string) => ({ status: 400, body: { errors: [{ code: 10, parameter }] } });

it.each([
  ['U+0000', 'a\u0000b', 'error 10 a b'],
  ['a command to the terminal', '\u001b]0;title\u0007\u202eb', 'error 10 ]0;title b'],
  ['half of a character', '\ud83dx', 'error 10 x'],
  ['a character that the end of the reason cuts', `${'x'.repeat(110)}😀`, `error 10 ${'x'.repeat(110)}\ufffd`],
])('a reason with %s stops neither the trail nor the events', async (_name, text, stored) => {
  const { service, readTrail } = await start(() => refusal(text));
  const id = await service.createUser();
  expect((await service.sendCode(id, newPhone())).status).toBe(503);
  expect(await readTrail(id)).toMatchObject({ state: 'unavailable', reason: stored });
  const down = await until(async () => {
    const { json } = await service.call('/events?limit=1000', undefined, { method: 'GET' });
    return json.events.find(({ type }: { type: string }) => type === 'gateway.down');
  });
  expect(down.data).toEqual({ gateway: 'messagebird', reason: stored });
});

it('an id with U+0000 is stored without it, and the receipt with the same id fits', async () => {
  const { server, service, readTrail } = await start(() => ({
    status: 201,
    body: { id: 'm\u00001', recipients: { totalSentCount: 1, items: [{ status: 'sent' }] } },
  }));
  const id = await service.createUser();
  expect((await service.sendCode(id, newPhone())).status).toBe(204);
  expect(await readTrail(id)).toMatchObject({ state: 'accepted', gatewayMessageId: 'm1' });
  const { reference } = server.received[0]!.json;
  const receipt = new URLSearchParams({
    message: reference,
    id: 'm\u00001',
    status: 'expired',
    statusErrorCode: '\u0000',
  });
  const { status } = await service.call(`/gateways/messagebird/receipts?${receipt}`, undefined, { method: 'GET' });
  expect(status).toBe(204);
  expect(await readTrail(id)).toMatchObject({ state: 'failed', reason: 'expired' });
});

it.each(['+447911123456', '44 7911 123 456', '+44 (0)7911-12-34-56', '07911.123.456', '07911/123456'])(
  'a reason quotes no phone number: %s',
  (phoneNumber) => expect(brief(`number ${phoneNumber} is barred`)).not.toMatch(/\d/),
);

it('a reason keeps the code of an error', () => expect(brief('HTTP 400, error 30003')).toBe('HTTP 400, error 30003'));
