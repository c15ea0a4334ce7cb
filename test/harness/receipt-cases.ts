/** Receipts in the form that each HTTP gateway gives them, genuine and forged. */
import { createHash, createHmac, generateKeyPairSync } from 'node:crypto';
import { signWebhook, webhookKey } from '../../src/crypto/standard-webhooks.ts';
import type { Answer, Received } from './servers/gateway-server.ts';

export interface SentMessage {
  /** The gateway's own name for the message. */
  gatewayId: string;
  /** Where the receipt goes: told to the gateway with the message, or configured there. */
  address: string;
  /** Our name for the message. */
  reference: string;
}

export interface ReceiptCall {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string;
}

interface Case {
  settings(url: string): Record<string, string>;
  accepts(id: string): Answer;
  sent(received: Received, serviceUrl: string): Omit<SentMessage, 'gatewayId'>;
  receipt(sent: SentMessage, state: 'delivered' | 'failed', forged?: Forged): ReceiptCall;
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
export const webhookSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

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

const twilioVoice: Case = {
  settings: (url) => ({
    LEDGERLINE_CHANNELS: '*=voice',
    LEDGERLINE_SENDER: '+15550001',
    LEDGERLINE_TWILIO_ACCOUNT: 'AC1',
    LEDGERLINE_TWILIO_TOKEN: 'hunter2-token',
    LEDGERLINE_GATEWAY_URLS: `twilio-voice=${url}`,
  }),
  accepts: (sid) => ({ status: 201, body: { sid, status: 'queued' } }),
  sent: ({ form: { StatusCallback: address = '' } }) => ({ address, reference: referenceIn(address) }),
  receipt({ address, gatewayId }, state, forged) {
    const parameters: Record<string, string> = {
      AccountSid: forged?.account ?? 'AC1',
      CallSid: gatewayId,
      ...(state === 'delivered' ? { AnsweredBy: 'human' } : { CallStatus: 'no-answer' }),
    };
    const names = Object.keys(parameters).sort();
    const text = address + names.map((name) => name + parameters[name]).join('');
    const signature = createHmac('sha1', forged?.secret ?? 'hunter2-token')
      .update(text)
      .digest('base64');
    const headers = { ...form, ...(!forged?.unsigned && { 'x-twilio-signature': signature }) };
    return { method: 'POST', url: address, headers, body: new URLSearchParams(parameters).toString() };
  },
  reason: 'no-answer',
  forgeries: [wrongSecret, unsigned, otherAccount],
};

const { privateKey: vonagePrivateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

const vonageVoice: Case = {
  settings: (url) => ({
    LEDGERLINE_CHANNELS: '*=voice',
    LEDGERLINE_SENDER: 'Acme; vonage-voice=+15550001',
    LEDGERLINE_VONAGE_APPLICATION: 'app-1',
    LEDGERLINE_VONAGE_PRIVATE_KEY: vonagePrivateKey,
    LEDGERLINE_VONAGE_SIGNATURE_SECRET: 'hunter2-signing',
    LEDGERLINE_GATEWAY_URLS: `vonage-voice=${url}`,
  }),
  accepts: (uuid) => ({ status: 201, body: { uuid, status: 'started' } }),
  sent: ({
    json: {
      event_url: [address],
    },
  }) => ({ address, reference: referenceIn(address) }),
  receipt({ address, gatewayId }, state, forged) {
    const status = state === 'delivered' ? 'human' : 'busy';
    const body = JSON.stringify({ uuid: gatewayId, status, direction: 'outbound', to: '447700900000' });
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({
      iss: 'Vonage',
      iat: seconds(forged?.ageSeconds),
      jti: 'b6f4b6bb',
      payload_hash: createHash('sha256')
        .update(forged?.account ?? body)
        .digest('hex'),
    })}`;
    const signature = createHmac('sha256', forged?.secret ?? 'hunter2-signing')
      .update(text)
      .digest('base64url');
    const headers = { ...json, ...(!forged?.unsigned && { authorization: `Bearer ${text}.${signature}` }) };
    return { method: 'POST', url: address, headers, body };
  },
  reason: 'busy',
  forgeries: [wrongSecret, unsigned, old, { what: 'signed for another body', account: '{}' }],
};

const whatsapp: Case = {
  settings: (url) => ({
    LEDGERLINE_CHANNELS: '*=whatsapp',
    LEDGERLINE_WHATSAPP_PHONE_ID: '4711',
    LEDGERLINE_WHATSAPP_TOKEN: 'hunter2-token',
    LEDGERLINE_WHATSAPP_SECRET: 'hunter2-secret',
    LEDGERLINE_GATEWAY_URLS: `whatsapp=${url}`,
  }),
  accepts: (id) => ({ status: 200, body: { messages: [{ id }] } }),
  sent: ({ json: sent }, serviceUrl) => ({
    address: `${serviceUrl}/gateways/whatsapp/receipts`,
    reference: sent.biz_opaque_callback_data,
  }),
  receipt({ address, gatewayId, reference }, state, forged) {
    const status = {
      id: gatewayId,
      status: state,
      timestamp: String(seconds()),
      recipient_id: '447700900000',
      biz_opaque_callback_data: reference,
      ...(state === 'failed' && { errors: [{ code: 131026, title: 'Message undeliverable' }] }),
    };
    const metadata = { display_phone_number: '15550001', phone_number_id: '4711' };
    const value = { messaging_product: 'whatsapp', metadata, statuses: [status] };
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
    });
    const signature = createHmac('sha256', forged?.secret ?? 'hunter2-secret')
      .update(body)
      .digest('hex');
    const headers = { ...json, ...(!forged?.unsigned && { 'x-hub-signature-256': `sha256=${signature}` }) };
    return { method: 'POST', url: address, headers, body };
  },
  reason: '131-026',
  forgeries: [wrongSecret, unsigned],
};

export const receiptCases: [name: string, gateway: string, one: Case][] = [
  ['Twilio', 'twilio', twilio],
  ['Vonage, as JSON', 'vonage', vonage('json')],
  ['Vonage, as a form', 'vonage', vonage('form')],
  ['Vonage, in the address', 'vonage', vonage('query')],
  ['Infobip', 'infobip', infobip],
  ['MessageBird', 'messagebird', messagebird],
  ['AWS', 'aws', aws],
  ['the webhook', 'webhook', webhook],
  ['calls by Twilio', 'twilio-voice', twilioVoice],
  ['calls by Vonage', 'vonage-voice', vonageVoice],
  ['WhatsApp', 'whatsapp', whatsapp],
];
