/**
 * Every operation of the API, and exactly the events that the catalogue promises for it. At the end the whole run is
 * searched for what no event, no log of deliveries and no log line may hold.
 */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { eventCatalogue, eventTypes, type EventEntry, type EventType } from '../../src/events/catalogue.ts';
import { gatewayDefinitions } from '../../src/sms/gateways/index.ts';
import { openStream } from '../harness/servers/event-stream.ts';
import { gatewayServer, type Behaviour } from '../harness/servers/gateway-server.ts';
import { startReceiver } from '../harness/servers/receiver.ts';
import { row, serviceForTest } from '../harness/service.ts';
import { confirm } from './confirmation-steps.ts';
import { sendTwilioReceipt, twilioAccepts, twilioSettings } from '../harness/servers/twilio.ts';
import { until } from '../harness/until.ts';

interface Told {
  id: string;
  type: EventType;
  sequence?: number;
  data: Record<string, unknown>;
}

const refusesDestination = () => ({ status: 400, body: { code: 21614 } });
const fails = () => ({ status: 503 });

/** Operations that read or only concern the connection: none of them makes an event. */
const silentPaths: Record<string, string> = {
  'list-events': '/events',
  'list-webhook-endpoints': '/webhook-endpoints',
  'operator-overview': '/operator/overview',
  'guard-rules': '/operator/guard/rules',
  'guard-blocks': '/operator/guard/blocks',
  'guard-safe-list': '/operator/guard/safe-list',
  'guard-decisions': '/operator/guard/decisions',
  'guard-usage': '/operator/guard/usage',
  'operator-actions': '/operator/actions',
  'operator-export-actions': '/operator/actions/export',
  'operator-messages': '/operator/messages',
  'operator-performance': '/operator/performance',
  'operator-settings': '/operator/settings',
  'operator-events': '/operator/events',
  'operator-webhook-endpoints': '/operator/webhook-endpoints',
  jwks: '/.well-known/jwks.json',
  discovery: '/.well-known/openid-configuration',
  live: '/health/live',
  ready: '/health/ready',
  metrics: '/metrics',
  'sandbox-messages': '/sandbox/messages',
  'page-sandbox': '/',
  'page-wallet': '/wallet',
  'page-console': '/console',
  openapi: '/openapi.json',
  docs: '/docs',
};

/** What other tests cover: the receipts of the other gateways are applied by the same function as those of Twilio. */
const coveredElsewhere = [
  ...gatewayDefinitions
    .filter(({ name }) => name !== 'twilio')
    .flatMap(({ name }) => [`receipts-${name}`, `receipts-${name}-get`]),
  'statement',
];

async function openRun() {
  const gateway = await gatewayServer(twilioAccepts);
  const service = await serviceForTest({
    ...(await twilioSettings(gateway.url)),
    LEDGERLINE_LOG_LEVEL: 'debug',
    LEDGERLINE_BREAKER: '2/1s/2m',
    LEDGERLINE_LIMITS: 'user-sends=4/10m; user-phones=1/1d',
    LEDGERLINE_RULES: 'user-phones=shadow',
    LEDGERLINE_RETAIN_ERASED_DAYS: '0',
  });
  const done = new Set<string>();
  const told: Told[] = [];
  const secrets = new Set<string>();
  let cursor: string | undefined;

  async function newEvents(): Promise<Told[]> {
    const query = cursor === undefined ? '' : `&after=${cursor}`;
    const { json } = await service.call(`/events?limit=1000${query}`, undefined, { method: 'GET' });
    cursor = json.next;
    told.push(...json.events);
    return json.events;
  }

  async function call(method: string, path: string, body?: unknown) {
    const bearer = await service.token();
    for (const part of [bearer, ...bearer.split('.').slice(1)]) secrets.add(part);
    return service.call(path, body, { method });
  }

  /** Does something, and compares the events that came of it, without those that name no user of their own. */
  async function step(operations: string | string[], expected: EventType[], act: () => Promise<unknown>) {
    await newEvents();
    await act();
    const written = await newEvents();
    const types = written.map(({ type }) => type);
    expect({ operations, types }).toEqual({ operations, types: expected });
    for (const operation of [operations].flat()) done.add(operation);
    return written;
  }

  const behave = (behaviour: Behaviour) => gateway.behave(behaviour);
  let lastPhone = 33_612_100_000;
  function newPhone(): string {
    const phone = `+${(lastPhone += 1)}`;
    secrets.add(phone).add(phone.slice(1));
    return phone;
  }
  function lastCode(): string {
    const code = /\b\d{6}\b/.exec(gateway.received.at(-1)!.form.Body!)![0];
    secrets.add(code);
    return code;
  }
  return { gateway, service, done, told, secrets, newEvents, call, step, behave, newPhone, lastCode };
}

type Run = Awaited<ReturnType<typeof openRun>>;

async function verifyPhone(run: Run): Promise<number> {
  const { gateway, call, step, behave, newPhone, lastCode, secrets } = run;
  const person = { email: 'person@secret.example', additionalData: { note: 'private-note' } };
  for (const secret of ['person@secret.example', 'private-note']) secrets.add(secret);
  let id = 0;
  await step('create-user', ['user.created'], async () => ({ id } = (await call('POST', '/User', person)).json));
  const phone = newPhone();
  const send = (phoneNumber = phone) => call('POST', '/User/phone-number/send-code', { id, phoneNumber });
  const verify = (code: string) => call('POST', '/User/phone-number/verify', { id, code });
  await step('send-code', ['phone.code_sent'], () => send());
  await step('receipts-twilio', ['phone.delivery_changed'], () =>
    sendTwilioReceipt(gateway.received[0]!.form.StatusCallback!, 'delivered'),
  );
  await step('resend-code', ['phone.code_sent'], () => call('POST', `/User/${id}/phone-number/resend-code`));
  behave(refusesDestination);
  await step('send-code', ['phone.send_failed'], () => send());
  behave('die');
  await step('send-code', ['phone.code_sent'], () => send());
  behave(twilioAccepts);
  await step('send-code', ['guard.rule_fired'], () => send());
  await step('send-code', [], () => send());
  await step('verify-phone', [], () => verify('999999'));
  await step('verify-phone', ['phone.verified'], () => verify(lastCode()));
  await step('send-code', [], () => send());
  await step('user-status', [], () => call('GET', `/User/${id}/status`));
  await step('operator-reveal-phone', ['operator.acted'], () => call('POST', `/operator/users/${id}/reveal-phone`));
  await step('operator-find-users', ['operator.acted'], () =>
    call('POST', '/operator/find-users', { phoneNumber: phone }),
  );
  await step('operator-transactions', ['operator.acted'], () => call('POST', `/operator/users/${id}/transactions`));
  await confirm(run, id);
  await step('unlink-phone', ['phone.unlinked'], () => call('DELETE', `/User/${id}/phone-number`));
  await step('unlink-phone', [], () => call('DELETE', `/User/${id}/phone-number`));
  return id;
}

/** After the rules have fired for the first time, which is told once in an hour. */
async function changePhone({ call, step, newPhone, lastCode }: Run): Promise<void> {
  const recycled = newPhone();
  let userId = 0;
  await step(
    ['create-user', 'send-code', 'verify-phone'],
    ['user.created', 'phone.code_sent', 'phone.verified'],
    async () => {
      ({ id: userId } = (await call('POST', '/User')).json);
      await call('POST', '/User/phone-number/send-code', { id: userId, phoneNumber: recycled });
      await call('POST', '/User/phone-number/verify', { id: userId, code: lastCode() });
    },
  );
  const changed = newPhone();
  await step('change-phone', ['phone.code_sent'], () =>
    call('POST', `/User/${userId}/phone-number/change`, { phoneNumber: changed }),
  );
  await step('resend-change', ['phone.code_sent'], () =>
    call('POST', `/User/${userId}/phone-number/change/resend-code`),
  );
  const code = lastCode();
  await step('verify-change', [], () => call('POST', `/User/${userId}/phone-number/change/verify`, { code: '999999' }));
  await step('verify-change', ['phone.changed'], () =>
    call('POST', `/User/${userId}/phone-number/change/verify`, { code }),
  );
  await step('end-change', [], () => call('DELETE', `/User/${userId}/phone-number/change`));
  await step('operator-free-phone', ['phone.unlinked', 'operator.acted'], () =>
    call('POST', '/operator/free-phone', { userId, phoneNumber: changed }),
  );
}

async function useTheGuard({ call, step, newPhone }: Run, id: number): Promise<void> {
  const fail = () => call('POST', '/User/phone-number/verify', { id, code: '999999' });
  await step('verify-phone', ['phone.verification_blocked'], async () => {
    for (let count = 0; count < 9; count += 1) await fail();
  });
  await step('verify-phone', ['guard.rule_fired'], fail);
  const lift = () => call('POST', '/operator/guard/lift', { userId: id, reason: 'They called.' });
  await step('guard-lift', ['phone.block_lifted', 'operator.acted'], lift);
  await step('guard-lift', ['operator.acted'], lift);
  await step('guard-set-mode', ['operator.acted'], () =>
    call('POST', '/operator/guard/mode', { rule: 'user-phones', mode: 'shadow' }),
  );
  const send = () => call('POST', '/User/phone-number/send-code', { id, phoneNumber: newPhone() });
  await step('send-code', ['phone.code_sent'], send);
  await step('send-code', ['guard.rule_fired', 'phone.code_sent'], send);
  const phoneNumber = newPhone();
  const safeList = '/operator/guard/safe-list';
  await step('guard-add-safe', ['operator.acted'], () => call('POST', safeList, { phoneNumber }));
  await step('guard-add-safe', [], () => call('POST', safeList, { phoneNumber }));
  const { json } = await call('GET', safeList);
  const remove = () => call('POST', `${safeList}/remove`, { id: json.entries[0].id });
  await step('guard-remove-safe', ['operator.acted'], remove);
  await step('guard-remove-safe', [], remove);
}

async function loseTheGateway({ call, behave, newPhone, newEvents, done, told }: Run): Promise<void> {
  const sendOfNewUser = async () => {
    const { json: user } = await call('POST', '/User', {});
    return call('POST', '/User/phone-number/send-code', { id: user.id, phoneNumber: newPhone() });
  };
  const isTold = async (type: EventType) => {
    await newEvents();
    return told.some((event) => event.type === type);
  };
  behave(fails);
  expect((await sendOfNewUser()).status).toBe(503);
  await until(() => isTold('gateway.down'));
  behave(twilioAccepts);
  await until(async () => (await sendOfNewUser()).status === 204);
  await until(() => isTold('gateway.up'));
  expect(told.filter(({ type }) => type.startsWith('gateway.')).map(({ type }) => type)).toEqual([
    'gateway.down',
    'gateway.up',
  ]);
  done.add('send-code');
}

async function recordTransactions({ service, call, step, secrets }: Run, id: number): Promise<void> {
  const secretRow = row(id, { amount: '7654.32', senderName: 'Secret Person', paymentNotes: 'a private payment' });
  for (const secret of ['7654.32', 'Secret Person', 'a private payment']) secrets.add(secret);
  const record = (transactionStatus: string) => service.record([{ ...secretRow, transactionStatus }]);
  await step('record-transactions', ['transactions.recorded'], () => record('Pending'));
  await step('record-transactions', [], () => record('Pending'));
  await step('record-transactions', ['transactions.updated'], () => record('Accepted'));
  const of = { individualId: id, transactionId: secretRow.transactionId };
  await step(
    ['get-all-transactions', 'get-transaction', 'get-transaction-history', 'sync-transactions'],
    [],
    async () => {
      await service.list(of);
      await call('POST', '/app/get-transaction', of);
      await call('POST', '/app/get-transaction-history', of);
      await call('POST', '/app/sync-transactions', of);
    },
  );
  await step('operator-transaction', ['operator.acted'], () => call('POST', `/operator/users/${id}/transaction`, of));
  await step(['summarize-transactions', 'export-transactions', 'live-transactions'], [], async () => {
    await call('POST', '/app/summarize-transactions', of);
    await call('POST', '/app/export-transactions', of);
    await openStream(`${service.url}/app/live?individualId=${id}`, await service.token());
  });
}

/** The events of endpoints, and that a receiver gets what the log has. */
async function useWebhooks(run: Run) {
  const { service, call, step, told, newEvents, secrets } = run;
  const [good, gone, bad] = [await startReceiver(), await startReceiver(410), await startReceiver(500)];
  const create = async (url: string, types: string[]) => {
    const { json } = await call('POST', '/webhook-endpoints', { url, types });
    secrets.add(json.secret).add(json.secret.slice('whsec_'.length));
    return json.id as number;
  };
  let path = '';
  await step(
    'create-webhook-endpoint',
    ['operator.acted'],
    async () => (path = `/webhook-endpoints/${await create(good.url, [])}`),
  );
  await step(['get-webhook-endpoint', 'list-webhook-deliveries', 'operator-webhook-deliveries'], [], async () => {
    await call('GET', path);
    await call('GET', `${path}/deliveries`);
    await call('GET', `/operator${path}/deliveries`);
  });
  await step(
    ['update-webhook-endpoint', 'rotate-webhook-secret', 'test-webhook-endpoint'],
    ['operator.acted', 'operator.acted'],
    async () => {
      await call('POST', path, { description: 'ours' });
      secrets.add((await call('POST', `${path}/rotate-secret`, {})).json.secret);
      await call('POST', `${path}/test`);
    },
  );
  await step('replay-webhook-events', ['operator.acted'], () => call('POST', `${path}/replay`, { from: '2000-01-01' }));
  await create(gone.url, ['user.created']);
  await call('POST', '/User', {});
  const disabled = await until(async () => {
    await newEvents();
    return told.find(({ type }) => type === 'endpoint.disabled');
  });
  await until(() => good.hooks.some(({ event }) => event.id === disabled.id));

  await create(bad.url, ['user.created']);
  await call('POST', '/User', {});
  // The schedule of tries, with the most that is added to it.
  const pauses = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
  for (const [index, seconds] of pauses.entries()) {
    if (seconds > 0) await service.advance(seconds * 1.2);
    service.forgetTokens();
    await bad.received(index + 1);
  }
  await until(async () => {
    await newEvents();
    return told.some(({ type }) => type === 'endpoint.delivery_failed');
  });
  return { good, path };
}

async function eraseUser({ call, step }: Run, id: number): Promise<void> {
  await step('read-user-data', ['operator.acted'], () => call('GET', `/User/${id}/data`));
  await step('operator-trail', [], () => call('GET', `/operator/users/${id}/trail`));
  await step('erase-user', ['user.erased', 'operator.acted'], () => call('DELETE', `/User/${id}`));
  await step('erase-user', [], () => call('DELETE', `/User/${id}`));
}

/** Every member that the catalogue names, and no other; and no gap in the sequence of a user. */
function checkShapes(told: readonly Told[]): void {
  for (const { type, data, sequence } of told) {
    const { about, data: members, optional = [] }: EventEntry = eventCatalogue[type];
    const isGiven = (member: string) => !optional.includes(member) || data[member] !== undefined;
    const userId = about === undefined || data.userId !== undefined ? ['userId'] : [];
    expect({ type, members: Object.keys(data).sort() }).toEqual({
      type,
      members: [...userId, ...Object.keys(members).filter(isGiven)].sort(),
    });
    expect(sequence === undefined).toBe(userId.length === 0);
  }
  const counters = new Map<string, number[]>();
  for (const { type, sequence, data } of told) {
    const counter = `${String(data.userId)} ${type.startsWith('transactions.')}`;
    if (sequence !== undefined) counters.set(counter, [...(counters.get(counter) ?? []), sequence]);
  }
  for (const sequences of counters.values()) expect(sequences).toEqual(sequences.map((_, index) => index + 1));
}

/** As a word of its own: six digits may stand in any id. */
function holds(text: string, secret: string): boolean {
  return text.split(secret).some((before, index, parts) => {
    const after = parts[index + 1];
    return after !== undefined && !/[\w.-]$/.test(before) && !/^[\w-]/.test(after);
  });
}

it('every operation causes exactly the events of the catalogue, without codes or full numbers', async () => {
  const run = await openRun();
  const { service, call, step, done, told, secrets } = run;
  const id = await verifyPhone(run);
  await useTheGuard(run, id);
  await changePhone(run);
  await recordTransactions(run, id);
  await loseTheGateway(run);
  await eraseUser(run, id);
  for (const [operation, path] of Object.entries(silentPaths)) await step(operation, [], () => call('GET', path));
  await step(['operator-live-messages', 'token'], [], async () => {
    await openStream(`${service.url}/operator/messages/live`, await service.token());
  });
  const { good, path } = await useWebhooks(run);
  await step('delete-webhook-endpoint', ['operator.acted'], () => call('DELETE', path));
  await step(['sandbox-clock-advance', 'sandbox-clock-reset'], [], async () => {
    await service.advance(1);
    await call('DELETE', '/sandbox/clock');
    service.forgetTokens();
  });

  checkShapes(told);
  expect(new Set(told.map(({ type }) => type))).toEqual(new Set(eventTypes));
  const { paths } = JSON.parse(await readFile('openapi.json', 'utf8'));
  const operations = Object.values<Record<string, { operationId: string }>>(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  const missing = operations.filter((name) => !done.has(name) && !coveredElsewhere.includes(name));
  const whatToDo =
    'an operation that only reads, by GET and without an id in its path, has a line in `silentPaths`; ' +
    'any other one needs a call in a `step`, with the events that it makes';
  expect(missing, whatToDo).toEqual(['sandbox-empty']);

  const deliveries = await service.sql`select d::text as text from webhook_deliveries d`;
  const places = {
    events: JSON.stringify(told),
    webhooks: good.hooks.map(({ body }) => body).join('\n'),
    deliveries: deliveries.map(({ text }) => text).join('\n'),
    actions: JSON.stringify((await call('GET', '/operator/actions')).json),
    log: service.logLines.join('\n'),
  };
  expect(good.hooks.length).toBeGreaterThan(10);
  for (const [place, text] of Object.entries(places)) {
    const found = [...secrets].filter((secret) => holds(text, secret));
    expect({ place, found }).toEqual({ place, found: [] });
  }

  await call('DELETE', '/sandbox/data');
  expect((await call('GET', '/events')).json.events).toEqual([]);
});
