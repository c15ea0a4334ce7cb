/** Callbacks of each HTTP gateway, as the adapter reads them. */
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  adapters,
  makeAws,
  makeMessageBird,
  makeVonage,
  makeVonageVoice,
  makeWhatsapp,
  message,
  now,
} from '../harness/adapters.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { until } from '../harness/until.ts';

describe('AWS', () => {
  it('confirms the subscription of its topic, at AWS and not at the address it is told', async () => {
    const sns = await gatewayServer(() => ({ status: 403 }));
    const links: unknown[][] = [];
    const gateway = makeAws(sns.url, (...link) => links.push(link));
    const body = {
      Type: 'SubscriptionConfirmation',
      TopicArn: 'arn:aws:sns:eu-west-1:1:receipts',
      Token: 'token',
      SubscribeURL: 'http://127.0.0.1:1/evil',
    };
    const callback = { url: 'https://l.example/r', headers: {}, body: Buffer.from(JSON.stringify(body)) };
    expect(gateway.readReceipts!(callback)).toEqual([]);
    await until(() => sns.received.length > 0);
    expect(sns.received[0]!.form).toEqual({
      Action: 'ConfirmSubscription',
      Version: '2010-03-31',
      TopicArn: 'arn:aws:sns:eu-west-1:1:receipts',
      Token: 'token',
    });
    // Without the confirmation no receipt comes, so the operator is told.
    sns.behave(() => ({ status: 200 }));
    gateway.readReceipts!(callback);
    await until(() => links.length === 2);
    expect(links).toEqual([[false, 'SNS subscription: HTTP 403'], [true]]);
  });
});

describe('a receipt', () => {
  const callback = (body: string, headers: Record<string, string> = {}, url = 'https://l.example/r?message=m') => ({
    url,
    headers,
    body: Buffer.from(body),
  });

  it('of Twilio is signed over address and parameters, for our account', () => {
    const gateway = adapters.twilio!.make('http://127.0.0.1:1');
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
    const gateway = makeVonage('http://127.0.0.1:1', 'signing');
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
    const gateway = makeMessageBird('http://127.0.0.1:1', 'signing');
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
        { messageId: 'I4', status: { groupId: 3, name: 'DELIVERED_TO_HANDSET' } },
        // It may still fail.
        { messageId: 'I5', status: { groupId: 3, name: 'DELIVERED_TO_OPERATOR' } },
        null,
      ],
    };
    const infobipGateway = adapters.infobip!.make('http://127.0.0.1:1');
    expect(infobipGateway.readReceipts!(callback(JSON.stringify(reports)))).toEqual([
      { id: 'I1', state: 'delivered' },
      { id: 'I2', state: 'failed', reason: 'EC_ABSENT_SUBSCRIBER' },
      { id: 'I4', state: 'delivered' },
    ]);
    expect(infobipGateway.readReceipts!(callback('nonsense'))).toBeUndefined();

    const event = { eventType: 'TEXT_DELIVERED', messageId: 'A1', context: { message: 'ref' } };
    const awsGateway = adapters.aws!.make('http://127.0.0.1:1');
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

describe('a call', () => {
  const ofTwilio = (members: Record<string, string>) => {
    const url = 'https://l.example/r?message=m';
    const form = { AccountSid: 'AC1', CallSid: 'CA1', ...members };
    const names = Object.keys(form).sort() as (keyof typeof form)[];
    const text = url + names.map((name) => name + form[name]).join('');
    const headers = { 'x-twilio-signature': createHmac('sha1', 'token').update(text).digest('base64') };
    const body = Buffer.from(new URLSearchParams(form).toString());
    return adapters['twilio-voice']!.make('http://127.0.0.1:1').readReceipts!({ url, headers, body });
  };
  const ofVonage = (status: string) => {
    const body = Buffer.from(JSON.stringify({ uuid: 'U1', status }));
    return makeVonageVoice('http://127.0.0.1:1', undefined).readReceipts!({
      url: 'https://l.example/r',
      headers: {},
      body,
    });
  };

  it('by Twilio has arrived if a person answered; that it was completed says nothing', () => {
    expect(ofTwilio({ AnsweredBy: 'human' })).toEqual([{ id: 'CA1', state: 'delivered' }]);
    expect(ofTwilio({ AnsweredBy: 'unknown' })).toEqual([{ id: 'CA1', state: 'delivered' }]);
    for (const machine of ['machine_start', 'fax']) {
      expect(ofTwilio({ AnsweredBy: machine })).toEqual([{ id: 'CA1', state: 'failed', reason: 'machine' }]);
    }
    for (const status of ['busy', 'no-answer', 'failed', 'canceled']) {
      expect(ofTwilio({ CallStatus: status })).toEqual([{ id: 'CA1', state: 'failed', reason: status }]);
    }
    for (const status of ['queued', 'ringing', 'in-progress', 'completed']) {
      expect(ofTwilio({ CallStatus: status })).toEqual([]);
    }
  });

  it('by Vonage has arrived if a person answered; that it was completed says nothing', () => {
    expect(ofVonage('human')).toEqual([{ id: 'U1', state: 'delivered' }]);
    for (const status of ['busy', 'unanswered', 'machine', 'timeout', 'rejected', 'failed', 'cancelled']) {
      expect(ofVonage(status)).toEqual([{ id: 'U1', state: 'failed', reason: status }]);
    }
    for (const status of ['started', 'ringing', 'answered', 'completed']) expect(ofVonage(status)).toEqual([]);
  });
});

describe('WhatsApp', () => {
  const reference = message.reference;
  const read = (value: unknown) => {
    const body = Buffer.from(JSON.stringify({ entry: [{ changes: [{ field: 'messages', value }] }] }));
    const headers = { 'x-hub-signature-256': `sha256=${createHmac('sha256', 'secret').update(body).digest('hex')}` };
    return makeWhatsapp('http://127.0.0.1:1').readReceipts!({ url: 'https://l.example/r', headers, body });
  };
  const metadata = { phone_number_id: '4711' };
  const status = (state: string, own: unknown = reference) => ({
    id: 'wamid.1',
    status: state,
    biz_opaque_callback_data: own,
  });

  it('reports our messages among those of other systems and numbers', () => {
    const delivered = { reference, id: 'wamid.1', state: 'delivered' };
    expect(read({ metadata, statuses: [status('sent'), status('delivered'), status('read')] })).toEqual([
      delivered,
      delivered,
    ]);
    expect(read({ metadata, statuses: [{ ...status('failed'), errors: [{ code: 131026 }] }] })).toEqual([
      { reference, id: 'wamid.1', state: 'failed', reason: '131-026' },
    ]);
    expect(read({ metadata, statuses: [status('delivered', 'order 17'), status('delivered', null)] })).toEqual([]);
    expect(read({ metadata: { phone_number_id: '4712' }, statuses: [status('delivered')] })).toEqual([]);
    for (const odd of [null, 5, 'x', [], { metadata, statuses: 'x' }, { metadata, statuses: [null, 5] }]) {
      expect(read(odd)).toEqual([]);
    }
  });

  it('is answered with its challenge if it knows the token, and with nothing else', () => {
    const ask = (query: string) =>
      makeWhatsapp('http://127.0.0.1:1').readHandshake!({
        url: `https://l.example/r?${query}`,
        headers: {},
        body: Buffer.alloc(0),
      });
    expect(ask('hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=4711')).toBe('1158201444');
    expect(ask('hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=4712')).toBeUndefined();
    expect(ask('hub.mode=unsubscribe&hub.challenge=1&hub.verify_token=4711')).toBeUndefined();
    expect(ask('hub.mode=subscribe&hub.challenge=%3Cscript%3E&hub.verify_token=4711')).toBeUndefined();
    expect(ask('')).toBeUndefined();
  });

  it('tells operators that a template is missing, until a message is accepted again', async () => {
    const links: unknown[] = [];
    const server = await gatewayServer(() => ({ status: 404, body: { error: { code: 132001 } } }));
    const gateway = makeWhatsapp(server.url, (...link) => void links.push(link));
    expect(await gateway.send({ ...message, locale: 'pt', country: 'BR' }, 5000)).toMatchObject({ isHealthy: true });
    expect(links).toEqual([[false, '132-001: template otp in pt_BR']]);
    server.behave(() => ({ status: 200, body: { messages: [{ id: 'wamid.2' }] } }));
    await gateway.send(message, 5000);
    await gateway.send(message, 5000);
    expect(links.slice(1)).toEqual([[true]]);
    await gateway.close?.();
  });

  it('carries codes alone', async () => {
    const gateway = makeWhatsapp('http://127.0.0.1:1');
    expect(await gateway.send({ ...message, code: null }, 5000)).toMatchObject({ outcome: 'unavailable' });
  });
});
