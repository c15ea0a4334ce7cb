/** Each HTTP gateway: what it is sent, and what a missing, broken or bare answer means. */
import { describe, expect, it } from 'vitest';
import { gatewayDefinitions } from '../../src/sms/gateways/index.ts';
import type { Message } from '../../src/sms/gateway.ts';
import { signV4 } from '../../src/sms/sigv4.ts';
import { adapters, ask, message } from '../harness/adapters.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { until } from '../harness/until.ts';

it('every gateway that speaks HTTP is tested here', () => {
  const others = ['smpp', 'console', 'inbox'];
  const names = gatewayDefinitions.map(({ name }) => name).filter((name) => !others.includes(name));
  const whatToDo =
    'test/harness/adapters.ts needs an entry for each gateway of src/sms/gateways/index.ts, in the same order; ' +
    'a gateway that does not speak HTTP is listed in `others` here';
  expect(Object.keys(adapters), whatToDo).toEqual(names);
});

describe.each(Object.entries(adapters))('%s', (name, { accepts, id }) => {
  it('gets the request that it documents, and its acceptance is read as accepted', async () => {
    for (const sent of [message, { ...message, text: 'Ваш код 123456' }]) {
      const { answer, server } = await ask(name, accepts, 20_000, sent);
      if (server.failure()) throw server.failure();
      expect(answer).toEqual({ outcome: 'accepted', gatewayId: id });
    }
  });

  it.each([
    ['hang', 'unknown', 'no answer in time'],
    ['die', 'unknown', 'ECONNRESET'],
    ['half', 'unknown', 'connection lost'],
    ['half-error', 'unavailable', 'HTTP 500'],
    ['huge', 'unknown', 'answer too large'],
    ['redirect', 'unavailable', 'redirect 307'],
  ] as const)('answers in an unexpected way: %s, which is %s', async (behaviour, expected, reason) => {
    const { answer, server } = await ask(name, behaviour, behaviour === 'hang' ? 300 : 20_000);
    expect(answer).toEqual({ outcome: expected, reason: expect.any(String) });
    // A connection that ends may be told as a reset or as a lost one.
    if (behaviour !== 'die' && behaviour !== 'half') expect(answer).toMatchObject({ reason });
    expect(server.received).toHaveLength(1);
  });

  it('certainly sent nothing if it cannot be reached', async () => {
    const server = await gatewayServer('hang');
    await server.stop();
    const answer = await adapters[name]!.make(server.url).send(message, 20_000);
    expect(answer).toEqual({ outcome: 'unavailable', reason: 'ECONNREFUSED' });
  });

  it.each([
    [429, { outcome: 'unavailable', retryAfterSeconds: 1, isHealthy: true }],
    [503, { outcome: 'unavailable' }],
    [401, { outcome: 'unavailable' }],
    [500, { outcome: 'unavailable' }],
    [502, { outcome: 'unknown' }],
    [504, { outcome: 'unknown' }],
  ])('answers with a bare %i', async (status, expected) => {
    const { answer } = await ask(name, () => ({ status, body: 'x' }));
    expect(answer).toEqual({ ...expected, reason: `HTTP ${status}` });
  });

  it.each([
    [429, '42', { retryAfterSeconds: 42, isHealthy: true }],
    [503, '42', { retryAfterSeconds: 42 }],
    [429, 'soon', { retryAfterSeconds: 1, isHealthy: true }],
  ])('reports when it may be asked again: %i, Retry-After: %s', async (status, after, expected) => {
    const headers = { 'retry-after': after };
    const { answer } = await ask(name, () => ({ status, headers, body: 'x' }));
    expect(answer).toEqual({ outcome: 'unavailable', reason: `HTTP ${status}`, ...expected });
  });
});

// For the webhook any 2xx is acceptance, whatever the body.
it.each(Object.keys(adapters).filter((name) => name !== 'webhook'))(
  '%s leaves it open whether an answer that cannot be read means acceptance',
  async (name) => {
    const { answer } = await ask(name, 'garbage');
    expect(answer).toEqual({ outcome: 'unknown', reason: 'HTTP 200, unreadable' });
  },
);

describe('a text that is registered in India', () => {
  const dlt = { entity: '1101', template: '1107', telemarketer: '1102' };
  const toIndia = { ...message, phone: '+919812345678', country: 'IN' };

  /** What the gateway is sent, in its own words. */
  async function sentTo(name: string, sent: Message) {
    const { server } = await ask(name, () => ({ status: 500, body: 'x' }), 20_000, sent);
    return server.received[0]!;
  }

  it('has the ids in the fields of each gateway that knows them', async () => {
    const registered = { ...toIndia, dlt };
    expect((await sentTo('vonage', registered)).form).toMatchObject({ 'entity-id': '1101', 'content-id': '1107' });
    expect((await sentTo('infobip', registered)).json.messages[0].options.regional).toEqual({
      indiaDlt: { principalEntityId: '1101', contentTemplateId: '1107', telemarketerId: '1102' },
    });
    expect((await sentTo('aws', registered)).json.DestinationCountryParameters).toEqual({
      IN_ENTITY_ID: '1101',
      IN_TEMPLATE_ID: '1107',
    });
    expect((await sentTo('webhook', registered)).json.data.dlt).toEqual(dlt);
  });

  it('has no empty fields for ids that are missing', async () => {
    const partly = { ...toIndia, dlt: { entity: '1101', template: undefined, telemarketer: undefined } };
    expect((await sentTo('vonage', partly)).form).not.toHaveProperty('content-id');
    expect((await sentTo('infobip', partly)).json.messages[0].options.regional).toEqual({
      indiaDlt: { principalEntityId: '1101' },
    });
    expect((await sentTo('aws', partly)).json.DestinationCountryParameters).toEqual({ IN_ENTITY_ID: '1101' });
    expect((await sentTo('webhook', partly)).json.data.dlt).toEqual({ entity: '1101' });
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
    const gateway = adapters.twilio!.make(server.url);
    for (let sent = 0; sent < 3; sent += 1) {
      expect((await gateway.send(message, 20_000)).outcome).toBe('accepted');
    }
    const before = server.connections();
    expect(before).toBeLessThan(3);
    // The server closes nothing by itself, so it is the adapter that does.
    await until(() => server.openConnections() === 0);
    expect((await gateway.send(message, 20_000)).outcome).toBe('accepted');
    expect(server.connections()).toBe(before + 1);
    await gateway.close!();
  });

  it('is not closed after a rush', async () => {
    const headers = { 'keep-alive': 'timeout=60' };
    const server = await gatewayServer(() => ({ status: 201, body: { sid: 'SM1' }, headers }));
    const gateway = adapters.twilio!.make(server.url);
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
