import { expect, it, onTestFinished } from 'vitest';
import postgres from 'postgres';
import { startReceiver } from '../harness/servers/receiver.ts';
import { cloneDatabase } from '../harness/service.ts';
import { runHere } from '../harness/command.ts';
import { dataFolder } from '../harness/process.ts';

it('ledgerline webhooks manages endpoints without the service', async () => {
  const database = await cloneDatabase();
  const sql = postgres(database.url, { max: 1, connection: { search_path: 'ledgerline' }, onnotice: () => {} });
  onTestFinished(async () => {
    await sql.end();
    await database.drop();
  });
  const settings = { DATABASE_URL: database.url, DATA_DIR: await dataFolder() };
  const webhooks = (...args: string[]) => runHere(['webhooks', ...args], settings);
  const receiver = await startReceiver();

  const refused = await webhooks('create', 'https://10.0.0.1/');
  expect([refused.code, refused.stderr]).toEqual([
    1,
    'The field Url must not lead to a private or otherwise special address.\n',
  ]);
  expect((await webhooks('create', receiver.url, '--types', 'user.invented')).stderr).toContain('no event type');
  const created = await webhooks('create', receiver.url, '--types', 'user.created,user.erased', '--description', 'CRM');
  expect(created).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^Endpoint 1\..*\nwhsec_\S+\n$/),
  });
  const tested = await webhooks('test', '1');
  expect([tested.code, tested.stdout]).toEqual([0, expect.stringMatching(/^Delivered: 200 after \d+ ms\.\n$/)]);
  expect(receiver.hooks[0]!.event).toMatchObject({ type: 'endpoint.test', data: { endpointId: 1 } });
  expect((await webhooks('update', '1', '--types', '')).stdout).toContain('all types, CRM.');
  // A terminal would obey what a caller of the API wrote.
  const evil = await webhooks('update', '1', '--description', '\u001b[2J\nEndpoint 2\u202e');
  expect(evil.stdout).toContain(', \ufffd[2J\ufffdEndpoint 2\ufffd.\n');
  expect((await webhooks('list')).stdout.split('\n')[1]).toMatch(/ \ufffd\[2J\ufffdEndpoint 2\ufffd$/);
  expect((await webhooks('rotate-secret', '1', '--overlap', '0')).stdout).toMatch(/whsec_/);

  await sql`select write_event('gateway.up', null, now(), '{"gateway":"x","reason":"y"}')`;
  expect((await webhooks('replay', '1', '--from', '2020-01-01')).stdout).toMatch(/^\d+ events are sent again\.\n$/);
  expect((await webhooks('deliveries', '1')).stdout).toContain('gateway.up');
  expect((await webhooks('disable', '1')).stdout).toBe('Endpoint 1 is disabled.\n');
  expect((await webhooks('list')).stdout).toContain('disabled (request)');
  expect((await webhooks('deliveries', '1', '--state', 'due')).stdout).not.toContain('gateway.up');
  expect((await webhooks('enable', '1')).code).toBe(0);
  for (const id of ['crm', '0', '2147483648']) {
    const stderr = `${id} is no id; \`ledgerline webhooks list\` shows them.\n`;
    expect(await webhooks('delete', id)).toMatchObject({ code: 1, stderr });
  }
  expect((await webhooks('delete', '1')).code).toBe(0);
  expect(await webhooks('delete', '1')).toMatchObject({ code: 1, stderr: 'Unknown webhook endpoint.\n' });

  const actions = await sql`select action, subject from operator_actions order by id`;
  expect(actions.map(({ action }) => action)).toEqual([
    'create-webhook-endpoint',
    'update-webhook-endpoint',
    'update-webhook-endpoint',
    'rotate-webhook-secret',
    'replay-webhook-events',
    'disable-webhook-endpoint',
    'enable-webhook-endpoint',
    'delete-webhook-endpoint',
  ]);
  expect(actions[0]!.subject).toMatch(/^cli:/);
}, 180_000);
