/** What an operator finds in the log about a request that was refused. */
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openConnection } from '../../src/db/sessions/pool.ts';
import { createObserver } from '../../src/monitoring/observe.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { cloneDatabase, newPhone, serviceForTest } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const linesOf = (logLines: string[]) => logLines.map((line) => JSON.parse(line) as Record<string, unknown>);

it('says why a token was refused, and which scope a token lacks', async () => {
  const service = await serviceForTest();
  const status = (token: string | null) => service.call('/User/1/status', undefined, { method: 'GET', token });
  await status(null);
  await status('nonsense');
  await status(await service.token('transactions:read'));
  const refused = () => linesOf(service.logLines).filter(({ operation }) => operation === 'user-status');
  await until(() => refused().length >= 3);
  const inOrder = refused().toSorted((one, other) => String(one.time).localeCompare(String(other.time)));
  expect(inOrder.map(({ status: code, reason, detail }) => ({ code, reason, detail }))).toEqual([
    { code: 401, reason: 'invalid-token', detail: undefined },
    { code: 401, reason: 'invalid-token', detail: 'the token is malformed' },
    { code: 403, reason: 'missing-scope', detail: undefined },
  ]);
});

it('has status 499 for requests whose caller left before their answer, also for those sent behind one another', async () => {
  const answers: (() => void)[] = [];
  const gateway = await gatewayServer(async () => {
    await new Promise<void>((resolve) => answers.push(resolve));
    return { status: 200, body: { messages: [{ messageId: 'i', status: { groupId: 1 } }] } };
  });
  const service = await serviceForTest({
    LEDGERLINE_GATEWAYS: 'infobip',
    LEDGERLINE_INFOBIP_KEY: 'k',
    LEDGERLINE_INFOBIP_URL: gateway.url,
  });
  const id = await service.createUser();
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const body = JSON.stringify({ id, phoneNumber: newPhone() });
  const request = `POST /User/phone-number/send-code HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${await service.token()}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  socket.write(request + request);
  await until(() => gateway.received.length > 0);
  socket.resetAndDestroy();
  const left = () => linesOf(service.logLines).filter(({ operation }) => operation === 'send-code');
  await until(() => left().length >= 2);
  for (const answer of answers) answer();
  expect(left().map(({ status }) => status)).toEqual([499, 499]);
});

it('does not log probes that find everything well, unless debugging', async () => {
  const quiet = await serviceForTest();
  const chatty = await serviceForTest({ LEDGERLINE_LOG_LEVEL: 'debug' });
  for (const { url } of [quiet, chatty]) {
    for (const probe of ['live', 'ready']) await (await fetch(`${url}/health/${probe}`)).text();
  }
  const probes = (lines: string[]) =>
    linesOf(lines).filter(({ operation }) => /^(live|ready)$/.test(String(operation)));
  await until(() => probes(chatty.logLines).length >= 2);
  expect(probes(quiet.logLines)).toEqual([]);
  expect(probes(chatty.logLines).map(({ level }) => level)).toEqual(['debug', 'debug']);
});

it('has the trace id of the answer in every line about a send and a verification', async () => {
  let answer: { status: number; body?: unknown } = { status: 503 };
  const gateway = await gatewayServer(() => answer);
  const service = await serviceForTest({
    LEDGERLINE_GATEWAYS: 'twilio',
    LEDGERLINE_TWILIO_ACCOUNT: 'AC1',
    LEDGERLINE_TWILIO_TOKEN: 'secret',
    LEDGERLINE_GATEWAY_URLS: `twilio=${gateway.url}`,
    LEDGERLINE_SENDER: 'Ledgerline',
    LEDGERLINE_LIMITS: 'user-sends=1/10m',
  });
  const id = await service.createUser();
  const failed = await service.sendCode(id, newPhone());
  answer = { status: 201, body: { sid: 'SM1', status: 'queued' } };
  await service.sendCode(id, newPhone());
  const refused = await service.sendCode(id, newPhone());
  const wrong = await service.verify(id, 'nope');
  const traceOf = (kind: string) => linesOf(service.logLines).find(({ msg }) => msg === kind)?.traceId;
  expect([failed.status, refused.status, wrong.status]).toEqual([503, 429, 400]);
  await until(() => traceOf('verify-refused') !== undefined);
  expect(traceOf('gateway-asked')).toBe(failed.json.traceId);
  expect([traceOf('send-failed'), traceOf('send-refused'), traceOf('verify-refused')]).toEqual([
    failed.json.traceId,
    refused.json.traceId,
    wrong.json.traceId,
  ]);
  expect(traceOf('code-sent')).toEqual(expect.stringMatching(/^00-/));
});

it('as text has one line for each entry, and nothing that a terminal obeys', () => {
  const lines: string[] = [];
  const { observe } = createObserver({ level: 'info', format: 'text', write: (line) => void lines.push(line) });
  observe({ kind: 'token-issued', client: 'app\n12:00:00.000 · started\u001b[2J' });
  expect(lines).toEqual([expect.stringMatching(/ token-issued client=app\ufffd12:00:00\.000 · started\ufffd\[2J\n$/)]);
});

it('a defect that PostgreSQL reports has the names of what it is about, and none of its values', async () => {
  const lines: string[] = [];
  const { observeDefect } = createObserver({ level: 'info', format: 'json', write: (line) => void lines.push(line) });
  const database = await cloneDatabase();
  onTestFinished(database.drop);
  const sql = openConnection(database.url, 5);
  onTestFinished(() => sql.end({ timeout: 1 }));
  const twice = sql`insert into guard_safe (key, label, is_prefix, added_at, added_by)
    select '+44740', '+44740', true, now(), 'test' from generate_series(1, 2)`;
  observeDefect(await twice.catch((error: unknown) => error), 'trace');
  const [line] = lines;
  expect(JSON.parse(line!)).toMatchObject({ code: '23505', table: 'guard_safe', constraint: 'guard_safe_pkey' });
  expect(line).not.toContain('44740');
});
