import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxStore } from '../../src/sandbox/sandbox.store.ts';
import type { Inbox } from '../../src/sms/inbox.ts';
import { ServiceClock } from '../../src/values/clock.ts';
import { httpRequest } from '../harness/http-request.ts';
import { newPhone, row, serviceForTest, startService, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const open = (path: string, options = {}) => service.call(path, undefined, { method: 'GET', token: null, ...options });

/** fetch sets Host and Sec-Fetch headers by itself; a plain request sends what it is told. */
async function plain(
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
): Promise<{ status: number; text: string }> {
  const { status, bytes } = await httpRequest(service.url + path, { method, headers, body });
  return { status, text: bytes.toString() };
}

describe('the inbox', () => {
  it('shows the messages, newest first, without a token', async () => {
    const own = await serviceForTest();
    const phone = newPhone();
    const id = await own.createUser();
    await own.sendCode(id, phone);
    await own.sendCode(id, newPhone());
    await own.sendCode(id, phone);
    const all = (await own.call('/sandbox/messages', undefined, { method: 'GET', token: null })).json;
    expect(all.map(({ phoneNumber }: { phoneNumber: string }) => phoneNumber === phone)).toEqual([true, false, true]);
    expect(await own.messages(phone)).toEqual([all[0], all[2]]);
    expect(await own.messages('+15555550100')).toEqual([]);
  });

  it('goes on after more messages than fit into an integer', async () => {
    const own = await serviceForTest();
    await own.sql`alter table sandbox_messages alter column id restart with 3000000000`;
    const phone = newPhone();
    await own.sendCode(await own.createUser(), phone);
    expect(await own.messages(phone)).toHaveLength(1);
  });

  it('has the text of every send when that send is answered, also of many at once', async () => {
    const phones = Array.from({ length: 60 }, newPhone);
    const found = await Promise.all(
      phones.map(async (phone) => {
        expect((await service.sendCode(await service.createUser(), phone)).status).toBe(204);
        return (await service.messages(phone)).length;
      }),
    );
    expect(found).toEqual(phones.map(() => 1));
  });

  it('reads a leading space as +, and any spelling of the number', async () => {
    const phone = newPhone();
    await service.sendCode(await service.createUser(), phone);
    expect((await open(`/sandbox/messages?phoneNumber=${phone}`)).json).toHaveLength(1);
    expect((await open(`/sandbox/messages?phoneNumber=%2B${phone.slice(1)}`)).json).toHaveLength(1);
    expect((await open(`/sandbox/messages?phoneNumber=%2B440${phone.slice(3)}`)).json).toHaveLength(1);
  });
});

describe('the clock', () => {
  it('moves forward, and calls add up', async () => {
    const own = await serviceForTest();
    const first = (await own.advance(100)).json;
    expect(first.aheadSeconds).toBe(100);
    const second = await Promise.all(Array.from({ length: 10 }, () => own.advance(10)));
    expect(Math.max(...second.map(({ json }) => json.aheadSeconds))).toBe(200);
    expect(Math.abs(Date.parse((await own.advance(0)).json.now) - Date.now() - 200_000)).toBeLessThan(5000);
  });

  it('is put back, and codes, counters and blocks made ahead of time are removed', async () => {
    const own = await serviceForTest({ LEDGERLINE_LIMITS: 'user-sends=3/10m; phone-sends=9/10m' });
    const [id, blocked] = [await own.createUser(), await own.createUser()];
    const phone = newPhone();
    await own.sendCode(id, phone);
    await own.advance(100);
    await own.sendCode(id, phone);
    await own.sendCode(id, phone);
    const ahead = await own.lastCode(phone);
    expect((await own.sendCode(id, phone)).status).toBe(429);
    for (let attempt = 0; attempt < 10; attempt += 1) await own.verify(blocked, 'nope');
    expect((await own.verify(blocked, 'nope')).status).toBe(429);
    expect((await own.call('/sandbox/clock', undefined, { method: 'DELETE', token: null })).status).toBe(204);
    expect((await own.verify(blocked, 'nope')).status).toBe(400);
    expect((await own.verify(id, ahead)).status).toBe(400);
    expect((await own.sendCode(id, phone)).status).toBe(204);
    expect((await own.sendCode(id, phone)).status).toBe(204);
    expect((await own.sendCode(id, phone)).status).toBe(429);
    expect((await own.verify(id, await own.lastCode(phone))).status).toBe(200);
  });

  it.each([
    {},
    { advanceSeconds: -1 },
    { advanceSeconds: 1.5 },
    { advanceSeconds: 'x' },
    { advanceSeconds: 2_000_000_000 },
  ])('refuses %j', async (body) => {
    expect((await service.call('/sandbox/clock', body, { token: null })).status).toBe(400);
  });

  it('has a limit', async () => {
    const own = await serviceForTest();
    await own.advance(315_360_000);
    expect((await own.advance(1)).json.errors).toEqual({
      AdvanceSeconds: ['The clock can be at most 315360000 seconds ahead.'],
    });
  });

  it('is kept over a restart', async () => {
    const own = await serviceForTest();
    await own.advance(5000);
    const again = await startService({ DATABASE_URL: own.databaseUrl });
    expect((await again.advance(0)).json.aheadSeconds).toBe(5000);
    await again.stop();
  });
});

it('empties everything', async () => {
  const own = await serviceForTest();
  const phone = newPhone();
  const id = await own.verifiedUser(phone);
  await own.record([row(id)]);
  await own.advance(60);
  expect((await own.call('/sandbox/data', undefined, { method: 'DELETE', token: null })).status).toBe(204);
  expect((await own.call(`/User/${id}/status`, undefined, { method: 'GET' })).status).toBe(404);
  expect((await own.list({ individualId: id })).status).toBe(400);
  expect((await own.call('/sandbox/messages', undefined, { method: 'GET', token: null })).json).toEqual([]);
  expect((await own.advance(0)).json.aheadSeconds).toBe(0);
  expect(await own.createUser()).toBe(1);
});

/** Whether a statement on the database of this service waits for a lock. */
const isWaitingForLock = async ({ sql }: Service) =>
  (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length > 0;

it('empties everything without a deadlock, while other requests hold some of the tables and want others', async () => {
  const own = await serviceForTest();
  let emptied: Promise<{ status: number }> | undefined;
  await own.sql.begin(async (sql) => {
    await sql`select from events limit 1`;
    emptied = own.call('/sandbox/data', undefined, { method: 'DELETE', token: null });
    // It has tried to take all tables at once, and now holds the first while it waits for this one.
    await until(() => isWaitingForLock(own));
    expect(await sql`select from users limit 1`).toHaveLength(1);
  });
  expect((await emptied!).status).toBe(204);
  expect(await own.sql`select from users`).toHaveLength(0);
});

it('sets the clock back although the rows it changes are locked by other requests in another order', async () => {
  const own = await serviceForTest({ LEDGERLINE_RULES: '*=enforce' });
  let hasHolderFinished = false;
  while (!hasHolderFinished) {
    await own.advance(3600);
    const id = await own.createUser();
    expect((await own.sendCode(id, newPhone())).status).toBe(204);
    let reset: Promise<{ status: number }> | undefined;
    const holder = own.sql.begin(async (sql) => {
      await sql`select from phone_sends for update`;
      reset = own.call('/sandbox/clock', undefined, { method: 'DELETE', token: null });
      await until(() => isWaitingForLock(own));
      // The reset holds this row while it waits for the other ones.
      await sql`select from verifications where user_id = ${id} for update`;
    });
    // PostgreSQL ends the one of the two that looks for a deadlock first: on a busy machine it may be this one.
    hasHolderFinished = await holder.then(
      () => true,
      (error: { code?: string }) => {
        expect(error.code).toBe('40P01');
        return false;
      },
    );
    expect((await reset!).status).toBe(204);
    const [counted] = await own.sql`select cardinality(sends) as sends from verifications where user_id = ${id}`;
    expect(counted!.sends).toBe(0);
  }
});

it('has a demo individual with a year of transactions', async () => {
  const { json } = await service.list({ individualId: 1, dataBatchCount: 1000 });
  expect(json.transactionCount).toBeGreaterThan(400);
  const times = json.transactions.map(({ timeStamp }: { timeStamp: string }) => Date.parse(timeStamp));
  expect(times[0]).toBeLessThanOrEqual(Date.now());
  expect(times[0] - times.at(-1)).toBeGreaterThan(350 * 86_400_000);
});

describe('its check of callers', () => {
  const doors: [string, string, string?][] = [
    ['GET', '/sandbox/messages'],
    ['POST', '/sandbox/clock', '{"advanceSeconds":0}'],
    ['POST', '/connect/token', 'grant_type=client_credentials&client_id=sandbox&client_secret=sandbox'],
  ];
  const typeOf = (path: string): Record<string, string> => ({
    'content-type': path === '/connect/token' ? 'application/x-www-form-urlencoded' : 'application/json',
  });

  it.each(doors)('%s %s answers programs and its own pages', async (method, path, body = '') => {
    const { host, port } = new URL(service.url);
    for (const headers of [
      {},
      { host: `localhost:${port}` },
      { host: `[::1]:${port}` },
      { origin: service.url, 'sec-fetch-site': 'same-origin' },
      { host, 'sec-fetch-site': 'none' },
    ] as Record<string, string>[]) {
      expect((await plain(method, path, { ...typeOf(path), ...headers }, body)).status).toBe(200);
    }
  });

  it.each(doors)(
    '%s %s refuses unknown hosts, other origins and forwarded requests',
    async (method, path, body = '') => {
      const strangers: Record<string, string>[] = [
        { host: 'evil.example' },
        { host: 'evil.example:8080' },
        { host: '127.0.0.1.evil.example' },
        { host: '10.0.0.1' },
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: 'http://localhost:3000' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { forwarded: 'for=1.2.3.4' },
        { 'x-forwarded-for': '1.2.3.4' },
        { 'x-forwarded-host': 'localhost' },
        { 'x-real-ip': '127.0.0.1' },
        { via: '1.1 proxy' },
      ];
      for (const headers of strangers) {
        const answer = await plain(method, path, { ...typeOf(path), ...headers }, body);
        expect([headers, answer.status]).toEqual([headers, 403]);
        expect(answer.text).not.toContain('access_token');
      }
    },
  );

  it('accepts a configured host', async () => {
    const named = await serviceForTest({ LEDGERLINE_SANDBOX_HOSTS: 'sandbox.example' });
    const headers = { host: 'sandbox.example' };
    expect((await httpRequest(`${named.url}/sandbox/messages`, { headers })).status).toBe(200);
  });
});

it('a reading of the clock that comes between a reset and its commit does not undo the reset', async () => {
  const clock = new ServiceClock();
  clock.aheadSeconds = 5000;
  let commit = () => {};
  const committed = new Promise<void>((resolve) => (commit = resolve));
  const sandbox = createSandbox({
    store: { resetClock: () => committed, readClock: async () => 5000 } as unknown as SandboxStore,
    clock,
    inbox: {} as Inbox,
    forget: () => {},
    notifyOthers: async () => {},
  });
  const reset = sandbox.resetClock();
  await sandbox.follow();
  expect(clock.aheadSeconds).toBe(0);
  commit();
  await reset;
  expect(clock.aheadSeconds).toBe(0);
});
