/**
 * Receipts of every HTTP gateway, from the send to the trail: a running service, a gateway that it sends through, and
 * callbacks in the form which that gateway gives them. What is forged, replayed or of another account changes nothing.
 */
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../src/network/free-port.ts';
import type { GatewayDefinition } from '../../src/sms/define-gateway.ts';
import { gatewayDefinitions } from '../../src/sms/gateways/index.ts';
import { signWebhook, webhookKey } from '../../src/crypto/standard-webhooks.ts';
import { gatewayServer, type Answer, type Received } from '../harness/servers/gateway-server.ts';
import { newPhone, serviceForTest } from '../harness/service.ts';

interface Sent {
  /** The gateway's own name for the message. */
  gatewayId: string;
  /** Where the receipt goes: told to the gateway with the message, or configured there. */
  address: string;
  /** Our name for the message. */
  reference: string;
}

interface Call {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string;
}

interface Case {
  settings(url: string): Record<string, string>;
  accepts(id: string): Answer;
  sent(received: Received, serviceUrl: string): Omit<Sent, 'gatewayId'>;
  receipt(sent: Sent, state: 'delivered' | 'failed', forged?: Forged): Call;
  /** The reason that the trail gives for a failure. */
  reason: string;
  /** What a stranger would have to get right. */
  forgeries: Forged[];
}

interface Forged {
  what: string;
  account?: string;
  secret?: string;
  unsigned?: boolean;
  ageSeconds?: number;
}

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const seconds = (ageSeconds = 0) => Math.floor(Date.now() / 1000) - ageSeconds;
const referenceIn = (address: string) => new URL(address).searchParams.get('message')!;
const webhookSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

const wrongSecret = { what: 'signed by somebody else', secret: 'guess' };
const unsigned = { what: 'not signed', unsigned: true };
const otherAccount = { what: 'of another account', account: 'other' };
const old = { what: 'an hour old', ageSeconds: 3600 };

const twilio: Case = {
  settings: (url) => ({
    LEDGERLINE_TWILIO_ACCOUNT: 'AC1',
    LEDGERLINE_TWILIO_TOKEN: 'hunter2-token',
    LEDGERLINE_GATEWAY_URLS: `twilio=${url}`,
  }),
  accepts: (sid) => ({ status: 201, body: { sid, status: 'queued' } }),
  sent: ({ form: { StatusCallback: address = '' } }) => ({ address, reference: referenceIn(address) }),
  receipt({ address, gatewayId }, state, forged) {
    const parameters: Record<string, string> = {
      AccountSid: forged?.account ?? 'AC1',
      ApiVersion: '2010-04-01',
      From: '+15550001',
      MessageSid: gatewayId,
      MessageStatus: state === 'delivered' ? 'delivered' : 'undelivered',
      SmsSid: gatewayId,
      ...(state === 'failed' && { ErrorCode: '30003' }),
    };
    const names = Object.keys(parameters).sort();
    const text = address + names.map((name) => name + parameters[name]).join('');
    const signature = createHmac('sha1', forged?.secret ?? 'hunter2-token')
      .update(text)
      .digest('base64');
    const headers = { ...form, ...(!forged?.unsigned && { 'x-twilio-signature': signature }) };
    return { method: 'POST', url: address, headers, body: new URLSearchParams(parameters).toString() };
  },
  reason: '30003',
  forgeries: [wrongSecret, unsigned, otherAccount],
};

function vonage(way: 'json' | 'form' | 'query'): Case {
  return {
    settings: (url) => ({
      LEDGERLINE_VONAGE_KEY: 'abcd1234',
      LEDGERLINE_VONAGE_SECRET: 'hunter2-secret',
      LEDGERLINE_VONAGE_SIGNATURE_SECRET: 'hunter2-signing',
      LEDGERLINE_GATEWAY_URLS: `vonage=${url}`,
    }),
    accepts: (id) => ({ status: 200, body: { 'message-count': '1', messages: [{ status: '0', 'message-id': id }] } }),
    sent: ({ form: { callback: address = '' } }) => ({ address, reference: referenceIn(address) }),
    receipt({ address, gatewayId }, state, forged) {
      const parameters: Record<string, string> = {
        msisdn: '447700900000',
        to: 'Acme & Co = 1',
        messageId: gatewayId,
        status: state,
        'err-code': state === 'failed' ? '6' : '0',
        'api-key': forged?.account ?? 'abcd1234',
        'message-timestamp': '2026-01-01 12:00:00 +0000',
        timestamp: String(seconds(forged?.ageSeconds)),
        nonce: 'ec11dd3e-1e7f-4db5-9467-82b02cd223b9',
      };
      const names = Object.keys(parameters).sort();
      const text = names.map((name) => `&${name}=${parameters[name]!.replaceAll(/[&=]/g, '_')}`).join('');
      const sig = createHmac('sha256', forged?.secret ?? 'hunter2-signing')
        .update(text)
        .digest('hex');
      const all: Record<string, string> = { ...parameters, ...(!forged?.unsigned && { sig }) };
      const encoded = new URLSearchParams(all).toString();
      if (way === 'query') return { method: 'GET', url: `${address}&${encoded}` };
      return way === 'json'
        ? { method: 'POST', url: address, headers: json, body: JSON.stringify(all) }
        : { method: 'POST', url: address, headers: form, body: encoded };
    },
    reason: 'failed 6',
    forgeries: [wrongSecret, unsigned, otherAccount, old],
  };
}

const infobip: Case = {
  settings: (url) => ({ LEDGERLINE_INFOBIP_KEY: 'hunter2-key', LEDGERLINE_INFOBIP_URL: url }),
  accepts: (messageId) => ({ status: 200, body: { messages: [{ messageId, status: { groupId: 1 } }] } }),
  sent({ json: { messages } }) {
    const address: string = messages[0].webhooks.delivery.url;
    return { address, reference: referenceIn(address) };
  },
  receipt({ address, gatewayId }, state) {
    const status = state === 'delivered' ? { groupId: 3, name: 'DELIVERED_TO_HANDSET' } : { groupId: 2 };
    const error = { name: state === 'delivered' ? 'NO_ERROR' : 'EC_ABSENT_SUBSCRIBER' };
    const body = JSON.stringify({ results: [{ messageId: gatewayId, to: '447700900000', status, error }] });
    return { method: 'POST', url: address, headers: json, body };
  },
  reason: 'EC_ABSENT_SUBSCRIBER',
  forgeries: [],
};

const messagebird: Case = {
  settings: (url) => ({
    LEDGERLINE_MESSAGEBIRD_KEY: 'hunter2-key',
    LEDGERLINE_MESSAGEBIRD_SIGNING_KEY: 'hunter2-signing',
    LEDGERLINE_GATEWAY_URLS: `messagebird=${url}`,
  }),
  accepts: (id) => ({
    status: 201,
    body: { id, recipients: { totalCount: 1, totalSentCount: 1, items: [{ status: 'sent' }] } },
  }),
  sent: ({ json: { reportUrl, reference } }) => ({ address: reportUrl, reference }),
  receipt({ address, gatewayId, reference }, state, forged) {
    const parameters = new URLSearchParams({
      id: gatewayId,
      reference,
      recipient: '447700900000',
      status: state === 'delivered' ? 'delivered' : 'delivery_failed',
      statusDatetime: '2026-01-01T12:00:00+00:00',
      ...(state === 'failed' && { statusErrorCode: '5' }),
    });
    const url = `${address}&${parameters}`;
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const at = seconds(forged?.ageSeconds);
    const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({
      iss: 'MessageBird',
      nbf: at,
      exp: at + 60,
      jti: 'b6f4b6bb',
      url_hash: createHash('sha256').update(url).digest('hex'),
    })}`;
    const signature = createHmac('sha256', forged?.secret ?? 'hunter2-signing')
      .update(text)
      .digest('base64url');
    return {
      method: 'GET',
      url,
      headers: forged?.unsigned ? {} : { 'messagebird-signature-jwt': `${text}.${signature}` },
    };
  },
  reason: 'delivery_failed 5',
  forgeries: [wrongSecret, unsigned, old],
};

const aws: Case = {
  settings: (url) => ({
    LEDGERLINE_AWS_REGION: 'eu-west-1',
    LEDGERLINE_AWS_CREDENTIALS: 'AKID:hunter2-secret',
    LEDGERLINE_AWS_CONFIGURATION_SET: 'receipts',
    LEDGERLINE_AWS_TOPIC: 'arn:aws:sns:eu-west-1:1:receipts',
    LEDGERLINE_GATEWAY_URLS: `aws=${url}`,
  }),
  accepts: (MessageId) => ({ status: 200, body: { MessageId } }),
  sent: ({ json: { Context } }, serviceUrl) => ({
    address: `${serviceUrl}/gateways/aws/receipts`,
    reference: Context.message,
  }),
  receipt({ address, reference, gatewayId }, state) {
    const event = {
      eventType: state === 'delivered' ? 'TEXT_DELIVERED' : 'TEXT_UNREACHABLE',
      eventVersion: '1.0',
      isFinal: true,
      messageId: gatewayId,
      destinationPhoneNumber: '+447700900000',
      context: { message: reference },
    };
    const notification = {
      Type: 'Notification',
      TopicArn: 'arn:aws:sns:eu-west-1:1:receipts',
      Message: JSON.stringify(event),
    };
    // This is how SNS labels its JSON.
    return {
      method: 'POST',
      url: address,
      headers: { 'content-type': 'text/plain' },
      body: JSON.stringify(notification),
    };
  },
  reason: 'TEXT_UNREACHABLE',
  forgeries: [],
};

const webhook: Case = {
  settings: (url) => ({ LEDGERLINE_WEBHOOK_URL: url, LEDGERLINE_WEBHOOK_SECRET: webhookSecret }),
  accepts: (id) => ({ status: 202, body: { id } }),
  sent: ({ json: { data } }) => ({ address: data.receiptsUrl, reference: data.reference }),
  receipt({ address, gatewayId, reference }, state, forged) {
    const reason = state === 'failed' ? { reason: 'no route' } : {};
    const body = JSON.stringify({ type: 'message.receipt', data: { id: gatewayId, reference, state, ...reason } });
    const key = forged?.secret ? Buffer.from(forged.secret) : webhookKey(webhookSecret);
    const signature = signWebhook(key, 'r1', body, new Date(seconds(forged?.ageSeconds) * 1000));
    return { method: 'POST', url: address, headers: { ...json, ...(!forged?.unsigned && signature) }, body };
  },
  reason: 'no route',
  forgeries: [wrongSecret, unsigned, old],
};

const cases: [name: string, gateway: string, one: Case][] = [
  ['Twilio', 'twilio', twilio],
  ['Vonage, as JSON', 'vonage', vonage('json')],
  ['Vonage, as a form', 'vonage', vonage('form')],
  ['Vonage, in the address', 'vonage', vonage('query')],
  ['Infobip', 'infobip', infobip],
  ['MessageBird', 'messagebird', messagebird],
  ['AWS', 'aws', aws],
  ['the webhook', 'webhook', webhook],
];

it('every gateway that calls us with receipts is among the cases', () => {
  const calling = gatewayDefinitions.filter((definition: GatewayDefinition) => definition.receiptMethods);
  expect([...new Set(cases.map(([, gateway]) => gateway))].toSorted()).toEqual(
    calling.map(({ name }) => name).toSorted(),
  );
});

describe.each(cases)('receipts of %s', (_name, gateway, one) => {
  async function start() {
    let number = 0;
    const server = await gatewayServer(() => one.accepts(`gateway-message-${(number += 1)}`));
    const port = await freePort('127.0.0.1');
    const url = `http://127.0.0.1:${port}`;
    const settings = { PORT: String(port), PUBLIC_URL: url, LEDGERLINE_GATEWAYS: gateway, ...one.settings(server.url) };
    const service = await serviceForTest(settings);

    async function send(): Promise<Sent & { id: number }> {
      const id = await service.createUser();
      expect((await service.sendCode(id, newPhone())).status).toBe(204);
      return { id, gatewayId: `gateway-message-${number}`, ...one.sent(server.received.at(-1)!, url) };
    }

    /** What the operator sees. */
    async function trailOf({ id }: { id: number }) {
      const { json: trail } = await service.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' });
      expect(trail.messages).toHaveLength(1);
      return trail.messages[0];
    }

    return { service, send, trailOf };
  }

  async function call({ method, url, headers, body }: Call): Promise<number> {
    const response = await fetch(url, { method, ...(headers && { headers }), ...(body !== undefined && { body }) });
    await response.arrayBuffer();
    return response.status;
  }

  it('reach the trail, forward only, and a replay changes nothing', async () => {
    const { send, trailOf } = await start();
    const sent = await send();
    const accepted = { state: 'accepted', gateway, gatewayMessageId: sent.gatewayId, reason: null };
    expect(await trailOf(sent)).toMatchObject(accepted);
    const failed = one.receipt(sent, 'failed');
    expect(await call(failed)).toBe(204);
    expect(await trailOf(sent)).toMatchObject({ state: 'failed', reason: one.reason });
    const delivered = one.receipt(sent, 'delivered');
    expect(await call(delivered)).toBe(204);
    const after = await trailOf(sent);
    expect(after).toMatchObject({ state: 'delivered', reason: null });
    for (const replayed of [failed, delivered, failed]) expect(await call(replayed)).toBe(204);
    expect(await trailOf(sent)).toEqual(after);
  });

  it('that are forged or of another message are refused or ignored', async () => {
    const { service, send, trailOf } = await start();
    const [sent, other] = [await send(), await send()];
    const before = [await trailOf(sent), await trailOf(other)];
    for (const forged of one.forgeries) {
      expect([forged.what, await call(one.receipt(sent, 'delivered', forged))]).toEqual([forged.what, 403]);
    }
    // Signed as it should be, about a message that we never sent or to an address that nobody was given.
    const made = `${sent.id}.1.AAAAAAAAAAAAAAAA`;
    const guessed = { ...sent, reference: made, address: sent.address.replace(sent.reference, made) };
    expect(await call(one.receipt(guessed, 'delivered'))).toBe(403);
    // What the gateway says of one message does not count for another.
    const crossed = { ...sent, gatewayId: other.gatewayId };
    expect(await call(one.receipt(crossed, 'failed'))).toBe(204);
    const genuine = one.receipt(sent, 'delivered');
    expect(await call({ ...genuine, method: 'POST', body: 'x'.repeat(70_000) })).toBe(413);
    const unreadable = await call({ ...genuine, method: 'POST', body: '\u0000{"]' });
    expect(unreadable, 'readReceipts returns undefined, and does not throw, if it cannot read the body').toBe(403);
    expect([await trailOf(sent), await trailOf(other)]).toEqual(before);
    // The genuine one still counts, and for its own message alone.
    expect(await call(genuine)).toBe(204);
    expect(await trailOf(sent)).toMatchObject({ state: 'delivered' });
    expect(await trailOf(other)).toEqual(before[1]);
    const log = service.logLines.join('');
    for (const secret of ['hunter2', webhookSecret.slice(6), sent.reference]) expect(log).not.toContain(secret);
  });
});
