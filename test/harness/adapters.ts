/** The adapters of the HTTP gateways, with servers that accept only what the gateways document. */
import { generateKeyPairSync, verify } from 'node:crypto';
import { expect } from 'vitest';
import type { GatewayContext } from '../../src/sms/define-gateway.ts';
import type { Gateway, Message } from '../../src/sms/gateway.ts';
import { createAws } from '../../src/sms/gateways/aws.ts';
import { infobip } from '../../src/sms/gateways/infobip.ts';
import { messageBird } from '../../src/sms/gateways/messagebird.ts';
import { twilioVoice } from '../../src/sms/gateways/twilio-voice.ts';
import { twilio } from '../../src/sms/gateways/twilio.ts';
import { vonage } from '../../src/sms/gateways/vonage.ts';
import { vonageVoice } from '../../src/sms/gateways/vonage-voice.ts';
import { webhook } from '../../src/sms/gateways/webhook.ts';
import { whatsapp } from '../../src/sms/gateways/whatsapp.ts';
import { signV4 } from '../../src/sms/sigv4.ts';
import { isSignedWebhook, webhookKey } from '../../src/crypto/standard-webhooks.ts';
import { gatewayServer, type Answer, type Behaviour, type Received } from './servers/gateway-server.ts';

export const message: Message = {
  reference: '17.3.1.AAAAAAAAAAAAAAAA',
  e164: '+447911123456',
  country: 'GB',
  channel: 'sms',
  locale: 'en',
  text: 'Acme: 123456 is your code. 5 € £',
  code: '123456',
  purpose: 'verification',
  validSeconds: 600,
};

export const now = () => new Date('2026-01-02T03:04:05Z');
const callbackUrl = (reference: string) => `https://l.example/receipts?message=${reference}`;
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const context: GatewayContext = {
  baseUrl: '',
  sender: (country) => (country === 'US' ? '+15550001' : 'Acme'),
  callbackUrl,
  now,
  onReceipt() {},
  onLink() {},
  async keepInInbox() {},
  writeToTerminal() {},
};

export function makeVonage(baseUrl: string, secret: string | undefined): Gateway {
  const vonageSignature = secret === undefined ? undefined : { method: 'sha256', secret };
  const values = { vonageKey: 'abcd1234', vonageSecret: 'secret1', vonageSignature };
  return vonage.create(values, { ...context, baseUrl });
}

export function makeMessageBird(baseUrl: string, messagebirdSigningKey: string | undefined): Gateway {
  return messageBird.create({ messagebirdKey: 'key', messagebirdSigningKey }, { ...context, baseUrl });
}

/** Of the application that makes calls at Vonage. */
const vonageKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });

export function makeVonageVoice(baseUrl: string, secret: string | undefined): Gateway {
  const vonageSignature = secret === undefined ? undefined : { method: 'sha256', secret };
  const values = { vonageApplication: 'app-1', vonagePrivateKey: vonageKeys.privateKey, vonageSignature };
  return vonageVoice.create(values, { ...context, baseUrl });
}

export const makeAws = (baseUrl: string, onLink: GatewayContext['onLink'] = () => {}): Gateway =>
  createAws(awsValues, { ...context, baseUrl, onLink }, baseUrl);

export function makeWhatsapp(baseUrl: string, onLink: GatewayContext['onLink'] = () => {}): Gateway {
  const values = { whatsappPhone: '4711', whatsappToken: 'token', whatsappSecret: 'secret', whatsappTemplate: 'otp' };
  return whatsapp.create(values, { ...context, baseUrl, onLink });
}

const awsValues = {
  awsRegion: 'eu-west-1',
  awsCredentials: { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: undefined },
  awsConfigurationSet: 'receipts',
  awsTopic: 'arn:aws:sns:eu-west-1:1:receipts',
};

/** How to make each gateway's adapter, and a server that accepts only what the gateway documents. */
export const adapters: Record<string, { make(url: string): Gateway; accepts(received: Received): Answer; id: string }> =
  {
    twilio: {
      make: (baseUrl) => twilio.create({ twilioAccount: 'AC1', twilioToken: 'token' }, { ...context, baseUrl }),
      accepts({ path, headers, form }) {
        expect(path).toBe('/2010-04-01/Accounts/AC1/Messages.json');
        expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
        expect(headers.authorization).toBe(`Basic ${Buffer.from('AC1:token').toString('base64')}`);
        expect(form).toEqual({
          To: message.e164,
          From: 'Acme',
          Body: expect.stringContaining('123456'),
          ValidityPeriod: '600',
          StatusCallback: callbackUrl(message.reference),
        });
        return { status: 201, body: { sid: 'SM1', status: 'queued', error_code: null } };
      },
      id: 'SM1',
    },
    vonage: {
      make: (url) => makeVonage(url, undefined),
      accepts({ path, headers, form }) {
        expect(path).toBe('/sms/json');
        expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
        expect(form).toEqual({
          api_key: 'abcd1234',
          api_secret: 'secret1',
          from: 'Acme',
          to: '447911123456',
          text: expect.stringContaining('123456'),
          type: form.text === message.text ? 'text' : 'unicode',
          ttl: '600000',
          'client-ref': message.reference,
          callback: callbackUrl(message.reference),
        });
        expect(form['client-ref']!.length).toBeLessThanOrEqual(40);
        return { status: 200, body: { 'message-count': '1', messages: [{ status: '0', 'message-id': 'V1' }] } };
      },
      id: 'V1',
    },
    infobip: {
      make: (url) => infobip.create({ infobipUrl: url, infobipKey: 'key' }, context),
      accepts({ path, headers, json }) {
        expect(path).toBe('/sms/3/messages');
        expect(headers.authorization).toBe('App key');
        expect(json).toEqual({
          messages: [
            {
              sender: 'Acme',
              destinations: [{ to: '447911123456' }],
              content: { text: expect.stringContaining('123456') },
              options: { validityPeriod: { amount: 600, timeUnit: 'SECONDS' } },
              webhooks: { delivery: { url: callbackUrl(message.reference) }, contentType: 'application/json' },
            },
          ],
        });
        return {
          status: 200,
          body: { messages: [{ messageId: 'I1', status: { groupId: 1, name: 'PENDING_ACCEPTED' } }] },
        };
      },
      id: 'I1',
    },
    messagebird: {
      make: (url) => makeMessageBird(url, undefined),
      accepts({ path, headers, json }) {
        expect(path).toBe('/messages');
        expect(headers.authorization).toBe('AccessKey key');
        expect(json).toEqual({
          originator: 'Acme',
          recipients: ['447911123456'],
          body: expect.stringContaining('123456'),
          validity: 600,
          datacoding: json.body === message.text ? 'plain' : 'unicode',
          reference: message.reference,
          reportUrl: callbackUrl(message.reference),
        });
        const recipients = { totalCount: 1, totalSentCount: 1, items: [{ status: 'sent' }] };
        return { status: 201, body: { id: 'M1', recipients } };
      },
      id: 'M1',
    },
    aws: {
      make: makeAws,
      accepts({ headers, json, body }) {
        expect(headers['x-amz-target']).toBe('PinpointSMSVoiceV2.SendTextMessage');
        const signed = signV4(
          {
            service: 'sms-voice',
            region: 'eu-west-1',
            path: '/',
            headers: {
              host: headers.host!,
              'content-type': 'application/x-amz-json-1.0',
              'x-amz-target': 'PinpointSMSVoiceV2.SendTextMessage',
            },
            body,
          },
          { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: undefined },
          now(),
        );
        expect(headers.authorization).toBe(signed.authorization);
        expect(json).toEqual({
          DestinationPhoneNumber: message.e164,
          OriginationIdentity: 'Acme',
          MessageBody: expect.stringContaining('123456'),
          MessageType: 'TRANSACTIONAL',
          TimeToLive: 600,
          ConfigurationSetName: 'receipts',
          Context: { message: message.reference },
        });
        return { status: 200, body: { MessageId: 'A1' } };
      },
      id: 'A1',
    },
    webhook: {
      make: (url) => webhook.create({ webhookUrl: `${url}/sms?tenant=1`, webhookSecret: secret }, context),
      accepts({ path, headers, json, body }) {
        expect(path).toBe('/sms?tenant=1');
        expect(headers['webhook-id']).toBe(message.reference);
        expect(isSignedWebhook(webhookKey(secret), headers, body, now())).toBe(true);
        expect(isSignedWebhook(webhookKey(secret), headers, `${body} `, now())).toBe(false);
        expect(json.data).toMatchObject({ phoneNumber: message.e164, reference: message.reference, sender: 'Acme' });
        return { status: 202, body: { id: 'W1' } };
      },
      id: 'W1',
    },
    'twilio-voice': {
      make: (baseUrl) => twilioVoice.create({ twilioAccount: 'AC1', twilioToken: 'token' }, { ...context, baseUrl }),
      accepts({ path, headers, form }) {
        expect(path).toBe('/2010-04-01/Accounts/AC1/Calls.json');
        expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
        expect(headers.authorization).toBe(`Basic ${Buffer.from('AC1:token').toString('base64')}`);
        const say = '<Say language="en-GB">[^<]*1, 2, 3, 4, 5, 6[^<]*</Say>';
        expect(form).toEqual({
          To: message.e164,
          From: 'Acme',
          Twiml: expect.stringMatching(new RegExp(`^<Response>${say}<Pause length="1"/>${say}</Response>$`)),
          Timeout: '40',
          StatusCallback: callbackUrl(message.reference),
          MachineDetection: 'Enable',
          AsyncAmd: 'true',
          AsyncAmdStatusCallback: callbackUrl(message.reference),
        });
        return { status: 201, body: { sid: 'CA1', status: 'queued' } };
      },
      id: 'CA1',
    },
    'vonage-voice': {
      make: (url) => makeVonageVoice(url, undefined),
      accepts({ path, headers, json }) {
        expect(path).toBe('/v1/calls');
        const [head, claims, signature] = headers.authorization!.slice('Bearer '.length).split('.');
        const signed = Buffer.from(`${head}.${claims}`);
        expect(verify('sha256', signed, vonageKeys.publicKey, Buffer.from(signature!, 'base64url'))).toBe(true);
        const seconds = now().getTime() / 1000;
        expect(JSON.parse(Buffer.from(claims!, 'base64url').toString())).toEqual({
          application_id: 'app-1',
          iat: seconds,
          exp: seconds + 300,
          jti: expect.any(String),
        });
        expect(json).toEqual({
          to: [{ type: 'phone', number: '447911123456' }],
          from: { type: 'phone', number: 'Acme' },
          ncco: [{ action: 'talk', language: 'en-GB', text: expect.stringContaining('1, 2, 3, 4, 5, 6'), loop: 2 }],
          ringing_timer: 40,
          machine_detection: 'hangup',
          event_url: [callbackUrl(message.reference)],
          event_method: 'POST',
        });
        return { status: 201, body: { uuid: 'U1', status: 'started', direction: 'outbound' } };
      },
      id: 'U1',
    },
    whatsapp: {
      make: (url) => makeWhatsapp(url),
      accepts({ path, headers, json }) {
        expect(path).toBe('/v23.0/4711/messages');
        expect(headers.authorization).toBe('Bearer token');
        const code = [{ type: 'text', text: '123456' }];
        expect(json).toEqual({
          messaging_product: 'whatsapp',
          recipient_type: 'individual',
          to: '447911123456',
          type: 'template',
          template: {
            name: 'otp',
            language: { policy: 'deterministic', code: 'en' },
            components: [
              { type: 'body', parameters: code },
              { type: 'button', sub_type: 'url', index: '0', parameters: code },
            ],
          },
          biz_opaque_callback_data: message.reference,
        });
        return { status: 200, body: { messaging_product: 'whatsapp', messages: [{ id: 'wamid.1' }] } };
      },
      id: 'wamid.1',
    },
  };

/** What the gateway answers to a message, when its server behaves like this. */
export async function ask(name: string, behaviour: Behaviour, within = 20_000, sent = message) {
  const server = await gatewayServer(behaviour);
  const gateway = adapters[name]!.make(server.url);
  const answer = await gateway.send(sent, within);
  await gateway.close?.();
  return { answer, server };
}
