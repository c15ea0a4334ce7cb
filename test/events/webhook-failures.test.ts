/** Deliveries to webhook endpoints whose receivers fail, and what follows for the endpoint. */
import { describe, expect, it } from 'vitest';
import { startReceiver } from '../harness/servers/receiver.ts';
import { serviceForTest, startService, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { advance, deliveries, read, subscribe, type Endpoint } from '../harness/webhook-deliveries.ts';

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

  it('is not followed to another address if it redirects', async () => {
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

  it('that hangs is given up after 15 seconds, and does not delay other endpoints', async () => {
    const service = await serviceForTest();
    const [hanging, other] = [await startReceiver(() => {}), await startReceiver()];
    const endpoint = await subscribe(service, hanging.url);
    await subscribe(service, other.url);
    for (let count = 0; count < 40; count += 1) await service.createUser();
    await other.received(40);
    expect(await deliveries(service, endpoint, '?state=delivered')).toEqual([]);
    await until(async () => (await deliveries(service, endpoint)).some(({ attempts }) => attempts === 1), 100);
    const tried = (await deliveries(service, endpoint)).find(({ attempts }) => attempts === 1);
    expect(tried).toMatchObject({ state: 'due', lastStatus: null, lastError: 'No answer in time.' });
  }, 120_000);
});

it('a dead endpoint with a long queue does not delay other endpoints', async () => {
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
  const health = await until(async () => {
    const [first] = (await read(service, '/operator/webhook-endpoints')).endpoints;
    return first.failingSince && first;
  });
  expect(health).toMatchObject({ id: endpoint.id, due: 1000, enabled: true });
  // After a hundred failures it is asked only a few times a second.
  const tried = await service.sql`select from webhook_deliveries where endpoint_id = ${endpoint.id} and attempts > 0`;
  expect(tried.length).toBeLessThan(2000);
  // Disabling it makes all of them failed, whatever their number.
  await service.call(`/webhook-endpoints/${endpoint.id}`, { enabled: false });
  expect(await deliveries(service, endpoint, '?state=due')).toEqual([]);
  expect(await deliveries(service, endpoint, '?state=failed&limit=1000')).toHaveLength(1000);
}, 120_000);

describe('disabling', () => {
  it('follows a 410: due deliveries fail, nothing is queued, and other endpoints get the event', async () => {
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

  it('by request waits while outcomes of deliveries are being written', async () => {
    const service = await serviceForTest();
    const receiver = await startReceiver(500);
    const endpoint = await subscribe(service, receiver.url, ['user.created']);
    for (let users = 0; users < 5; users += 1) await service.createUser();
    await until(
      async () => (await deliveries(service, endpoint)).filter(({ attempts }) => attempts === 1).length === 5,
    );
    const [, , middle] = await service.sql`select id from webhook_deliveries order by id`;
    // As mark_deliveries locks them.
    const { disabled } = await service.sql.begin(async (sql) => {
      await sql`select from webhook_leases where endpoint_id = ${endpoint.id} for update`;
      await sql`update webhook_deliveries set attempts = attempts where id = ${middle!.id}`;
      const answer = service.call(`/webhook-endpoints/${endpoint.id}`, { enabled: false });
      await until(async () => {
        const [waiting] = await service.sql`
          select from pg_locks l join pg_stat_activity a on a.pid = l.pid
          where not l.granted and a.datname = current_database() and a.query not like '%lease_endpoints%'`;
        return waiting !== undefined;
      });
      await sql`update webhook_deliveries set attempts = attempts where id <> ${middle!.id}`;
      return { disabled: answer };
    });
    expect((await disabled).json).toMatchObject({ enabled: false, disabledReason: 'request' });
    expect(await deliveries(service, endpoint, '?state=failed')).toHaveLength(5);
  });

  it('follows five days of failures without a success in between', async () => {
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

it('an endpoint whose lease could not be released is delivered to again', async () => {
  const service = await serviceForTest();
  const receivers = [await startReceiver(), await startReceiver()];
  for (const { url } of receivers) await subscribe(service, url);
  await service.createUser();
  for (const receiver of receivers) await receiver.received(1);
  await service.sql.unsafe(`
    create function refuse_release() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refuse_release before update on webhook_leases
      for each row when (new.holder is null) execute function refuse_release()`);
  // Another process joins, so the first one has a lease too many; then it leaves again.
  const other = await startService({ DATABASE_URL: service.databaseUrl });
  await until(() => service.logLines.some((line) => line.includes('"job":"webhook-lease"')));
  await other.stop();
  await service.sql`drop trigger refuse_release on webhook_leases`;
  await service.createUser();
  for (const receiver of receivers) await receiver.received(2);
});
