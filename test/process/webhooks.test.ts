/** Webhooks when processes are killed or stopped: every event arrives at least once, and repeated ones carry their id. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import postgres from 'postgres';
import { startReceiver, type Receiver } from '../harness/servers/receiver.ts';
import { until } from '../harness/until.ts';
import { cloneDatabase, serviceForTest, startService } from '../harness/service.ts';
import { sized } from '../harness/size.ts';
import { dataFolder, startProcess, type ServiceProcess } from '../harness/process.ts';

async function shareDatabase() {
  const database = await cloneDatabase();
  const sql = postgres(database.url, { max: 1, connection: { search_path: 'ledgerline' }, onnotice: () => {} });
  onTestFinished(async () => {
    await sql.end();
    await database.drop();
  });
  const dataDir = await dataFolder();
  const settings = { DATABASE_URL: database.url, LEDGERLINE_DIGEST_KEY: randomBytes(32).toString('base64') };
  return { sql, start: () => startProcess(dataDir, settings), settings };
}

const subscription = ({ url }: Receiver) => ({ url, types: ['user.created'] });

async function subscribe(service: ServiceProcess, token: string, receiver: Receiver): Promise<number> {
  const { status, json } = await service.call('POST', '/webhook-endpoints', token, subscription(receiver));
  expect(status).toBe(201);
  return json.id;
}

/** Ids of events by user, as they arrived. */
function arrived({ hooks }: Receiver): Map<number, Set<string>> {
  const ids = new Map<number, Set<string>>();
  for (const { event } of hooks) {
    ids.set(event.data.userId, (ids.get(event.data.userId) ?? new Set()).add(event.id));
  }
  return ids;
}

it('kill -9 at any moment: what was committed arrives, and a repeated event carries the same id', async () => {
  const { sql, start } = await shareDatabase();
  const receiver = await startReceiver(async (_hook, response) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    response.end();
  });
  let service = await start();
  await subscribe(service, await service.token(), receiver);
  for (let kills = 0; kills < sized(2, 3); kills += 1) {
    const token = await service.token();
    const calls = Array.from({ length: 60 }, () => service.call('POST', '/User', token, {}).catch(() => undefined));
    // Some are committed and not sent, some sent and not marked, some not committed.
    await receiver.received(receiver.hooks.length + 1);
    await service.end('SIGKILL');
    await Promise.all(calls);
    service = await start();
  }
  const users = await sql`select id from users where has_created_event`;
  expect(users.length).toBeGreaterThan(0);
  await until(() => arrived(receiver).size === users.length);
  for (const ids of arrived(receiver).values()) expect(ids.size).toBe(1);
  await until(async () => (await sql`select from webhook_deliveries where state <> 'delivered'`).length === 0);
  const [counted] = await sql`select count(*)::int as deliveries from webhook_deliveries`;
  expect(counted!.deliveries).toBe(users.length);
}, 180_000);

it('a holder that is stopped past its lease does no harm when it continues', async () => {
  const { sql, start, settings } = await shareDatabase();
  const held: ServerResponse[] = [];
  const receiver = await startReceiver((_hook, response) => void held.push(response));
  const first = await start();
  const token = await first.token();
  const id = await subscribe(first, token, receiver);
  // Only a process can be stopped and continued.
  const second = await serviceForTest(settings);
  await first.call('POST', '/User', token, {});
  await receiver.received(1);

  // The request of the first process is under way. The second takes the endpoint over and delivers.
  first.child.kill('SIGSTOP');
  receiver.behave(200);
  await receiver.received(2);
  expect(receiver.hooks[1]!.event).toEqual(receiver.hooks[0]!.event);
  const list = async () =>
    (await second.call(`/webhook-endpoints/${id}/deliveries`, undefined, { method: 'GET' })).json.deliveries;
  await until(async () => (await list())[0].state === 'delivered');

  // The receiver fails what the first process has sent; that must not count.
  for (const response of held) response.writeHead(500).end();
  first.child.kill('SIGCONT');
  await until(async () => (await first.call('GET', '/health/live', null)).status === 200);
  await second.createUser();
  await receiver.received(3);
  await until(async () => (await list()).every(({ state }: { state: string }) => state === 'delivered'));
  expect(await list()).toMatchObject([
    { state: 'delivered', attempts: 1 },
    { state: 'delivered', attempts: 1, lastStatus: 200 },
  ]);
  expect(receiver.hooks).toHaveLength(3);
  const [lease] = await sql`select failing_since from webhook_leases`;
  expect(lease!.failing_since).toBeNull();
}, 180_000);

it('nodes share the endpoints, and one that stops hands its share over', async () => {
  const { sql, settings } = await shareDatabase();
  const receivers = [await startReceiver(), await startReceiver(), await startReceiver(), await startReceiver()];
  const first = await startService(settings);
  for (const receiver of receivers)
    expect((await first.call('/webhook-endpoints', subscription(receiver))).status).toBe(201);
  const second = await serviceForTest(settings);
  const shares = async () => {
    const rows = await sql`
      select count(*)::int as endpoints from webhook_leases where held_until > now() group by holder`;
    return rows.map(({ endpoints }) => String(endpoints)).join();
  };
  await until(async () => (await shares()) === '2,2');
  await second.createUser();
  for (const receiver of receivers) await receiver.received(1);
  await first.stop();
  await until(async () => (await shares()) === '4');
  await second.createUser();
  for (const receiver of receivers) await receiver.received(2);
  for (const { hooks } of receivers) expect(hooks).toHaveLength(2);
}, 180_000);
