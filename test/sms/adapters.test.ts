/** Each HTTP gateway: what it is sent, what its answers mean, and what becomes of it when it misbehaves. */
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { aws } from '../../src/sms/gateways/aws.ts';
import type { Gateway, Message } from '../../src/sms/gateway.ts';
import { infobip } from '../../src/sms/gateways/infobip.ts';
import { messageBird } from '../../src/sms/gateways/messagebird.ts';
import { signV4 } from '../../src/sms/gateways/sigv4.ts';
import { isSignedWebhook, webhookKey } from '../../src/sms/standard-webhooks.ts';
import { twilio } from '../../src/sms/gateways/twilio.ts';
import { vonage } from '../../src/sms/gateways/vonage.ts';
import { webhook } from '../../src/sms/gateways/webhook.ts';
import { gatewayServer, type Answer, type Behaviour, type Received } from '../harness/gateway-server.ts';

const message: Message = {
  reference: '17.3.AAAAAAAAAAAAAAAA',
  phone: '+447911123456',
  country: 'GB',
  text: 'Acme: 123456 is your code. 5 € £',
  code: '123456',
  validSeconds: 600,
};
const cyrillic = { ...message, text: 'Ваш код 123456' };
const sender = (country: string | undefined) => (country === 'US' ? '+15550001' : 'Acme');
const callbackUrl = (reference: string) => `https://l.example/receipts?message=${reference}`;
const now = () => new Date('2026-01-02T03:04:05Z');
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const gateways: Record<string, { make(url: string): Gateway; accepts(received: Received): Answer; id?: string }> = {
  twilio: {
    make: (url) =>
      twilio({ url, accountSid: 'AC1', authToken: 'token', messagingServiceSid: undefined, sender, callbackUrl }),
    accepts({ path, headers, form }) {
      expect(path).toBe('/2010-04-01/Accounts/AC1/Messages.json');
      expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
      expect(headers.authorization).toBe(`Basic ${Buffer.from('AC1:token').toString('base64')}`);
      expect(form).toEqual({
        To: message.phone,
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
    make: (url) =>
      vonage({
        url,
        apiKey: 'abcd1234',
        apiSecret: 'secret1',
        signatureSecret: undefined,
        signature: 'sha256',
        sender,
        callbackUrl,
        now,
      }),
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
    make: (url) => infobip({ url, apiKey: 'key', sender, callbackUrl }),
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
    make: (url) => messageBird({ url, accessKey: 'key', signingKey: undefined, sender, callbackUrl, now }),
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
    make: (url) =>
      aws({
        url,
        region: 'eu-west-1',
        credentials: { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: undefined },
        configurationSet: 'receipts',
        topic: { arn: 'arn:aws:sns:eu-west-1:1:receipts', url },
        sender,
        now,
      }),
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
        DestinationPhoneNumber: message.phone,
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
    make: (url) => webhook({ url: `${url}/sms?tenant=1`, secret, sender, callbackUrl, now }),
    accepts({ path, headers, json, body }) {
      expect(path).toBe('/sms?tenant=1');
      expect(headers['webhook-id']).toBe(message.reference);
      expect(isSignedWebhook(webhookKey(secret), headers, body, now())).toBe(true);
      expect(isSignedWebhook(webhookKey(secret), headers, `${body} `, now())).toBe(false);
      expect(json.data).toMatchObject({ phoneNumber: message.phone, reference: message.reference, sender: 'Acme' });
      return { status: 202, body: { id: 'W1' } };
    },
    id: 'W1',
  },
};

async function ask(name: string, behaviour: Behaviour, within = 20_000, sent = message) {
  const server = await gatewayServer(behaviour);
  const gateway = gateways[name]!.make(server.url);
  const outcome = await gateway.send(sent, within);
  await gateway.close?.();
  return { outcome, server };
}

describe.each(Object.entries(gateways))('%s', (name, { accepts, id }) => {
  it('is sent what it asks for, and its acceptance is one', async () => {
    let failure: unknown;
    const checked = (received: Received) => {
      try {
        return accepts(received);
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    for (const sent of [message, cyrillic]) {
      const { outcome } = await ask(name, checked, 20_000, sent);
      if (failure) throw failure;
      expect(outcome).toEqual({ outcome: 'accepted', gatewayId: id });
    }
  });

  it.each([
    ['hang', 'unknown', 'no answer in time'],
    ['die', 'unknown', 'ECONNRESET'],
    ['half', 'unknown', 'connection lost'],
    ['huge', 'unknown', 'answer too large'],
    ['redirect', 'unavailable', 'redirect 307'],
  ] as const)('does not answer as it should: %s, which is %s', async (behaviour, expected, reason) => {
    const { outcome, server } = await ask(name, behaviour, behaviour === 'hang' ? 300 : 20_000);
    expect(outcome).toEqual({ outcome: expected, reason: expect.any(String) });
    // A connection that ends may be told as a reset or as a lost one.
    if (behaviour !== 'die' && behaviour !== 'half') expect(outcome).toMatchObject({ reason });
    expect(server.received).toHaveLength(1);
  });

  it('leaves it open whether an answer that cannot be read means acceptance', async () => {
    if (name === 'webhook') return;
    const { outcome } = await ask(name, 'garbage');
    expect(outcome).toEqual({ outcome: 'unknown', reason: 'HTTP 200, unreadable' });
  });

  it('surely sent nothing when it cannot be reached', async () => {
    const server = await gatewayServer('hang');
    await server.stop();
    const outcome = await gateways[name]!.make(server.url).send(message, 20_000);
    expect(outcome).toEqual({ outcome: 'unavailable', reason: 'ECONNREFUSED' });
  });

  it.each([
    [429, { outcome: 'unavailable', retryAfterSeconds: 1, isThrottled: true }],
    [503, { outcome: 'unavailable' }],
    [401, { outcome: 'unavailable' }],
    [500, { outcome: 'unavailable' }],
    [502, { outcome: 'unknown' }],
    [504, { outcome: 'unknown' }],
  ])('answers with a bare %i', async (status, expected) => {
    const { outcome } = await ask(name, () => ({ status, body: 'x' }));
    expect(outcome).toEqual({ ...expected, reason: `HTTP ${status}` });
  });

  it.each([
    [429, '42', { retryAfterSeconds: 42, isThrottled: true }],
    [503, '42', { retryAfterSeconds: 42 }],
    [429, 'soon', { retryAfterSeconds: 1, isThrottled: true }],
  ])('says when it wants to be asked again: %i, Retry-After: %s', async (status, after, expected) => {
    const headers = { 'retry-after': after };
    const { outcome } = await ask(name, () => ({ status, headers, body: 'x' }));
    expect(outcome).toEqual({ outcome: 'unavailable', reason: `HTTP ${status}`, ...expected });
  });
});

const failures: [gateway: string, what: string, answer: Answer, outcome: string][] = [
  ['twilio', 'no mobile number', { status: 400, body: { code: 21614, message: 'x' } }, 'refused'],
  ['twilio', 'opted out', { status: 400, body: { code: 21610 } }, 'refused'],
  ['twilio', 'a country that the account may not send to', { status: 400, body: { code: 21408 } }, 'refused'],
  ['twilio', 'throttled', { status: 429, body: { code: 20429 } }, 'unavailable'],
  ['twilio', 'a 201 with an error inside', { status: 201, body: { sid: 'S', error_code: 30006 } }, 'refused'],
  ['twilio', 'a 201 that failed', { status: 201, body: { sid: 'S', status: 'failed' } }, 'unavailable'],
  ['vonage', 'throttled', { status: 200, body: { messages: [{ status: '1' }] } }, 'unavailable'],
  ['vonage', 'an internal error', { status: 200, body: { messages: [{ status: '5' }] } }, 'unavailable'],
  ['vonage', 'no credit', { status: 200, body: { messages: [{ status: '9' }] } }, 'unavailable'],
  ['vonage', 'a barred number', { status: 200, body: { messages: [{ status: '7' }] } }, 'refused'],
  [
    'vonage',
    'an invalid number',
    { status: 200, body: { messages: [{ status: '3', 'error-text': 'Invalid value for param: to' }] } },
    'refused',
  ],
  ['vonage', 'a wrong sender', { status: 200, body: { messages: [{ status: '15' }] } }, 'unavailable'],
  ['vonage', 'one part of two', { status: 200, body: { messages: [{ status: '0' }, { status: '1' }] } }, 'unknown'],
  ['vonage', 'nothing inside', { status: 200, body: { messages: [] } }, 'unknown'],
  [
    'infobip',
    'a rejected number',
    { status: 200, body: { messages: [{ status: { groupId: 5, name: 'REJECTED_DESTINATION' } }] } },
    'refused',
  ],
  [
    'infobip',
    'no credit',
    { status: 200, body: { messages: [{ status: { groupId: 5, name: 'REJECTED_NOT_ENOUGH_CREDITS' } }] } },
    'unavailable',
  ],
  ['infobip', 'a bad request', { status: 400, body: { errorCode: 'E400' } }, 'unavailable'],
  [
    'messagebird',
    'a wrong number',
    { status: 422, body: { errors: [{ code: 9, parameter: 'recipient' }] } },
    'refused',
  ],
  [
    'messagebird',
    'a wrong sender',
    { status: 422, body: { errors: [{ code: 9, parameter: 'originator' }] } },
    'unavailable',
  ],
  ['messagebird', 'a wrong key', { status: 401, body: { errors: [{ code: 2 }] } }, 'unavailable'],
  ['messagebird', 'nobody', { status: 201, body: { id: 'x', recipients: { totalSentCount: 0 } } }, 'unavailable'],
  [
    'aws',
    'opted out',
    { status: 409, body: { __type: 'x#ConflictException', Reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT' } },
    'refused',
  ],
  [
    'aws',
    'an invalid number',
    { status: 400, body: { __type: 'ValidationException', Fields: [{ Name: 'DestinationPhoneNumber' }] } },
    'refused',
  ],
  ['aws', 'throttled', { status: 400, body: { __type: 'ThrottlingException' } }, 'unavailable'],
  ['aws', 'not allowed', { status: 400, body: { __type: 'AccessDeniedException' } }, 'unavailable'],
  ['aws', 'an internal error', { status: 500, body: { __type: 'InternalServerException' } }, 'unavailable'],
  ['webhook', 'a message that it refuses', { status: 422, body: { reason: 'landline' } }, 'refused'],
  ['webhook', 'an address that is gone', { status: 410 }, 'unavailable'],
];

describe('an error answer', () => {
  it.each(failures)('of %s: %s', async (name, _what, answer, expected) => {
    const { outcome } = await ask(name, () => answer);
    expect(outcome.outcome).toBe(expected);
  });

  it('never carries a number into its reason', async () => {
    const { outcome } = await ask('webhook', () => ({
      status: 422,
      body: { reason: `no route to ${message.phone} or 447911123456` },
    }));
    expect(JSON.stringify(outcome)).not.toContain('7911');
  });
});

describe('a connection', () => {
  it('is kept for the next message, but not for longer than the gateway keeps it', async () => {
    // A connection that is closed just as a message goes out would leave open what became of the message.
    const server = await gatewayServer(() => ({
      status: 201,
      body: { sid: 'SM1' },
      headers: { 'keep-alive': 'timeout=2' },
    }));
    const gateway = gateways.twilio!.make(server.url);
    for (let sent = 0; sent < 3; sent += 1) {
      expect((await gateway.send(message, 20_000)).outcome).toBe('accepted');
    }
    const before = server.connections();
    expect(before).toBeLessThan(3);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect((await gateway.send(message, 20_000)).outcome).toBe('accepted');
    expect(server.connections()).toBe(before + 1);
    await gateway.close!();
  });

  it('is not closed after a rush', async () => {
    const headers = { 'keep-alive': 'timeout=60' };
    const server = await gatewayServer(() => ({ status: 201, body: { sid: 'SM1' }, headers }));
    const gateway = gateways.twilio!.make(server.url);
    const rush = () => Promise.all(Array.from({ length: 400 }, () => gateway.send(message, 20_000)));
    await rush();
    const before = server.connections();
    expect(before).toBeGreaterThan(300);
    await rush();
    expect(server.connections()).toBe(before);
    await gateway.close!();
  });
});

describe('Signature Version 4', () => {
  /** The POST of AWS's published test suite (post-x-www-form-urlencoded), whose signature is known. */
  it('agrees with the published example', () => {
    const signed = signV4(
      {
        service: 'service',
        region: 'us-east-1',
        path: '/',
        headers: { host: 'example.amazonaws.com', 'content-type': 'application/x-www-form-urlencoded' },
        body: 'Param1=value1',
      },
      {
        accessKeyId: 'AKIDEXAMPLE',
        secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
        sessionToken: undefined,
      },
      new Date('2015-08-30T12:36:00Z'),
    );
    expect(signed.authorization).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
        'SignedHeaders=content-type;host;x-amz-date, ' +
        'Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    );
  });
});

describe('AWS', () => {
  it('confirms the subscription of its topic, at AWS and not at the address it is told', async () => {
    const sns = await gatewayServer(() => ({ status: 200 }));
    const gateway = gateways.aws!.make(sns.url);
    const body = {
      Type: 'SubscriptionConfirmation',
      TopicArn: 'arn:aws:sns:eu-west-1:1:receipts',
      Token: 'token',
      SubscribeURL: 'http://127.0.0.1:1/evil',
    };
    const callback = { url: 'https://l.example/r', headers: {}, body: Buffer.from(JSON.stringify(body)) };
    expect(gateway.readReceipts!(callback)).toEqual([]);
    while (sns.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(sns.received[0]!.form).toEqual({
      Action: 'ConfirmSubscription',
      Version: '2010-03-31',
      TopicArn: 'arn:aws:sns:eu-west-1:1:receipts',
      Token: 'token',
    });
  });
});

describe('a receipt', () => {
  const callback = (body: string, headers: Record<string, string> = {}, url = 'https://l.example/r?message=m') => ({
    url,
    headers,
    body: Buffer.from(body),
  });

  it('of Twilio is signed over address and parameters, for our account', () => {
    const gateway = gateways.twilio!.make('http://127.0.0.1:1');
    // The example of Twilio's own documentation of request signing, with our token.
    const sign = (body: string, token = 'token') => {
      const parameters = [...new URLSearchParams(body)].sort(([a], [b]) => (a < b ? -1 : 1)).flat();
      const text = `https://l.example/r?message=m${parameters.join('')}`;
      return { 'x-twilio-signature': createHmac('sha1', token).update(text).digest('base64') };
    };
    const body = 'MessageStatus=delivered&AccountSid=AC1&MessageSid=SM1';
    expect(gateway.readReceipts!(callback(body, sign(body)))).toEqual([{ id: 'SM1', state: 'delivered' }]);
    expect(gateway.readReceipts!(callback(body))).toBeUndefined();
    expect(gateway.readReceipts!(callback(body, sign(body, 'other')))).toBeUndefined();
    expect(gateway.readReceipts!(callback(`${body}&x=1`, sign(body)))).toBeUndefined();
    expect(gateway.readReceipts!(callback(body, sign(body), 'https://l.example/r?message=n'))).toBeUndefined();
    const foreign = body.replace('AC1', 'AC2');
    expect(gateway.readReceipts!(callback(foreign, sign(foreign)))).toBeUndefined();
    const failed = 'MessageStatus=undelivered&AccountSid=AC1&MessageSid=SM1&ErrorCode=30003';
    expect(gateway.readReceipts!(callback(failed, sign(failed)))).toEqual([
      { id: 'SM1', state: 'failed', reason: '30003' },
    ]);
    const queued = 'MessageStatus=queued&AccountSid=AC1&MessageSid=SM1';
    expect(gateway.readReceipts!(callback(queued, sign(queued)))).toEqual([]);
  });

  it('of Vonage is signed where the account signs', () => {
    const gateway = vonage({
      url: 'http://127.0.0.1:1',
      apiKey: 'abcd1234',
      apiSecret: 'x',
      signatureSecret: 'signing',
      signature: 'sha256',
      sender,
      callbackUrl,
      now,
    });
    const seconds = String(now().getTime() / 1000);
    const parameters = (members: Record<string, string> = {}): Record<string, string> => ({
      'api-key': 'abcd1234',
      messageId: 'V1',
      status: 'delivered',
      note: 'a&b=c',
      timestamp: seconds,
      ...members,
    });
    const signed = (all: Record<string, string>) => {
      const names = Object.keys(all).sort();
      const text = names.map((name) => `&${name}=${all[name]!.replaceAll(/[&=]/g, '_')}`).join('');
      return { ...all, sig: createHmac('sha256', 'signing').update(text).digest('hex').toUpperCase() };
    };
    const json = (all: Record<string, string>) => callback(JSON.stringify(all), { 'content-type': 'application/json' });
    const form = (all: Record<string, string>) => callback(new URLSearchParams(all).toString());
    const query = (all: Record<string, string>) =>
      callback('', {}, `https://l.example/r?message=m&${new URLSearchParams(all)}`);
    for (const way of [json, form, query]) {
      expect(gateway.readReceipts!(way(signed(parameters())))).toEqual([{ id: 'V1', state: 'delivered' }]);
      expect(gateway.readReceipts!(way(parameters()))).toBeUndefined();
      expect(gateway.readReceipts!(way({ ...signed(parameters()), status: 'failed' }))).toBeUndefined();
      expect(gateway.readReceipts!(way(signed(parameters({ 'api-key': 'other' }))))).toBeUndefined();
      const old = String(Number(seconds) - 400);
      expect(gateway.readReceipts!(way(signed(parameters({ timestamp: old }))))).toBeUndefined();
    }
    expect(gateway.readReceipts!(callback('{', { 'content-type': 'application/json' }))).toBeUndefined();
  });

  it('of MessageBird is signed over the address', () => {
    const gateway = messageBird({
      url: 'http://127.0.0.1:1',
      accessKey: 'x',
      signingKey: 'signing',
      sender,
      callbackUrl,
      now,
    });
    const url = 'https://l.example/r?message=m&id=M1&status=delivered';
    const token = (claims: Record<string, unknown>, key = 'signing', alg = 'HS256') => {
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const text = `${part({ alg, typ: 'JWT' })}.${part(claims)}`;
      return { 'messagebird-signature-jwt': `${text}.${createHmac('sha256', key).update(text).digest('base64url')}` };
    };
    const seconds = now().getTime() / 1000;
    const claims = {
      iss: 'MessageBird',
      nbf: seconds,
      exp: seconds + 60,
      url_hash: createHash('sha256').update(url).digest('hex'),
    };
    expect(gateway.readReceipts!(callback('', token(claims), url))).toEqual([{ id: 'M1', state: 'delivered' }]);
    for (const headers of [
      {},
      token(claims, 'other'),
      token(claims, 'signing', 'none'),
      token({ ...claims, exp: seconds - 60 }),
      token({ ...claims, url_hash: 'x' }),
      token({ ...claims, payload_hash: 'x' }),
      { 'messagebird-signature-jwt': 'a.b.c' },
    ]) {
      expect(gateway.readReceipts!(callback('', headers, url))).toBeUndefined();
    }
  });

  it('of Infobip and AWS says what it is about', () => {
    const reports = {
      results: [
        { messageId: 'I1', status: { groupId: 3 } },
        { messageId: 'I2', status: { groupId: 2 }, error: { name: 'EC_ABSENT_SUBSCRIBER' } },
        { messageId: 'I3', status: { groupId: 1 } },
        null,
      ],
    };
    const infobipGateway = gateways.infobip!.make('http://127.0.0.1:1');
    expect(infobipGateway.readReceipts!(callback(JSON.stringify(reports)))).toEqual([
      { id: 'I1', state: 'delivered' },
      { id: 'I2', state: 'failed', reason: 'EC_ABSENT_SUBSCRIBER' },
    ]);
    expect(infobipGateway.readReceipts!(callback('nonsense'))).toBeUndefined();

    const event = { eventType: 'TEXT_DELIVERED', messageId: 'A1', context: { message: 'ref' } };
    const awsGateway = gateways.aws!.make('http://127.0.0.1:1');
    for (const body of [event, { Type: 'Notification', Message: JSON.stringify(event) }]) {
      expect(awsGateway.readReceipts!(callback(JSON.stringify(body)))).toEqual([
        { reference: 'ref', id: 'A1', state: 'delivered' },
      ]);
    }
    const confirmation = (topic: string) =>
      callback(JSON.stringify({ Type: 'SubscriptionConfirmation', TopicArn: topic, Token: 'token' }));
    expect(awsGateway.readReceipts!(confirmation('arn:aws:sns:eu-west-1:2:others'))).toBeUndefined();
    for (const body of ['{', '{}', 'null', '{"Message":"{"}']) {
      expect(awsGateway.readReceipts!(callback(body))).toBeUndefined();
    }
  });
});
