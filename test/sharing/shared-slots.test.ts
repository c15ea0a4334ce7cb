/** What callers share: none of them can take it from the others. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ArrivingBodies } from '../../src/http/connections/arriving-bodies.ts';
import { allowSlowReading, ConnectionTable } from '../../src/http/connections/connections.ts';
import { checkHttpAnswer } from '../harness/http-request.ts';
import { row, serviceForTest, startService, type Answer, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let service: Service;
let large: number;
let other: number;
beforeAll(async () => {
  // Only a cancelled statement ends before that.
  service = await startService({ LEDGERLINE_STATEMENT_SECONDS: '600' });
  large = await service.createUser();
  other = await service.createUser();
  await service.record(Array.from({ length: 2500 }, () => row(large, { paymentNotes: 'n'.repeat(1900) })));
  await service.record([row(other, { paymentNotes: 'rare' })]);
});
afterAll(() => service.stop());

/** Holds a table that only some statements need, for as long as the work takes. */
async function whileLocked<T>(table: string, work: () => Promise<T>): Promise<T> {
  return (await service.sql.begin(async (sql) => {
    await sql.unsafe(`lock table ${table} in access exclusive mode`);
    return work();
  })) as T;
}

/** The statements with this text that wait for a lock; the service's own jobs may wait, too. */
const waitingStatements = async (text: string) =>
  (
    await service.sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and strpos(query, ${text}) > 0`
  ).length;

/** Counts what has been answered so far. */
function counted(answers: Promise<Answer>[]) {
  const statuses: number[] = [];
  for (const answer of answers) void answer.then(({ status }) => statuses.push(status));
  return statuses;
}

/** A part of the statement that a search waits for. */
const countsBlocks = 'as is_cut';

const search = (token: string) =>
  service.call('/app/get-all-transactions', { individualId: large, dataBatch: 1, amountFrom: '1' }, { token });

describe('long statements', () => {
  it('of one user do not hold up another caller’s record, search or export', async () => {
    const token = await service.token('', large);
    let searches: Promise<Answer>[] = [];
    await whileLocked('transaction_blocks', async () => {
      searches = Array.from({ length: 120 }, () => search(token));
      const answered = counted(searches);
      // One runs, sixteen wait, and the others are told to come back.
      await until(() => answered.length === 103);
      expect(new Set(answered)).toEqual(new Set([503]));
      await until(async () => (await waitingStatements(countsBlocks)) === 1);
      expect((await service.record([row(other)])).json.results[0].result).toBe('created');
      const found = await service.list({ individualId: other, search: 'rare' });
      expect(found.json.transactionCount).toBe(1);
      expect((await service.call('/app/export-transactions', { individualId: other })).status).toBe(200);
      expect(answered).toHaveLength(103);
    });
    const answers = await Promise.all(searches);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(17);
    const refused = answers.find(({ status }) => status === 503)!;
    expect(refused.headers.get('error-reason')).toBe('overloaded');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('are cancelled in PostgreSQL when their caller leaves', async () => {
    const users = await service.token('', large);
    const operators = await service.token('operator:read');
    const ask = async (path: string, text: string, body?: unknown) => {
      const leaver = new AbortController();
      const { signal } = leaver;
      const headers = { authorization: `Bearer ${body ? users : operators}`, 'content-type': 'application/json' };
      const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
      const asked = fetch(service.url + path, { headers, signal, ...sent }).then((answer) => answer.text());
      await until(async () => (await waitingStatements(text)) === 1);
      leaver.abort();
      await expect(asked).rejects.toThrow();
      await until(async () => (await waitingStatements(text)) === 0);
    };
    await whileLocked('transaction_blocks', () =>
      ask('/app/get-all-transactions', countsBlocks, { individualId: large, dataBatch: 1, amountFrom: '1' }),
    );
    await whileLocked('transactions', () => ask('/app/export-transactions', 'declare listed', { individualId: large }));
    await whileLocked('guard_decisions', () => ask('/operator/guard/decisions', 'from guard_decisions'));
    for (const path of ['/operator/actions', '/operator/actions/export'])
      await whileLocked('operator_actions', () => ask(path, 'from operator_actions'));
    await whileLocked('messages', () => ask('/operator/messages', 'from messages'));
    await whileLocked('messages', () => ask('/operator/overview', 'with counted as'));
    await whileLocked('verifications', () => ask('/operator/guard/blocks', 'select id, rule, subject'));
    await whileLocked('verifications', () => ask('/operator/guard/usage', 'as used'));
    await whileLocked('guard_safe', () => ask('/operator/guard/safe-list', 'from guard_safe'));
    await whileLocked('guard_totals', () => ask('/operator/guard/rules', 'sum(decisions)'));
    // The list first moves waiting events to the log, for which it would wait here, too: none is left after this call.
    await service.call('/operator/events', undefined, { method: 'GET', token: operators });
    await whileLocked('events', () => ask('/operator/events', 'from events e'));
    // The connections serve the next callers.
    const token = await service.token('', large);
    for (let round = 0; round < 10; round += 1) expect((await search(token)).status).toBe(200);
  });
});

it('rows for which there is no room are refused before their body is read', async () => {
  let records: Promise<Answer>[] = [];
  await whileLocked('transactions', async () => {
    records = Array.from({ length: 300 }, () => service.record([row(other)]));
    const answered = counted(records);
    await until(() => answered.length > 0);
    expect(new Set(answered)).toEqual(new Set([503]));
    const headers = {
      authorization: `Bearer ${await service.token()}`,
      'content-type': 'application/json',
      'content-length': 1000,
    };
    const outgoing = request(`${service.url}/app/record-transactions`, { method: 'POST', headers });
    onTestFinished(() => void outgoing.destroy());
    outgoing.on('error', () => {}).flushHeaders();
    const [response] = (await once(outgoing, 'response')) as [import('node:http').IncomingMessage];
    checkHttpAnswer(`${service.url}/app/record-transactions`, outgoing, response);
    expect([response.statusCode, response.headers['error-reason']]).toEqual([503, 'overloaded']);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  });
  const statuses = (await Promise.all(records)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(100);
});

const metrics = async ({ call }: Service) => (await call('/metrics', undefined, { method: 'GET', token: null })).text;

describe('requests', () => {
  it('that find no room get 503 at once, also of one caller that has its share; health is answered', async () => {
    const small = await serviceForTest({ LEDGERLINE_REQUESTS: '8', LEDGERLINE_STATEMENT_SECONDS: '600' });
    const [a, b] = [await small.createUser(), await small.createUser()];
    const [client, userA, userB] = [await small.token(), await small.token('', a), await small.token('', b)];
    const list = (token: string) =>
      small.call('/app/get-all-transactions', { individualId: b, dataBatch: 1 }, { token });
    const active = async () => Number(/ledgerline_requests_active (\d+)/.exec(await metrics(small))![1]);
    const held: Promise<Answer>[] = [];
    await small.sql.begin(async (sql) => {
      await sql`lock table users in access exclusive mode`;
      // The limit of eight is reached, and passed for a while.
      held.push(...Array.from({ length: 8 }, () => list(client)));
      await until(async () => (await active()) === 8);
      const refused = await firstRefusal(() => list(client), active, held);
      expect(held.length).toBeLessThan(32);
      expect(refused.status).toBe(503);
      expect([refused.headers.get('error-reason'), refused.headers.get('retry-after')]).toEqual(['overloaded', '1']);
      expect((await list(userA)).status).toBe(503);
      expect((await small.call('/connect/token', undefined, { raw: '', token: null })).status).toBe(503);
      for (const path of ['/health/live', '/health/ready', '/metrics']) {
        expect((await small.call(path, undefined, { method: 'GET', token: null })).status).toBe(200);
      }
    });
    // Nobody has transactions.
    expect(new Set((await Promise.all(held)).map((answer) => answer.status))).toEqual(new Set([404]));
    expect((await list(userB)).status).toBe(404);
  });
});

/**
 * Asks until it is refused. What is not refused counts as active and hangs, and goes to the others. Ten times a second:
 * a burst of 32 would be refused for its size, before it has lasted the second after which eight are too many.
 */
async function firstRefusal(
  ask: () => Promise<Answer>,
  active: () => Promise<number>,
  held: Promise<Answer>[],
): Promise<Answer> {
  for (;;) {
    const asked = ask();
    const answered = counted([asked]);
    await until(async () => answered.length > 0 || (await active()) > held.length);
    if (answered.length > 0) return asked;
    held.push(asked);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe('answers that are not read', () => {
  const post = (path: string, token: string, body: string, type = 'application/json') =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

  function unread(text: string): Socket {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname).pause();
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).write(text);
    return socket;
  }

  it('have a limit for each caller: the next request is refused until they are', async () => {
    const [token, another] = [await service.token('', large), await service.token('', other)];
    const page = { individualId: large, dataBatch: 1, dataBatchCount: 1000 };
    const socket = unread(post('/app/get-all-transactions', token, JSON.stringify(page)).repeat(60));
    const list = (bearer: string, individualId: number) =>
      service.call('/app/get-all-transactions', { individualId, dataBatch: 1, dataBatchCount: 1 }, { token: bearer });
    await until(async () => (await list(token, large)).status === 503);
    const refused = await list(token, large);
    expect([refused.headers.get('error-reason'), refused.headers.get('retry-after')]).toEqual(['overloaded', '5']);
    expect((await list(another, other)).status).toBe(200);
    socket.destroy();
    await until(async () => (await list(token, large)).status === 200);
  });

  it('of streams of rows keep the places of the streams', async () => {
    const token = await service.token();
    // The answer to each is larger than what the sockets of both sides hold.
    const rows = post('/app/record-transactions', token, '0\n'.repeat(40_000), 'application/x-ndjson');
    const sockets = Array.from({ length: 12 }, () => unread(rows));
    // The start of each answer is there, and no more is read.
    await Promise.all(sockets.map((socket) => once(socket, 'readable')));
    const stream = () =>
      service.call('/app/record-transactions', undefined, {
        raw: '0\n',
        headers: { 'content-type': 'application/x-ndjson' },
      });
    expect((await stream()).headers.get('error-reason')).toBe('too-many-streams');
    for (const socket of sockets) socket.destroy();
    await until(async () => (await stream()).status === 200);
  });
});

it('streams behind a request whose connection breaks take no place', async () => {
  const token = await service.token('', other);
  const { hostname, port } = new URL(service.url);
  const live = `GET /app/live HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`;
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  await whileLocked('users', async () => {
    socket.on('error', () => {}).write(live.repeat(3));
    await until(async () => (await metrics(service)).includes('ledgerline_requests_active 3\n'));
    socket.destroy();
    // The service has heard of it when it has answered somebody else.
    await metrics(service);
  });
  await until(async () => (await metrics(service)).includes('ledgerline_requests_active 0\n'));
  expect((await Promise.all([1, 2, 3].map(() => openLive(token)))).map(({ status }) => status)).toEqual([
    200, 200, 200,
  ]);
});

/** A live stream that is closed when the test ends. */
async function openLive(token: string): Promise<Response> {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  return fetch(`${service.url}/app/live`, { headers: { authorization: `Bearer ${token}` }, signal: controller.signal });
}

describe('connections', () => {
  const opened = async (url: string): Promise<Socket> => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };

  it('are closed when a body trickles in after the answer', async () => {
    const socket = await opened(service.url);
    socket.write(
      'POST /app/record-transactions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n{',
    );
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /);
    const trickle = setInterval(() => socket.write(' '), 200);
    onTestFinished(() => clearInterval(trickle));
    await until(() => socket.closed);
  });

  it.each([
    ['that send nothing', ''],
    ['that send half a head', 'GET /health/live HTTP/1.1\r\nhost'],
    ['whose request is answered', 'GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n'],
  ])('are no more than the setting says, and those %s make room', async (_, text) => {
    const small = await serviceForTest({ LEDGERLINE_CONNECTIONS: '10' });
    const idle = await Promise.all(Array.from({ length: 12 }, () => opened(small.url)));
    for (const socket of idle) if (text !== '') socket.write(text);
    await until(() => idle.filter((socket) => socket.closed).length >= 2);
    const isAnswered = () =>
      fetch(`${small.url}/health/live`, { headers: { connection: 'close' } }).then(
        ({ ok }) => ok,
        () => false,
      );
    // Refused at first; then idle ones are closed.
    await until(isAnswered, 300);
    expect(idle.filter((socket) => !socket.closed).length).toBeGreaterThan(0);
  });

  it('are cut off for slow reading also after an event stream, whose readers may be slow', async () => {
    const large = Buffer.alloc(64 * 1024 * 1024);
    const server = createServer((incoming, response) => {
      if (incoming.url === '/stream') allowSlowReading(response);
      response.end(incoming.url === '/stream' ? 'an event' : large);
    });
    new ConnectionTable({
      maxConnections: 10,
      slowestRead: { bytesPerSecond: 1000, seconds: 1 },
      bodies: new ArrivingBodies(),
      isProxy: () => false,
      report(error) {
        throw error;
      },
    }).attach(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const socket = await opened(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    socket.write('GET /stream HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'data');
    socket.pause().write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
    const [served] = (await once(server, 'request')) as [import('node:http').IncomingMessage];
    await until(() => served.socket.destroyed);
  });
});
