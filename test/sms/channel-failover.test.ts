/** Gateways of several channels behind one service: what fails in one is carried by the next, with the same code. */
import { expect, it } from 'vitest';
import { spokenCode, startWithChannels, textCode, whatsappCode } from '../harness/channel-gateways.ts';
import { newPhone } from '../harness/service.ts';

it('a channel that fails is followed by the next; one that was asked for is the only one', async () => {
  const { service, whatsapp, texts, calls, send, sentBy } = await startWithChannels();
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
  const { service, whatsapp, texts, calls, send, resend, sentBy, whatsappReceipt } = await startWithChannels();
  const id = await service.createUser();
  expect((await send(id, newPhone())).status).toBe(204);
  const code = whatsappCode(whatsapp.received[0]!);
  expect((await resend(id)).status).toBe(204);
  expect(textCode(texts.received[0]!)).toBe(code);
  expect((await resend(id)).status).toBe(204);
  expect(spokenCode(calls.received[0]!)).toBe(code);
  expect(await whatsappReceipt(whatsapp.received[0]!, 'failed')).toBe(204);
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
  const { service, calls, texts, send } = await startWithChannels({ LEDGERLINE_RULES: 'number-type=enforce' });
  const id = await service.createUser();
  for (const channel of ['sms', 'voice']) {
    expect((await send(id, '+449098790000', channel)).headers.get('error-reason')).toBe('phone-not-supported');
  }
  expect([calls.received, texts.received]).toEqual([[], []]);
});

it('the handshake of WhatsApp is answered with its challenge', async () => {
  const { service } = await startWithChannels();
  const ask = (token: string) =>
    fetch(
      `${service.url}/gateways/whatsapp/receipts?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`,
    );
  const answer = await ask('4711');
  expect([answer.status, await answer.text()]).toEqual([200, '1158201444']);
  expect((await ask('other')).status).toBe(403);
});
