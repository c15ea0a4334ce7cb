/** What keeps webhooks from being used against others: limits by host, limits of replays, and the audit of endpoints. */
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { startReceiver } from '../harness/servers/receiver.ts';
import { serviceForTest } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { subscribe } from '../harness/webhook-deliveries.ts';

/** The limit of the service. */
const inFlight = 16;

it('all endpoints at one host share its limit of requests in flight, and take turns', async () => {
  const service = await serviceForTest();
  const held: ServerResponse[] = [];
  let most = 0;
  const hold = async (_hook: unknown, response: ServerResponse) => {
    held.push(response);
    most = Math.max(most, held.length);
  };
  // Two ports and two paths: still one host.
  const [first, second] = [await startReceiver(hold), await startReceiver(hold)];
  for (const url of [first.url, `${first.url}/other`, second.url]) await subscribe(service, url);
  const users = 24;
  for (let count = 0; count < users; count += 1) await service.createUser();
  const arrived = () => first.hooks.length + second.hooks.length;
  await until(() => {
    if (held.length === inFlight || arrived() + inFlight > 3 * users)
      for (const response of held.splice(0)) response.end();
    return arrived() === 3 * users;
  });
  expect(most).toBe(inFlight);
  for (const path of ['/hooks', '/hooks/other']) {
    expect(first.hooks.filter((hook) => hook.path === path)).toHaveLength(users);
  }
  for (const response of held) response.end();
});

it('a replay is refused while more than 10,000 deliveries of earlier replays are due', async () => {
  const service = await serviceForTest();
  const receiver = await startReceiver();
  const { id } = await subscribe(service, receiver.url);
  await service.createUser();
  await receiver.received(1);
  const queue = (count: number, isReplay: boolean) => service.sql`
    insert into webhook_deliveries (endpoint_id, event_position, due_at, is_replay)
    select ${id}, position, 'infinity', ${isReplay} from events, generate_series(1, ${count})
    where position = (select max(position) from events)`;
  const replay = () => service.call(`/webhook-endpoints/${id}/replay`, { from: '2000-01-01' });
  // Those that no replay queued do not count.
  await queue(20_000, false);
  await queue(10_000, true);
  expect(await replay()).toMatchObject({ status: 202, json: { count: 1 } });
  await receiver.received(2);
  await queue(1, true);
  const refused = await replay();
  expect([refused.status, refused.headers.get('error-reason')]).toEqual([429, 'too-many-replays']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await service.sql`update webhook_deliveries set state = 'delivered' where is_replay`;
  expect((await replay()).status).toBe(202);
});

it('every change of an endpoint is in the audit, with the change or not at all', async () => {
  const service = await serviceForTest();
  const receiver = await startReceiver();
  const { id } = await subscribe(service, receiver.url);
  const change = (pathname: string, body?: unknown) => service.call(`/webhook-endpoints/${id}${pathname}`, body);
  await change('', { description: 'CRM' });
  await change('', { enabled: false });
  await change('', { enabled: false });
  await change('', { enabled: true, types: [] });
  await change('/rotate-secret', {});
  await change('/replay', { from: '2000-01-01' });
  const actions = async () => {
    const rows = await service.sql`select action, subject, client, target from operator_actions order by id`;
    return rows.map(({ action, ...rest }) => {
      expect(rest).toEqual({ subject: 'sandbox', client: 'sandbox', target: `webhook endpoint ${id}` });
      return action;
    });
  };
  const expected = [
    'create-webhook-endpoint',
    'update-webhook-endpoint',
    'disable-webhook-endpoint',
    'update-webhook-endpoint',
    'enable-webhook-endpoint',
    'rotate-webhook-secret',
    'replay-webhook-events',
  ];
  expect(await actions()).toEqual(expected);

  await service.sql.unsafe(`
    create function refuse_action() returns trigger language plpgsql as $$ begin raise exception 'full' using errcode = '53100'; end $$;
    create trigger refuse_action before insert on operator_actions for each row execute function refuse_action()`);
  const state = async () => ({
    endpoints: await service.sql`select id, url, description, enabled from webhook_endpoints`,
    secrets: await service.sql`select id, expires_at from webhook_secrets order by id`,
    deliveries: await service.sql`select id from webhook_deliveries where is_replay order by id`,
  });
  const before = await state();
  const statuses = [
    await service.call('/webhook-endpoints', { url: receiver.url }),
    await change('', { description: 'other' }),
    await change('', { enabled: false }),
    await change('/rotate-secret', {}),
    await change('/replay', { from: '2000-01-01' }),
    await service.call(`/webhook-endpoints/${id}`, undefined, { method: 'DELETE' }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([503, 503, 503, 503, 503, 503]);
  expect(await state()).toEqual(before);
  await service.sql`drop trigger refuse_action on operator_actions`;
  await service.call(`/webhook-endpoints/${id}`, undefined, { method: 'DELETE' });
  expect(await actions()).toEqual([...expected, 'delete-webhook-endpoint']);
});
