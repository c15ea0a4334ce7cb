/** Gateways of several channels behind one service: what fails in one is carried by the next, with the same code. */
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { freePort } from '../../src/network/free-port.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { newPhone, serviceForTest } from '../harness/service.ts';

async function start(more: Record<string, string> = {}) {
  const whatsapp = await gatewayServer(() => ({ status: 200, body: { messages: [{ id: 'wamid.1' }] } }));
  const texts = await gatewayServer(() => ({ status: 201, body: { sid: 'SM1', status: 'queued' } }));
  const calls = await gatewayServer(() => ({ status: 201, body: { sid: 'CA1', status: 'queued' } }));
  const port = await freePort();
  const service = await serviceForTest({
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    LEDGERLINE_GATEWAYS: 'whatsapp,twilio,twilio-voice',
    LEDGERLINE_CHANNELS: '*=whatsapp,sms,voice',
    LEDGERLINE_SENDER: 'Acme; twilio-voice=+15550001',
    LEDGERLINE_TWILIO_ACCOUNT: 'AC1',
    LEDGERLINE_TWILIO_TOKEN: 'token',
    LEDGERLINE_WHATSAPP_PHONE_ID: '4711',
    LEDGERLINE_WHATSAPP_TOKEN: 'token',
    LEDGERLINE_WHATSAPP_SECRET: 'secret',
    LEDGERLINE_GATEWAY_URLS: `whatsapp=${whatsapp.url}; twilio=${texts.url}; twilio-voice=${calls.url}`,
    ...more,
  });
  const send = (id: number, phoneNumber: string, channel?: string) =>
    service.call('/User/phone-number/send-code', { id, phoneNumber, channel });
  const resend = (id: number) => service.call(`/User/${id}/phone-number/resend-code`);
  const sentBy = async (id: number) => {
    const rows = await service.sql`
      select gateway, channel, state from messages where user_id = ${id} order by message_number`;
    return rows.map(({ gateway, channel, state }) => `${gateway} ${channel} ${state}`);
  };
  const whatsappCode = () => whatsapp.received.at(-1)!.json.template.components[0].parameters[0].text as string;
  return { service, whatsapp, texts, calls, send, resend, sentBy, whatsappCode };
}

it('a channel that fails is followed by the next; one that was asked for is the only one', async () => {
  const { service, whatsapp, texts, calls, send, sentBy } = await start();
  const id = await service.createUser();
  whatsapp.behave(() => ({ status: 400, body: { error: { code: 131026 } } }));
  expect((await send(id, newPhone())).status).toBe(204);
  expect(texts.received).toHaveLength(1);
  texts.behave(() => ({ status: 500 }));
  expect((await send(id, newPhone())).status).toBe(204);
  expect(calls.received).toHaveLength(1);
  expect((await send(id, newPhone(), 'whatsapp')).headers.get('error-reason')).toBe('send-failed');
  expect(calls.received).toHaveLength(1);
  expect((await sentBy(id)).slice(0, 2)).toEqual(['twilio sms accepted', 'twilio-voice voice accepted']);
});

it('resends go over the other channels with the same code, and a receipt of one counts for that one alone', async () => {
  const { service, whatsapp, texts, calls, send, resend, sentBy, whatsappCode } = await start();
  const id = await service.createUser();
  expect((await send(id, newPhone())).status).toBe(204);
  const code = whatsappCode();
  expect((await resend(id)).status).toBe(204);
  expect(texts.received.at(-1)!.form.Body).toContain(code);
  expect((await resend(id)).status).toBe(204);
  expect(calls.received.at(-1)!.form.Twiml).toContain(code.split('').join(', '));
  const { biz_opaque_callback_data: reference } = whatsapp.received[0]!.json;
  const value = {
    metadata: { phone_number_id: '4711' },
    statuses: [{ id: 'wamid.1', status: 'failed', errors: [{ code: 131026 }], biz_opaque_callback_data: reference }],
  };
  const body = JSON.stringify({ entry: [{ changes: [{ field: 'messages', value }] }] });
  const signature = `sha256=${createHmac('sha256', 'secret').update(body).digest('hex')}`;
  const receipt = await fetch(`${service.url}/gateways/whatsapp/receipts`, {
    method: 'POST',
    headers: { 'x-hub-signature-256': signature },
    body,
  });
  expect(receipt.status).toBe(204);
  expect(await sentBy(id)).toEqual(['whatsapp whatsapp failed', 'twilio sms accepted', 'twilio-voice voice accepted']);
  const { json } = await service.call(`/events?type=phone.delivery_changed&userId=${id}`, undefined, { method: 'GET' });
  expect(json.events.map(({ data }: { data: object }) => data)).toEqual([
    expect.objectContaining({ gateway: 'whatsapp', channel: 'whatsapp', state: 'failed' }),
  ]);
  expect((await service.verify(id, code)).status).toBe(200);
  expect((await resend(id)).status).toBe(204);
  expect([whatsapp, texts, calls].map(({ received }) => received.length)).toEqual([1, 1, 1]);
});

it('a premium number is not called either', async () => {
  const { service, calls, texts, send } = await start({ LEDGERLINE_RULES: 'number-type=enforce' });
  const id = await service.createUser();
  for (const channel of ['sms', 'voice']) {
    expect((await send(id, '+449098790000', channel)).headers.get('error-reason')).toBe('phone-not-supported');
  }
  expect([calls.received, texts.received]).toEqual([[], []]);
});

it('the handshake of WhatsApp is answered with its challenge', async () => {
  const { service } = await start();
  const ask = (token: string) =>
    fetch(
      `${service.url}/gateways/whatsapp/receipts?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`,
    );
  const answer = await ask('4711');
  expect([answer.status, await answer.text()]).toEqual([200, '1158201444']);
  expect((await ask('other')).status).toBe(403);
});
