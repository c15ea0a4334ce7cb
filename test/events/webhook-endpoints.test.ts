import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventTypes } from '../../src/events/catalogue.ts';
import { invalidField, refusal, serviceForTest, startService, type Service } from '../harness/service.ts';
import { startReceiver } from '../harness/servers/receiver.ts';
import { until } from '../harness/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const post = (path: string, body?: unknown, of: Service = service) => of.call(`/webhook-endpoints${path}`, body);
const get = (path = '', of: Service = service) => of.call(`/webhook-endpoints${path}`, undefined, { method: 'GET' });
const url = 'https://hooks.example.com/ledgerline';

describe('POST /webhook-endpoints', () => {
  it('answers 201 with the endpoint and its secret, which is shown only now', async () => {
    const { status, headers, json } = await post('', {
      url,
      types: ['user.created', 'user.created'],
      description: 'CRM',
    });
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(json).toEqual({
      id: expect.any(Number),
      url,
      types: ['user.created'],
      description: 'CRM',
      enabled: true,
      disabledReason: null,
      createdAt: expect.stringMatching(/Z$/),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { secret: _, ...endpoint } = json;
    expect((await get(`/${json.id}`)).json).toEqual(endpoint);
    expect((await get()).json.endpoints).toContainEqual(endpoint);
  });

  it('without types is for all types, and needs no description', async () => {
    expect((await post('', { url, types: [] })).json).toMatchObject({ types: [], description: null });
    expect((await post('', { url, types: null })).json).toMatchObject({ types: [], description: null });
  });

  it('gives each endpoint an id of its own, also while the sandbox is emptied', async () => {
    const own = await serviceForTest();
    const statuses: number[] = [];
    const create = async () => {
      for (let count = 0; count < 12; count += 1) statuses.push((await post('', { url }, own)).status);
    };
    const empty = async () => {
      for (let count = 0; count < 20; count += 1)
        statuses.push((await own.call('/sandbox/data', undefined, { method: 'DELETE', token: null })).status);
    };
    await own.token();
    await Promise.all([empty(), ...Array.from({ length: 8 }, create)]);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(20);
  });

  it('keeps the secret where a dump of the database does not show it', async () => {
    const { id, secret } = (await post('', { url })).json;
    const [row] = await service.sql`select sealed from webhook_secrets where endpoint_id = ${id}`;
    const key = Buffer.from(secret.slice(6), 'base64');
    expect(row!.sealed.includes(key)).toBe(false);
    expect(row!.sealed.toString('latin1')).not.toContain(secret);
  });

  it('refuses invalid values', async () => {
    expect((await post('', {})).json).toEqual(invalidField('Url', 'The Url field is required.'));
    expect((await post('', { url, types: ['user.invented'] })).json).toEqual(
      invalidField('Types', `The field Types must be one of ${eventTypes.join(', ')}.`),
    );
    expect((await post('', { url, types: ['endpoint.test'] })).json.errors).toHaveProperty('Types');
    expect((await post('', { url: `${url}/${'x'.repeat(2048)}` })).json).toEqual(
      invalidField('Url', 'The field Url must be a string with a maximum length of 2048.'),
    );
    expect((await post('', { url, description: 'x'.repeat(257) })).json).toEqual(
      invalidField('Description', 'The field Description must be a string with a maximum length of 256.'),
    );
    expect((await post('', { url, types: [1] })).json.errors).toHaveProperty(['$.types[0]']);
    expect((await post('', { url, types: 'user.created' })).json.errors).toHaveProperty(['$.types']);
  });

  it('takes at most 100 endpoints', async () => {
    const own = await serviceForTest();
    const create = (count: number) =>
      Promise.all(Array.from({ length: count }, () => post('', { url, types: ['user.created'] }, own)));
    for (let made = 0; made < 90; made += 10) {
      expect((await create(10)).map(({ status }) => status)).toEqual(Array(10).fill(201));
    }
    const answers = await create(20);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = answers.find(({ status }) => status !== 201)!;
    expect(refused.json).toEqual(refusal(400, 'Bad Request', 'Too many webhook endpoints.'));
    expect(refused.headers.get('error-reason')).toBe('too-many-endpoints');
  });
});

describe('addresses', () => {
  const special = [
    'https://10.0.0.1',
    'https://172.16.0.1',
    'https://192.168.1.1',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1',
    'https://0.0.0.0',
    'https://198.18.0.1',
    'https://224.0.0.1',
    'https://255.255.255.255',
    'https://168.63.129.16',
    'https://[fe80::1]',
    'https://[fc00::1]',
    'https://[fec0::1]',
    'https://[ff02::1]',
    'https://[::]',
    'https://[::ffff:10.0.0.1]',
    'https://[::10.0.0.1]',
    'https://[64:ff9b::10.0.0.1]',
    'https://[64:ff9b:1::1]',
    'https://[2002:0a00:0001::1]',
    'https://[2001:0:0a00:1::1]',
    'https://[2001:db8::1]',
    'https://0x0a.0.0.1',
    'https://167772161',
    'https://012.0.0.1',
    'https://10.1',
    'https://①⓪.0.0.1',
  ];
  const loopback = [
    'https://127.0.0.1',
    'https://127.1',
    'https://2130706433',
    'https://0x7f000001',
    'https://0177.0.0.1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://[64:ff9b::127.0.0.1]',
    'https://localhost',
    'https://LOCALHOST.',
    'https://hooks.localhost',
  ];

  it('refuses special addresses in every spelling, also in the sandbox', async () => {
    for (const one of special) {
      const { status, json } = await post('', { url: one });
      expect([one, status, json.errors]).toEqual([
        one,
        400,
        { Url: ['The field Url must not lead to a private or otherwise special address.'] },
      ]);
    }
  });

  it('refuses http, credentials and other schemes', async () => {
    for (const one of [
      'http://hooks.example.com',
      'http://8.8.8.8',
      'ftp://hooks.example.com',
      'hooks.example.com',
      'file:///etc/passwd',
      'javascript:1',
      'https://',
      'https://u:p@hooks.example.com',
      'https://u@hooks.example.com',
    ]) {
      const { status, json } = await post('', { url: one });
      expect([one, status, Object.keys(json.errors)]).toEqual([one, 400, ['Url']]);
    }
  });

  it('takes public addresses, and names whether they resolve or not', async () => {
    for (const one of [
      'https://8.8.8.8',
      'https://[2606:4700::1111]',
      'https://does-not-resolve.invalid/x?y=1',
      'https://[64:ff9b::8.8.8.8]',
    ]) {
      const { status, json } = await post('', { url: one });
      expect([one, status]).toEqual([one, 201]);
      await service.call(`/webhook-endpoints/${json.id}`, undefined, { method: 'DELETE' });
    }
  });

  it('lets a sandbox that listens on loopback call loopback, also over http', async () => {
    for (const one of [...loopback, 'http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1']) {
      const { status, json } = await post('', { url: one });
      expect([one, status]).toEqual([one, 201]);
      await service.call(`/webhook-endpoints/${json.id}`, undefined, { method: 'DELETE' });
    }
  });

  it('refuses loopback elsewhere, unless a setting names it', async () => {
    const remote = await serviceForTest({
      HOST: '0.0.0.0',
      LEDGERLINE_SANDBOX_HOSTS: 'localhost',
      LEDGERLINE_EVENTS_ALLOW: '10.1.0.0/16,hooks.internal',
    });
    for (const one of [...loopback, 'http://127.0.0.1:1', 'https://10.2.0.1', 'http://other.internal']) {
      expect([one, (await post('', { url: one }, remote)).status]).toEqual([one, 400]);
    }
    for (const one of ['https://10.1.2.3', 'http://10.1.2.3', 'http://hooks.internal', 'https://hooks.internal']) {
      expect([one, (await post('', { url: one }, remote)).status]).toEqual([one, 201]);
    }
  });
});

describe('POST /webhook-endpoints/{id}', () => {
  it('changes only what is given', async () => {
    const { id, createdAt } = (await post('', { url, types: ['user.created'], description: 'CRM' })).json;
    const same = {
      id,
      url,
      types: ['user.created'],
      description: 'CRM',
      enabled: true,
      disabledReason: null,
      createdAt,
    };
    expect((await post(`/${id}`, {})).json).toEqual(same);
    expect((await post(`/${id}`)).json).toEqual(same);
    expect((await post(`/${id}`, { types: [] })).json).toEqual({ ...same, types: [] });
    expect((await post(`/${id}`, { url: 'https://b.example', description: '' })).json).toEqual({
      ...same,
      url: 'https://b.example',
      types: [],
      description: null,
    });
    expect((await post(`/${id}`, { enabled: false })).json).toMatchObject({
      enabled: false,
      disabledReason: 'request',
    });
    expect((await post(`/${id}`, { enabled: true })).json).toMatchObject({ enabled: true, disabledReason: null });
    expect((await post(`/${id}`, { url: 'https://10.0.0.1' })).status).toBe(400);
    expect((await post(`/${id}`, { enabled: 'yes' })).json.errors).toHaveProperty(['$.enabled']);
  });
});

it('answers 404 for an endpoint that is not there', async () => {
  const { id } = (await post('', { url })).json;
  const remove = () => service.call(`/webhook-endpoints/${id}`, undefined, { method: 'DELETE' });
  expect((await remove()).status).toBe(204);
  for (const answer of [
    await remove(),
    await get(`/${id}`),
    await post(`/${id}`, { enabled: false }),
    await post(`/${id}/rotate-secret`),
    await post(`/${id}/test`),
    await post(`/${id}/replay`, { from: '2026-01-01' }),
    await get(`/${id}/deliveries`),
  ]) {
    expect(answer.json).toEqual(refusal(404, 'Not Found', 'Unknown webhook endpoint.'));
    expect(answer.headers.get('error-reason')).toBe('not-found');
  }
  for (const path of ['/abc', '/99999999999', '/0']) {
    const answer = await get(path);
    expect([answer.status, answer.headers.get('error-reason')]).toEqual([404, 'not-found']);
  }
});

it('is for service tokens with the scope events:write', async () => {
  for (const token of [await service.token('events:read'), await service.token('', 1)]) {
    expect((await service.call('/webhook-endpoints', { url }, { token })).status).toBe(403);
    expect((await service.call('/webhook-endpoints', undefined, { method: 'GET', token })).status).toBe(403);
  }
});

describe('POST /webhook-endpoints/{id}/rotate-secret', () => {
  it('gives a new secret', async () => {
    const { id, secret } = (await post('', { url })).json;
    const rotated = await post(`/${id}/rotate-secret`);
    expect([rotated.status, Object.keys(rotated.json)]).toEqual([200, ['secret']]);
    expect(rotated.json.secret).toMatch(/^whsec_/);
    expect(rotated.json.secret).not.toBe(secret);
    for (const overlapSeconds of [-1, 604_801]) {
      expect((await post(`/${id}/rotate-secret`, { overlapSeconds })).json).toEqual(
        invalidField('OverlapSeconds', 'The field OverlapSeconds must be between 0 and 604800.'),
      );
    }
  });
});

describe('POST /webhook-endpoints/{id}/test', () => {
  it('sends an endpoint.test at once, whatever the types, outside of GET /events', async () => {
    const receiver = await startReceiver(204);
    const { id } = (await post('', { url: receiver.url, types: ['user.erased'] })).json;
    const { status, json } = await post(`/${id}/test`);
    expect([status, json]).toEqual([200, { delivered: true, status: 204, milliseconds: expect.any(Number) }]);
    const [hook] = receiver.hooks;
    expect(hook!.event).toEqual({
      id: hook!.headers['webhook-id'],
      type: 'endpoint.test',
      timestamp: expect.any(String),
      data: { endpointId: id },
    });
    const { events } = (await service.call('/events?limit=1000', undefined, { method: 'GET' })).json;
    expect(events.map(({ id: eventId }: { id: string }) => eventId)).not.toContain(hook!.event.id);
    expect((await get(`/${id}/deliveries`)).json).toEqual({ deliveries: [] });
  });

  it('does not count as a request that is being processed while the receiver is slow', async () => {
    let answer = () => {};
    const slow = new Promise<void>((resolve) => (answer = resolve));
    const receiver = await startReceiver(async (_hook, response) => {
      await slow;
      response.writeHead(200).end();
    });
    const { id } = (await post('', { url: receiver.url })).json;
    const tested = post(`/${id}/test`);
    const metrics = async () => (await service.call('/metrics', undefined, { method: 'GET', token: null })).text;
    await until(() => receiver.hooks.length > 0);
    await until(async () => /ledgerline_requests_active 0\n/.test(await metrics()));
    answer();
    expect((await tested).json.delivered).toBe(true);
    await service.call(`/webhook-endpoints/${id}`, undefined, { method: 'DELETE' });
  });

  it('tells why a test was not delivered', async () => {
    const receiver = await startReceiver(500);
    const { id } = (await post('', { url: receiver.url })).json;
    expect((await post(`/${id}/test`)).json).toEqual({
      delivered: false,
      status: 500,
      milliseconds: expect.any(Number),
      error: 'The receiver answered 500.',
    });
    await receiver.stop();
    expect((await post(`/${id}/test`)).json).toEqual({
      delivered: false,
      status: null,
      milliseconds: expect.any(Number),
      error: 'The connection was refused.',
    });
    expect((await get(`/${id}`)).json).toMatchObject({ enabled: true });
    await service.call(`/webhook-endpoints/${id}`, undefined, { method: 'DELETE' });
  });
});

it('a secret that cannot be read signs nothing: the log and a test say so, and a rotation mends it', async () => {
  const own = await serviceForTest();
  const receiver = await startReceiver();
  const { id } = (await post('', { url: receiver.url, types: ['user.created'] }, own)).json;
  // As after the digest key was lost.
  await own.sql`update webhook_secrets set sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20))`;
  await own.createUser();
  await until(() => own.logLines.some((line) => /"job":"webhook-delivery".*"reason":"secret-unreadable"/.test(line)));
  expect((await post(`/${id}/test`, undefined, own)).json).toEqual({
    delivered: false,
    status: null,
    milliseconds: 0,
    error: 'Its secret cannot be read with LEDGERLINE_DIGEST_KEY, so nothing is sent. Rotate the secret.',
  });
  expect(receiver.hooks).toEqual([]);
  await post(`/${id}/rotate-secret`, {}, own);
  await receiver.received(1);
});
