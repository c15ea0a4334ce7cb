/** Receipts: what gateways say became of a message, and what strangers pretend they said. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../src/network/free-port.ts';
import { signWebhook, webhookKey } from '../../src/crypto/standard-webhooks.ts';
import { gatewayServer, type Behaviour } from '../harness/servers/gateway-server.ts';
import { sendTwilioReceipt, twilioAccepts, twoGatewaySettings, vonageAccepts } from '../harness/servers/twilio.ts';
import { newPhone, serviceForTest } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

async function start(gateway: 'twilio' | 'infobip' | 'webhook') {
  let sequence = 0;
  const server = await gatewayServer(() => {
    sequence += 1;
    return {
      status: gateway === 'twilio' ? 201 : 200,
      body: {
        sid: `SM${sequence}`,
        id: `W${sequence}`,
        messages: [{ messageId: `I${sequence}`, status: { groupId: 1 } }],
      },
    };
  });
  const port = await freePort('127.0.0.1');
  const service = await serviceForTest({
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    LEDGERLINE_GATEWAYS: gateway,
    LEDGERLINE_TWILIO_ACCOUNT: 'AC1',
    LEDGERLINE_TWILIO_TOKEN: 'token',
    LEDGERLINE_GATEWAY_URLS: `twilio=${server.url}`,
    LEDGERLINE_INFOBIP_KEY: 'key',
    LEDGERLINE_INFOBIP_URL: server.url,
    LEDGERLINE_WEBHOOK_URL: server.url,
    LEDGERLINE_WEBHOOK_SECRET: secret,
  });

  /** Sends a code, and says where its receipt goes. */
  async function send(): Promise<{ id: number; address: string; code: string }> {
    const id = await service.createUser();
    expect((await service.sendCode(id, newPhone())).status).toBe(204);
    const { form, json } = server.received.at(-1)!;
    const text: string = form.Body ?? json?.data?.text ?? json?.messages?.[0].content.text;
    const address: string = form.StatusCallback ?? json?.data?.receiptsUrl ?? json?.messages?.[0].webhooks.delivery.url;
    return { id, address, code: /\d{6}/.exec(text)![0] };
  }

  async function stateOf(id: number) {
    const [row] = await service.sql`select state, reason from messages where user_id = ${id}`;
    return row;
  }

  return { service, send, stateOf };
}

function post(address: string, body: string, headers: Record<string, string> = {}) {
  return fetch(address, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
}

function signedTwilio(address: string, parameters: Record<string, string>, token = 'token') {
  const text =
    address +
    Object.keys(parameters)
      .sort()
      .map((name) => name + parameters[name])
      .join('');
  return post(address, new URLSearchParams(parameters).toString(), {
    'x-twilio-signature': createHmac('sha1', token).update(text).digest('base64'),
  });
}

const twilioForm = (status: string, more: Record<string, string> = {}) => ({
  AccountSid: 'AC1',
  MessageSid: 'SM1',
  MessageStatus: status,
  ...more,
});

describe('a receipt of Twilio', () => {
  it('moves the message on, forward only, however often and in whatever order it comes', async () => {
    const { send, stateOf } = await start('twilio');
    const { id, address } = await send();
    expect(await stateOf(id)).toEqual({ state: 'accepted', reason: null });
    expect((await signedTwilio(address, twilioForm('sent'))).status).toBe(204);
    expect(await stateOf(id)).toEqual({ state: 'accepted', reason: null });
    expect((await signedTwilio(address, twilioForm('undelivered', { ErrorCode: '30003' }))).status).toBe(204);
    expect(await stateOf(id)).toEqual({ state: 'failed', reason: '30003' });
    expect((await signedTwilio(address, twilioForm('delivered'))).status).toBe(204);
    for (const status of ['undelivered', 'queued', 'delivered', 'failed']) {
      expect((await signedTwilio(address, twilioForm(status))).status).toBe(204);
    }
    expect(await stateOf(id)).toEqual({ state: 'delivered', reason: null });
  });

  it('is refused when it is forged, and nothing changes', async () => {
    const { service, send, stateOf } = await start('twilio');
    const { id, address } = await send();
    const { id: other, address: otherAddress } = await send();
    const delivered = twilioForm('delivered');
    const unsigned = new URLSearchParams(delivered).toString();
    expect((await post(address, unsigned)).status).toBe(403);
    expect((await signedTwilio(address, delivered, 'other-token')).status).toBe(403);
    expect((await signedTwilio(address, { ...delivered, AccountSid: 'AC2' })).status).toBe(403);
    // A signature of another message's address does not open this one.
    const signature = createHmac('sha1', 'token').update(otherAddress).digest('base64');
    expect((await post(address, unsigned, { 'x-twilio-signature': signature })).status).toBe(403);
    // Signed by the gateway, but about an address that we never gave out.
    const made = address.replace(/message=.*/, `message=${id}.1.AAAAAAAAAAAAAAAA`);
    expect((await signedTwilio(made, delivered)).status).toBe(403);
    expect((await signedTwilio(address.replace(/\?.*/, ''), delivered)).status).toBe(403);
    // Another message's receipt, replayed at this one's address.
    expect((await signedTwilio(otherAddress, delivered)).status).toBe(204);
    expect((await post(address, `${unsigned}&pad=${'x'.repeat(70_000)}`)).status).toBe(413);
    expect(await stateOf(id)).toEqual({ state: 'accepted', reason: null });
    // SM1 is not what the gateway called the other message.
    expect(await stateOf(other)).toEqual({ state: 'accepted', reason: null });
    expect(service.logLines.join('')).toContain('"reason":"not-authentic"');
  });

  it('is not looked for at a gateway that is not in use', async () => {
    const { service } = await start('twilio');
    expect((await fetch(`${service.url}/gateways/vonage/receipts`)).status).toBe(404);
    expect((await post(`${service.url}/gateways/infobip/receipts`, '{"results":[]}')).status).toBe(404);
    expect((await fetch(`${service.url}/gateways/twilio/receipts`)).status).toBe(405);
  });

  it('may come before the message is recorded', async () => {
    const { service, send, stateOf } = await start('twilio');
    const { id, address } = await send();
    const [row] = await service.sql`delete from messages where user_id = ${id} returning *`;
    // Counts the statements that look for the message; the sequence keeps what a rollback would lose.
    await service.sql.unsafe(`
      create sequence looks;
      create function count_look() returns trigger language plpgsql
        as 'begin perform nextval(''ledgerline.looks''); return null; end';
      create trigger looks after update on messages for each statement execute function count_look()`);
    const receipt = signedTwilio(address, twilioForm('delivered'));
    await until(async () => (await service.sql`select is_called from looks`)[0]!.is_called);
    await service.sql`insert into messages ${service.sql(row!)}`;
    expect((await receipt).status).toBe(204);
    expect(await stateOf(id)).toMatchObject({ state: 'delivered' });
  });
});

describe('a receipt of Infobip', () => {
  it('is authentic by its address, which is secret', async () => {
    const { send, stateOf } = await start('infobip');
    const { id, address } = await send();
    const body = JSON.stringify({ results: [{ messageId: 'I1', status: { groupId: 3 } }] });
    const json = { 'content-type': 'application/json' };
    const guess = address.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    expect((await post(guess, body, json)).status).toBe(403);
    expect((await post(address.replace(/\?.*/, ''), body, json)).status).toBe(403);
    expect((await post(address, 'nonsense', json)).status).toBe(403);
    expect(await stateOf(id)).toMatchObject({ state: 'accepted' });
    const foreign = body.replace('I1', 'I99');
    expect((await post(address, foreign, json)).status).toBe(204);
    expect(await stateOf(id)).toMatchObject({ state: 'accepted' });
    expect((await post(address, body, json)).status).toBe(204);
    expect(await stateOf(id)).toMatchObject({ state: 'delivered' });
  });
});

describe('a receipt of the webhook', () => {
  it('is signed by Standard Webhooks, and not older than five minutes', async () => {
    const { send, stateOf } = await start('webhook');
    const { id, address } = await send();
    const body = JSON.stringify({
      type: 'message.receipt',
      data: { state: 'failed', reason: 'no credit on 447911123456' },
    });
    const signed = (at: Date) => post(address, body, signWebhook(webhookKey(secret), 'r1', body, at));
    expect((await signed(new Date(Date.now() - 301_000))).status).toBe(403);
    expect((await post(address, body)).status).toBe(403);
    expect(await stateOf(id)).toMatchObject({ state: 'accepted' });
    expect((await signed(new Date())).status).toBe(204);
    // What a gateway writes may quote the number; the trail does not.
    expect(await stateOf(id)).toEqual({ state: 'failed', reason: 'no credit on …' });
  });
});

describe('a code that was verified', () => {
  it('stays verified whatever the receipt says', async () => {
    const { service, send } = await start('twilio');
    const { id, address, code } = await send();
    expect((await service.verify(id, code)).status).toBe(200);
    expect((await signedTwilio(address, twilioForm('failed'))).status).toBe(204);
    const { json } = await service.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' });
    expect(json.messages[0]).toMatchObject({ outcome: 'verified', state: 'failed' });
  });
});

describe('a receipt of a gateway that did not answer in time', () => {
  async function sendWith(vonageBehaviour: Behaviour) {
    const twilio = await gatewayServer('hang');
    const vonage = await gatewayServer(vonageBehaviour);
    const service = await serviceForTest({
      ...(await twoGatewaySettings(twilio.url, vonage.url)),
      LEDGERLINE_GATEWAY_SECONDS: '1',
      LEDGERLINE_SEND_SECONDS: '3',
      LEDGERLINE_RESEND_AFTER_SECONDS: '30',
    });
    const id = await service.createUser();
    const { status } = await service.sendCode(id, newPhone());
    const readMessages = () =>
      service.sql`select gateway, channel, gateway_message_id, state from messages where user_id = ${id}`;
    const address = twilio.received[0]!.form.StatusCallback!;
    return { twilio, vonage, service, id, status, address, readMessages };
  }

  it('counts if it says that the text was delivered, and no further text is sent when the next gateway fails', async () => {
    const { twilio, vonage, service, id, status, address, readMessages } = await sendWith(vonageAccepts);
    expect(status).toBe(204);
    expect((await sendTwilioReceipt(address, 'failed')).status).toBe(204);
    expect(await readMessages()).toMatchObject([{ gateway: 'vonage', state: 'accepted' }]);
    expect((await sendTwilioReceipt(address, 'delivered')).status).toBe(204);
    const delivered = [{ gateway: 'twilio', channel: 'sms', gateway_message_id: 'SM1', state: 'delivered' }];
    expect(await readMessages()).toEqual(delivered);
    twilio.behave(twilioAccepts);
    const callback = `${vonage.received[0]!.form.callback}&api-key=key&messageId=V1&status=failed`;
    expect((await fetch(callback)).status).toBe(204);
    const { json } = await service.call(`/events?userId=${id}&type=phone.delivery_changed`, undefined, {
      method: 'GET',
    });
    expect(json.events).toMatchObject([{ data: { state: 'delivered', gateway: 'twilio' } }]);
    expect(await readMessages()).toEqual(delivered);
    expect([twilio.received.length, vonage.received.length]).toEqual([1, 1]);
  });

  it('settles an unknown outcome, also if the next gateway did not answer either', async () => {
    const { status, address, readMessages } = await sendWith('hang');
    expect(status).toBe(503);
    expect(await readMessages()).toMatchObject([{ gateway: 'vonage', state: 'unknown' }]);
    expect((await sendTwilioReceipt(address, 'delivered')).status).toBe(204);
    expect(await readMessages()).toMatchObject([{ gateway: 'twilio', state: 'delivered' }]);
  });
});
