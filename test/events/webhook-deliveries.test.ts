/** Deliveries to webhook endpoints whose receivers answer, and the lists of events and deliveries. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { startReceiver, type ReceivedHook } from '../harness/servers/receiver.ts';
import { row, serviceForTest } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { advance, deliveries, read, subscribe } from '../harness/webhook-deliveries.ts';

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

  it('goes only to endpoints that want its type, and not to endpoints that were added after the event', async () => {
    const service = await serviceForTest();
    await service.createUser();
    const [all, some] = [await startReceiver(), await startReceiver()];
    await subscribe(service, all.url, []);
    await subscribe(service, some.url, ['transactions.recorded']);
    const id = await service.createUser();
    await service.record([row(id)]);
    // Two of them are about the endpoints themselves.
    await all.received(4);
    await some.received(1);
    expect(all.hooks.map(({ event }) => String(event.type)).toSorted()).toEqual([
      'operator.acted',
      'operator.acted',
      'transactions.recorded',
      'user.created',
    ]);
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

  it('refuses invalid values', async () => {
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
