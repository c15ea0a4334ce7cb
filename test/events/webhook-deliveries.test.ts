import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { row, serviceForTest, type Service } from '../harness/service.ts';
import { startReceiver, type ReceivedHook } from '../harness/receiver.ts';
import { until } from '../harness/until.ts';

/** The reference implementation, as a second opinion on our signatures. It throws when one does not fit. */
function verified(secret: string, { body, headers }: ReceivedHook): unknown {
  return new Webhook(secret).verify(body, headers);
}

function isVerified(secret: string, hook: ReceivedHook): boolean {
  try {
    verified(secret, hook);
    return true;
  } catch {
    return false;
  }
}

interface Endpoint {
  id: number;
  secret: string;
}

async function subscribe(service: Service, url: string, types: string[] = ['user.created']): Promise<Endpoint> {
  const { status, json } = await service.call('/webhook-endpoints', { url, types });
  expect(status).toBe(201);
  return json;
}

const read = async (service: Service, path: string) => {
  service.forgetTokens();
  return (await service.call(path, undefined, { method: 'GET' })).json;
};

interface Delivery {
  eventId: string;
  type: string;
  state: string;
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
  nextAttemptAt: string | null;
}

async function deliveries(service: Service, { id }: Endpoint, query = ''): Promise<Delivery[]> {
  return (await read(service, `/webhook-endpoints/${id}/deliveries${query}`)).deliveries;
}

const advance = async (service: Service, seconds: number) => {
  await service.advance(seconds);
  service.forgetTokens();
};

describe('a delivery', () => {
  it('is the event, signed by Standard Webhooks', async () => {
    const service = await serviceForTest();
    const receiver = await startReceiver();
    const endpoint = await subscribe(service, receiver.url);
    const userId = await service.createUser();
    const [hook] = await receiver.received(1);
    expect(hook!.path).toBe('/hooks');
    expect(hook!.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'webhook-id': hook!.event.id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    expect(verified(endpoint.secret, hook!)).toEqual(hook!.event);
    const { events } = await read(service, '/events');
    expect(hook!.event).toEqual(events.find(({ type }: { type: string }) => type === 'user.created'));
    expect(hook!.event).toMatchObject({ sequence: 1, data: { userId } });
    await until(async () => (await deliveries(service, endpoint, '?state=delivered')).length === 1);
    expect(await deliveries(service, endpoint)).toEqual([
      {
        eventId: hook!.event.id,
        type: 'user.created',
        state: 'delivered',
        attempts: 1,
        lastStatus: 200,
        lastError: null,
        nextAttemptAt: null,
      },
    ]);
  });

  it('goes only to endpoints that want its type, and not to what came before them', async () => {
    const service = await serviceForTest();
    await service.createUser();
    const [all, some] = [await startReceiver(), await startReceiver()];
    await subscribe(service, all.url, []);
    await subscribe(service, some.url, ['transactions.recorded']);
    const id = await service.createUser();
    await service.record([row(id)]);
    await all.received(2);
    await some.received(1);
    expect(all.hooks.map(({ event }) => event.type)).toEqual(['user.created', 'transactions.recorded']);
    expect(some.hooks.map(({ event }) => event.type)).toEqual(['transactions.recorded']);
  });

  it('keeps the order of a user’s events', async () => {
    const service = await serviceForTest();
    const receiver = await startReceiver(async (_hook, response) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
      response.end();
    });
    await subscribe(service, receiver.url, ['transactions.recorded']);
    const ids = [await service.createUser(), await service.createUser(), await service.createUser()];
    for (let count = 0; count < 15; count += 1) await service.record(ids.map((id) => row(id)));
    await receiver.received(45);
    for (const id of ids) {
      const sequences = receiver.hooks
        .filter(({ event }) => event.data.userId === id)
        .map(({ event }) => event.sequence);
      expect(sequences).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
    }
  });
});

describe('rotating the secret', () => {
  it('signs with both until the overlap has passed, by the service’s clock', async () => {
    const service = await serviceForTest();
    const receiver = await startReceiver();
    const endpoint = await subscribe(service, receiver.url);
    const { secret } = (await service.call(`/webhook-endpoints/${endpoint.id}/rotate-secret`, { overlapSeconds: 600 }))
      .json;
    await service.createUser();
    const [first] = await receiver.received(1);
    expect(first!.headers['webhook-signature']!.split(' ')).toHaveLength(2);
    expect([isVerified(endpoint.secret, first!), isVerified(secret, first!)]).toEqual([true, true]);
    await advance(service, 601);
    await service.createUser();
    const [, second] = await receiver.received(2);
    expect([isVerified(endpoint.secret, second!), isVerified(secret, second!)]).toEqual([false, true]);
  });

  it('drops the earlier secret at once without an overlap', async () => {
    const service = await serviceForTest();
    const receiver = await startReceiver();
    const endpoint = await subscribe(service, receiver.url);
    const { secret } = (await service.call(`/webhook-endpoints/${endpoint.id}/rotate-secret`, { overlapSeconds: 0 }))
      .json;
    await service.createUser();
    const [hook] = await receiver.received(1);
    expect([isVerified(endpoint.secret, hook!), isVerified(secret, hook!)]).toEqual([false, true]);
  });
});

/** Advances the clock to each next try, and waits for it. */
async function failTenTimes(service: Service, endpoint: Endpoint): Promise<number[]> {
  const delays: number[] = [];
  for (let attempts = 1; attempts <= 10; attempts += 1) {
    const [delivery] = await until(async () => {
      const found = await deliveries(service, endpoint);
      return found[0]?.attempts === attempts && found;
    });
    if (attempts === 10) break;
    expect(delivery!.state).toBe('due');
    const { now } = (await service.call('/sandbox/clock', { advanceSeconds: 0 }, { token: null })).json;
    const seconds = (Date.parse(delivery!.nextAttemptAt!) - Date.parse(now)) / 1000;
    delays.push(seconds);
    await advance(service, Math.ceil(Math.max(seconds, 0)));
  }
  return delays;
}

describe('a receiver that fails', () => {
  it('is tried ten times over about 75 hours under the same id, then the delivery is failed', async () => {
    const service = await serviceForTest();
    const [receiver, other] = [await startReceiver(500), await startReceiver()];
    const endpoint = await subscribe(service, receiver.url);
    await subscribe(service, other.url, ['endpoint.delivery_failed']);
    await service.createUser();
    const delays = await failTenTimes(service, endpoint);
    const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (const [index, delay] of schedule.entries()) {
      // Some seconds have passed since the try.
      expect(delays[index]).toBeGreaterThan(delay - 30);
      expect(delays[index]).toBeLessThanOrEqual(delay * 1.2);
    }
    expect(receiver.hooks).toHaveLength(10);
    expect(new Set(receiver.hooks.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await deliveries(service, endpoint)).toMatchObject([
      { state: 'failed', attempts: 10, lastStatus: 500, lastError: 'The receiver answered 500.', nextAttemptAt: null },
    ]);
    const [delivery] = await other.received(1);
    expect(delivery!.event).toMatchObject({
      type: 'endpoint.delivery_failed',
      data: { endpointId: endpoint.id, reason: 'The receiver answered 500.' },
    });
    expect(delivery!.event).not.toHaveProperty('sequence');
  }, 120_000);

  it('is given the time it asks for, if that is later than the schedule, up to an hour', async () => {
    const service = await serviceForTest();
    let retryAfter = '120';
    const receiver = await startReceiver((_hook, response) => {
      response.writeHead(429, { 'retry-after': retryAfter }).end();
    });
    const endpoint = await subscribe(service, receiver.url);
    await service.createUser();
    const waits = async (attempts: number) => {
      const [delivery] = await until(async () => {
        const found = await deliveries(service, endpoint);
        return found[0]?.attempts === attempts && found;
      });
      const { now } = (await service.call('/sandbox/clock', { advanceSeconds: 0 }, { token: null })).json;
      return (Date.parse(delivery!.nextAttemptAt!) - Date.parse(now)) / 1000;
    };
    const first = await waits(1);
    expect(first).toBeGreaterThan(60);
    expect(first).toBeLessThanOrEqual(120);
    retryAfter = '86400';
    await advance(service, 121);
    const second = await waits(2);
    expect(second).toBeGreaterThan(3000);
    expect(second).toBeLessThanOrEqual(3600);
    // Sooner than the schedule asks for.
    retryAfter = new Date(Date.now() + 1000).toUTCString();
    await advance(service, 3601);
    expect(await waits(3)).toBeGreaterThan(1000);
  });

  it('gets no redirect followed', async () => {
    const service = await serviceForTest();
    const elsewhere = await startReceiver();
    const receiver = await startReceiver((_hook, response) => {
      response.writeHead(301, { location: elsewhere.url }).end();
    });
    const endpoint = await subscribe(service, receiver.url);
    await service.createUser();
    await until(async () => (await deliveries(service, endpoint))[0]?.attempts === 1);
    expect(await deliveries(service, endpoint)).toMatchObject([
      { state: 'due', lastStatus: 301, lastError: 'The receiver answered 301; redirects are not followed.' },
    ]);
    expect(elsewhere.hooks).toEqual([]);
  });

  it('is tried again when it resets, sends garbage or closes without an answer', async () => {
    const service = await serviceForTest();
    const errors: Record<string, RegExp> = { reset: /reset|closed/, close: /closed|reset/, garbage: /failed|HPE/ };
    for (const [name, message] of Object.entries(errors)) {
      const receiver = await startReceiver((_hook, response, request) => {
        if (name === 'reset') request.socket.resetAndDestroy();
        else if (name === 'close') request.socket.end();
        else request.socket.end('this is no HTTP\r\n\r\n');
        response.destroy();
      });
      const endpoint = await subscribe(service, receiver.url);
      await service.createUser();
      await until(async () => (await deliveries(service, endpoint))[0]?.attempts === 1);
      const [delivery] = await deliveries(service, endpoint);
      expect([name, delivery!.state, delivery!.lastStatus]).toEqual([name, 'due', null]);
      expect(delivery!.lastError).toMatch(message);
      await service.call(`/webhook-endpoints/${endpoint.id}`, { enabled: false });
    }
  });

  it('may send 10 MB back, or an answer without an end, of which the first kilobyte is kept for operators', async () => {
    const service = await serviceForTest();
    const large = await startReceiver((_hook, response) => void response.end('x'.repeat(10_000_000)));
    const endless = await startReceiver((_hook, response) => void response.writeHead(200).write('begun'));
    const [first, second] = [await subscribe(service, large.url), await subscribe(service, endless.url)];
    await service.createUser();
    for (const endpoint of [first, second]) {
      await until(async () => (await deliveries(service, endpoint, '?state=delivered')).length === 1);
    }
    const answers = async ({ id }: Endpoint) => {
      const { deliveries: listed } = await read(service, `/operator/webhook-endpoints/${id}/deliveries`);
      return listed.map(({ lastAnswer }: { lastAnswer: string }) => lastAnswer);
    };
    expect([await answers(first), await answers(second)]).toEqual([['x'.repeat(1024)], ['begun']]);
    expect(JSON.stringify(await deliveries(service, first))).not.toContain('xxx');
  });

  it('that hangs is given up after 15 seconds, and holds nobody else up', async () => {
    const service = await serviceForTest();
    const [hanging, other] = [await startReceiver(() => {}), await startReceiver()];
    const endpoint = await subscribe(service, hanging.url);
    await subscribe(service, other.url);
    for (let count = 0; count < 40; count += 1) await service.createUser();
    await other.received(40);
    expect(await deliveries(service, endpoint, '?state=delivered')).toEqual([]);
    await until(async () => (await deliveries(service, endpoint)).some(({ attempts }) => attempts === 1));
    const tried = (await deliveries(service, endpoint)).find(({ attempts }) => attempts === 1);
    expect(tried).toMatchObject({ state: 'due', lastStatus: null, lastError: 'No answer in time.' });
  }, 120_000);
});

it('a dead endpoint with a long queue slows down nobody', async () => {
  const service = await serviceForTest();
  const [dead, alive] = [await startReceiver(), await startReceiver()];
  const endpoint = await subscribe(service, dead.url);
  await subscribe(service, alive.url);
  await service.createUser();
  await dead.received(1);
  await dead.stop();
  await service.sql`
    insert into webhook_deliveries (endpoint_id, event_position, due_at)
    select ${endpoint.id}, position, now() - n * interval '1 second'
    from generate_series(1, 100000) n, (select min(position) as position from events) e`;
  for (let count = 0; count < 50; count += 1) await service.createUser();
  await alive.received(51);
  const [health] = (await read(service, '/operator/webhook-endpoints')).endpoints;
  expect(health).toMatchObject({ id: endpoint.id, due: 1000, failingSince: expect.any(String), enabled: true });
  // After a hundred failures it is asked only a few times a second.
  const tried = await service.sql`select from webhook_deliveries where endpoint_id = ${endpoint.id} and attempts > 0`;
  expect(tried.length).toBeLessThan(2000);
  // Disabling it makes all of them failed, whatever their number.
  await service.call(`/webhook-endpoints/${endpoint.id}`, { enabled: false });
  expect(await deliveries(service, endpoint, '?state=due')).toEqual([]);
  expect(await deliveries(service, endpoint, '?state=failed&limit=1000')).toHaveLength(1000);
}, 120_000);

describe('GET /operator/events', () => {
  it('searches by user, type and time, newest first', async () => {
    const service = await serviceForTest();
    const id = await service.createUser();
    await service.record([row(id)]);
    await advance(service, 86_400);
    await service.record([row(id)]);
    await service.createUser();
    const find = async (query: string) =>
      (await read(service, `/operator/events${query}`)).events.map(
        ({ type, sequence }: Record<string, unknown>) => `${String(type)} ${String(sequence)}`,
      );
    expect(await find('')).toEqual([
      'user.created 1',
      'transactions.recorded 2',
      'transactions.recorded 1',
      'user.created 1',
    ]);
    expect(await find(`?userId=${id}&type=transactions.recorded`)).toHaveLength(2);
    const tomorrow = new Date(Date.now() + 43_200_000).toISOString();
    expect(await find(`?to=${tomorrow}`)).toEqual(['transactions.recorded 1', 'user.created 1']);
    expect(await find(`?from=${tomorrow}&count=1`)).toEqual(['user.created 1']);
    const [last] = (await read(service, '/operator/events?count=1')).events;
    expect(await find(`?before=${last.id}&count=2`)).toEqual(['transactions.recorded 2', 'transactions.recorded 1']);
    const { status } = await service.call('/operator/events', undefined, {
      method: 'GET',
      token: await service.token('events:read'),
    });
    expect(status).toBe(403);
  });
});

describe('disabling', () => {
  it('follows a 410: what was due fails, nothing queues, and the others are told', async () => {
    const service = await serviceForTest();
    const [receiver, other] = [await startReceiver(500), await startReceiver()];
    const endpoint = await subscribe(service, receiver.url);
    await subscribe(service, other.url, ['endpoint.disabled', 'endpoint.delivery_failed']);
    await service.createUser();
    await until(async () => (await deliveries(service, endpoint))[0]?.attempts === 1);
    receiver.behave(410);
    await service.createUser();
    await until(async () => (await deliveries(service, endpoint, '?state=failed')).length === 2);
    expect(await read(service, `/webhook-endpoints/${endpoint.id}`)).toMatchObject({
      enabled: false,
      disabledReason: 'gone',
    });
    await service.createUser();
    await other.received(1);
    expect(other.hooks.map(({ event }) => [event.type, event.data])).toEqual([
      ['endpoint.disabled', { endpointId: endpoint.id, reason: 'gone' }],
    ]);
    const replay = await service.call(`/webhook-endpoints/${endpoint.id}/replay`, { from: '2020-01-01' });
    expect([replay.status, replay.headers.get('error-reason')]).toEqual([400, 'endpoint-disabled']);
    expect(await deliveries(service, endpoint)).toHaveLength(2);

    // What happened meanwhile is not sent when it is enabled again.
    receiver.behave(200);
    await service.call(`/webhook-endpoints/${endpoint.id}`, { enabled: true });
    await service.createUser();
    await until(async () => (await deliveries(service, endpoint, '?state=delivered')).length === 1);
    expect(await deliveries(service, endpoint)).toHaveLength(3);
  });

  it('follows five days of failures, and none that a success ends', async () => {
    const service = await serviceForTest();
    const receiver = await startReceiver(503);
    const endpoint = await subscribe(service, receiver.url);
    const tried = async (count: number) => receiver.received(count);
    const state = () => read(service, `/webhook-endpoints/${endpoint.id}`);
    await service.createUser();
    await tried(1);
    await until(async () => (await deliveries(service, endpoint))[0]?.attempts === 1);
    receiver.behave(200);
    await advance(service, 6 * 86_400);
    await tried(2);
    await until(async () => (await deliveries(service, endpoint, '?state=delivered')).length === 1);
    receiver.behave(503);
    await service.createUser();
    await tried(3);
    await until(async () => (await deliveries(service, endpoint))[0]?.attempts === 1);
    expect(await state()).toMatchObject({ enabled: true });
    await advance(service, 5 * 86_400 + 60);
    await until(async () => !(await state()).enabled);
    expect(await state()).toMatchObject({ disabledReason: 'failing' });
    // Enabled again it has five more days.
    await service.call(`/webhook-endpoints/${endpoint.id}`, { enabled: true });
    await service.createUser();
    await until(async () => (await deliveries(service, endpoint))[0]?.attempts === 1);
    expect(await state()).toMatchObject({ enabled: true });
  });
});

describe('POST /webhook-endpoints/{id}/replay', () => {
  it('sends events again under their old ids, delivered or not, by time and types or by id', async () => {
    const service = await serviceForTest();
    const receiver = await startReceiver();
    const endpoint = await subscribe(service, receiver.url);
    const before = new Date(Date.now() - 60_000).toISOString();
    const id = await service.createUser();
    await service.record([row(id)]);
    await service.createUser();
    await receiver.received(2);
    const replay = (body: unknown) => service.call(`/webhook-endpoints/${endpoint.id}/replay`, body);
    const byTime = await replay({ from: before });
    expect([byTime.status, byTime.json]).toEqual([202, { count: 2 }]);
    await receiver.received(4);
    const { events } = await read(service, '/events?type=transactions.recorded');
    // An id is replayed whatever the types of the endpoint.
    const byId = await replay({ eventIds: [events[0].id, '00000000-0000-7000-8000-000000000000'] });
    expect(byId.json).toEqual({ count: 1 });
    const hooks = await receiver.received(5);
    expect(hooks.map(({ event }) => event.type)).toEqual([
      ...Array.from({ length: 4 }, () => 'user.created'),
      'transactions.recorded',
    ]);
    expect(new Set(hooks.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    await until(async () => (await deliveries(service, endpoint, '?state=delivered')).length === 5);
    expect((await replay({ from: before, to: before })).json).toEqual({ count: 0 });
    expect((await replay({ eventIds: [] })).json).toEqual({ count: 0 });
  });

  it('refuses what it cannot take', async () => {
    const service = await serviceForTest();
    const { id } = await subscribe(service, 'https://hooks.example.com');
    const replay = async (body?: unknown) => (await service.call(`/webhook-endpoints/${id}/replay`, body)).json.errors;
    expect(await replay()).toEqual({ From: ['The From field is required.'] });
    expect(await replay({ to: '2026-01-01' })).toHaveProperty('From');
    expect(await replay({ from: 'yesterday' })).toHaveProperty('From');
    expect(await replay({ from: '2026-02-01', to: '2026-01-01' })).toHaveProperty('From');
    expect(await replay({ eventIds: ['x'] })).toHaveProperty('EventIds');
    expect(await replay({ eventIds: ['x'], from: '2026-01-01' })).toHaveProperty('EventIds');
    const many = Array.from({ length: 1001 }, () => '00000000-0000-7000-8000-000000000000');
    expect(await replay({ eventIds: many })).toEqual({
      EventIds: ["The field EventIds must be a string or array type with a maximum length of '1000'."],
    });
  });
});

describe('GET /webhook-endpoints/{id}/deliveries', () => {
  it('lists the latest first, by state and limit', async () => {
    const service = await serviceForTest();
    const receiver = await startReceiver();
    const endpoint = await subscribe(service, receiver.url);
    for (let count = 0; count < 3; count += 1) await service.createUser();
    await until(async () => (await deliveries(service, endpoint, '?state=delivered')).length === 3);
    const all = await deliveries(service, endpoint);
    const { events } = await read(service, '/events?type=user.created');
    expect(all.map(({ eventId }) => eventId)).toEqual(events.map(({ id }: { id: string }) => id).toReversed());
    expect(await deliveries(service, endpoint, '?limit=1')).toEqual(all.slice(0, 1));
    expect(await deliveries(service, endpoint, '?state=due')).toEqual([]);
    const wrong = await service.call(`/webhook-endpoints/${endpoint.id}/deliveries?state=lost`, undefined, {
      method: 'GET',
    });
    expect([wrong.status, wrong.json.errors]).toEqual([
      400,
      { State: ['The field State must be one of due, delivered, failed.'] },
    ]);
  });
});

it('the sandbox’s clock can be put back, and what is due follows', async () => {
  const service = await serviceForTest();
  const receiver = await startReceiver(500);
  const endpoint = await subscribe(service, receiver.url);
  await advance(service, 10 * 86_400);
  await service.createUser();
  await until(async () => (await deliveries(service, endpoint))[0]?.attempts === 1);
  receiver.behave(200);
  await service.call('/sandbox/clock', undefined, { method: 'DELETE', token: null });
  await until(async () => (await deliveries(service, endpoint, '?state=delivered')).length === 1);
});

it('emptying the sandbox removes the endpoints, and nothing more is sent', async () => {
  const service = await serviceForTest();
  const receiver = await startReceiver(500);
  await subscribe(service, receiver.url);
  await service.createUser();
  await receiver.received(1);
  await service.call('/sandbox/data', undefined, { method: 'DELETE', token: null });
  expect((await read(service, '/webhook-endpoints')).endpoints).toEqual([]);
  const fresh = await startReceiver();
  await subscribe(service, fresh.url);
  await service.createUser();
  await fresh.received(1);
  expect(receiver.hooks).toHaveLength(1);
});
