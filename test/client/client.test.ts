import { getEventListeners } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { clientCredentials, createClient, isE164, parseExact, type Client } from '../../client/index.ts';
import { clientTypes } from '../../src/http/openapi/client-types.ts';
import { completeDocument } from '../../src/http/routes/index.ts';
import { failure } from '../harness/client.ts';
import { newPhone, startService, wrongCode, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = createClient({ baseUrl: service.url, token: credentials(), resendSeconds: 0 });
});
afterAll(() => service.stop());

const credentials = (more: { userId?: number; scope?: string } = {}) =>
  clientCredentials({ baseUrl: service.url, clientId: 'sandbox', clientSecret: 'sandbox', ...more });

/** A server that answers as it is told, in turn. */
const neverAnswered = -1;

async function scripted(...answers: { status: number; headers?: Record<string, string>; body?: string }[]) {
  const requests: { path: string; authorization: string | undefined; key: unknown }[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const { authorization, 'idempotency-key': key } = request.headers;
    requests.push({ path: request.url!, authorization, key });
    const { status, headers, body } = answers[requests.length - 1] ?? answers.at(-1)!;
    if (status === 0) return request.socket.destroy();
    if (status === neverAnswered) return;
    request.resume().on('end', () => response.writeHead(status, headers).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

describe('types', () => {
  it('are generated from the schemas; `npm run generate` updates them', async () => {
    const committed = await readFile(new URL('../../client/types.ts', import.meta.url), 'utf8');
    expect(committed).toBe(clientTypes(JSON.parse(completeDocument())));
  });

  it('the client imports nothing of the service', async () => {
    const folder = new URL('../../client/', import.meta.url);
    for (const file of await readdir(folder)) {
      const text = await readFile(new URL(file, folder), 'utf8');
      for (const [, from] of text.matchAll(/from '([^']+)'/g))
        expect([file, from]).toEqual([file, expect.stringMatching(/^\.\/[\w-]+\.ts$/)]);
    }
  });
});

describe('phone verification', () => {
  it('verifies a user from send to status', async () => {
    const { id } = await client.createUser({ email: 'ada@example.com' });
    const phoneNumber = newPhone();
    expect(await client.userStatus(id)).toMatchObject({ isPhoneNumberVerified: false, phoneNumber: null });
    await client.sendCode({ id, phoneNumber });
    await client.resendCode(id);
    const [message] = await client.sandbox.messages(phoneNumber);
    await client.verify({ id, code: message!.code! });
    expect(await client.userStatus(id)).toMatchObject({ isPhoneNumberVerified: true, phoneNumber });
    await client.unlinkPhone(id);
    expect((await client.userStatus(id)).isPhoneNumberVerified).toBe(false);
  });

  it('gives each refusal a kind and a reason', async () => {
    const { id } = await client.createUser();
    const phoneNumber = newPhone();
    await client.sendCode({ id, phoneNumber });
    const [message] = await client.sandbox.messages(phoneNumber);
    const wrong = await failure(client.verify({ id, code: wrongCode(message!.code!) }));
    expect(wrong).toMatchObject({ kind: 'refused', status: 400, message: 'Invalid code.' });
    expect(wrong.traceId).toMatch(/^00-[0-9a-f]{32}-/);
    const blank = await failure(client.verify({ id, code: '' }));
    expect(blank).toMatchObject({ kind: 'invalid', errors: { Code: ['The Code field is required.'] } });
    expect(await failure(client.userStatus(2_000_000_000))).toMatchObject({ kind: 'not-found', status: 404 });
    for (let i = 0; i < 9; i += 1) await failure(client.verify({ id, code: wrongCode(message!.code!) }));
    const blocked = await failure(client.verify({ id, code: message!.code! }));
    expect(blocked).toMatchObject({ kind: 'too-many', status: 429 });
    expect(blocked.retryAfterSeconds).toBeGreaterThan(3000);
  });

  it('checks the phone number before the call', async () => {
    expect(['+447911123456', '+1234567'].map(isE164)).toEqual([true, true]);
    expect(['447911123456', '+0447911123456', '+44 7911 123456', '+123456', ''].some(isE164)).toBe(false);
    const { url, requests } = await scripted({ status: 204 });
    const error = await failure(createClient({ baseUrl: url, token: 'x' }).sendCode({ id: 1, phoneNumber: '0791' }));
    expect(error).toMatchObject({ kind: 'invalid', errors: { PhoneNumber: [expect.any(String)] } });
    expect(requests).toEqual([]);
  });

  it('keeps a resend delay for each user, but not after a failure', async () => {
    const patient = createClient({ baseUrl: service.url, token: credentials(), resendSeconds: 60 });
    const [first, second] = [await client.createUser(), await client.createUser()];
    const phoneNumber = newPhone();
    await failure(patient.sendCode({ id: 2_000_000_000, phoneNumber }));
    expect(patient.secondsUntilResend(2_000_000_000)).toBe(0);
    await patient.sendCode({ id: first.id, phoneNumber });
    expect(patient.secondsUntilResend(first.id)).toBeGreaterThan(50);
    const error = await failure(patient.resendCode(first.id));
    expect(error.kind).toBe('too-many');
    expect(error.retryAfterSeconds).toBeGreaterThan(50);
    await patient.sendCode({ id: second.id, phoneNumber: newPhone() });
    expect(await client.sandbox.messages(phoneNumber)).toHaveLength(1);
  });
});

describe('transactions', () => {
  const row = (individualId: number, index: number) => ({
    individualId,
    transactionId: `t-${String(index).padStart(4, '0')}`,
    amount: `${index}.10`,
    currency: 'EUR',
    timeStamp: '2026-02-03T04:05:06Z',
    transactionCategory: 'Debit',
  });

  it('gives every digit of an amount as text', async () => {
    const { id } = await client.createUser();
    const amount = '9007199254740993.17';
    const { results } = await client.recordTransactions([{ ...row(id, 1), amount }]);
    expect(results.map(({ result }) => result)).toEqual(['created']);
    const { transactions } = await client.listTransactions({ individualId: id, dataBatch: 1 });
    expect(transactions[0]).toMatchObject({ amount: Number(amount), amountText: amount });
    expect(await client.getTransaction({ transactionId: 't-0001', individualId: id })).toEqual(transactions[0]);
    const { periods } = await client.summarizeTransactions({ individualId: id });
    expect(periods[0]).toMatchObject({ from: '2026-02-03', moneyOutText: amount, moneyInText: '0', otherText: '0' });
  });

  it('reads amounts from members only, never from inside a text', () => {
    expect(parseExact(String.raw`{"note":"\"amount\": 1.50","amount" : 1.50,"list":[{"amount":-2e3}]}`)).toEqual({
      note: '"amount": 1.50',
      amount: 1.5,
      amountText: '1.50',
      list: [{ amount: -2000, amountText: '-2e3' }],
    });
  });

  it('walks all pages with the rows of the first page', async () => {
    const { id } = await client.createUser();
    await client.recordTransactions(Array.from({ length: 25 }, (_, index) => row(id, index)));
    const seen: string[] = [];
    for await (const { transactionId } of client.transactions({ individualId: id, dataBatchCount: 10 })) {
      // It sorts before all others, and would push each page on by one.
      await client.recordTransactions([row(id, 1000 + seen.length)]);
      seen.push(transactionId);
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => `t-${String(24 - index).padStart(4, '0')}`));
    expect((await client.listTransactions({ individualId: id, dataBatch: 1 })).transactionCount).toBe(50);
  });

  it('exports both formats', async () => {
    const { id } = await client.createUser();
    await client.recordTransactions([row(id, 1), row(id, 2)]);
    const csv = await (await client.exportTransactions({ individualId: id })).text();
    expect(csv.trim().split('\n')).toHaveLength(3);
    const lines = await (await client.exportTransactions({ individualId: id, amountFrom: '2' }, 'ndjson')).text();
    expect(lines.trim().split('\n').map(parseExact)).toMatchObject([{ transactionId: 't-0002', amountText: '2.10' }]);
  });
});

describe('tokens', () => {
  it('a token that the service refuses is replaced once', async () => {
    const own = createClient({ baseUrl: service.url, token: credentials() });
    const { id } = await own.createUser();
    await own.sandbox.advanceClock(90_000);
    expect((await own.userStatus(id)).isPhoneNumberVerified).toBe(false);
    await own.sandbox.resetClock();
  });

  it('a fixed token, or a second refused one, is an error', async () => {
    expect((await failure(createClient({ baseUrl: service.url, token: 'bad' }).createUser())).kind).toBe(
      'unauthorized',
    );
    const asked: boolean[] = [];
    const token = (refused: boolean) => {
      asked.push(refused);
      return 'bad';
    };
    expect((await failure(createClient({ baseUrl: service.url, token }).createUser())).kind).toBe('unauthorized');
    expect(asked).toEqual([false, true]);
  });

  it('calls at the same time share one request for a token', async () => {
    const { url, requests } = await scripted({ status: 200, body: '{"access_token":"t","expires_in":60}' });
    const source = clientCredentials({ baseUrl: url, clientId: 'a', clientSecret: 'b' });
    expect(await Promise.all([source(false), source(false), source(false)])).toEqual(['t', 't', 't']);
    expect(requests).toHaveLength(1);
    const refused = clientCredentials({ baseUrl: service.url, clientId: 'sandbox', clientSecret: 'no' });
    expect(await failure(Promise.resolve(refused(false)))).toMatchObject({ status: 401, kind: 'unauthorized' });
  });

  it('a token that is bound to a user works for that user only', async () => {
    const { id } = await client.createUser();
    const bound = createClient({ baseUrl: service.url, token: credentials({ userId: id }) });
    expect(await bound.userStatus(id)).toBeDefined();
    expect((await failure(bound.userStatus(id + 1))).kind).toBe('forbidden');
  });
});

describe('retries', () => {
  const unavailable = { status: 503, headers: { 'retry-after': '0', 'error-reason': 'overloaded' } };

  it('5xx is retried after Retry-After', async () => {
    const { url, requests } = await scripted(unavailable, { status: 500 }, { status: 204 });
    await createClient({ baseUrl: url, token: 't' }).sendCode({ id: 1, phoneNumber: '+447911123456' });
    expect(requests).toHaveLength(3);
  });

  it('no retry after the limit, after a long Retry-After, or on 4xx', async () => {
    const never = await scripted(unavailable);
    const error = await failure(createClient({ baseUrl: never.url, token: 't', retries: 2 }).createUser());
    expect(error).toMatchObject({ kind: 'unavailable', status: 503 });
    expect(never.requests).toHaveLength(3);
    const long = await scripted({ status: 503, headers: { 'retry-after': '3600' } });
    expect((await failure(createClient({ baseUrl: long.url, token: 't' }).createUser())).retryAfterSeconds).toBe(3600);
    expect(long.requests).toHaveLength(1);
    const bad = await scripted({ status: 429, headers: { 'retry-after': '1' } });
    expect((await failure(createClient({ baseUrl: bad.url, token: 't' }).createUser())).kind).toBe('too-many');
    expect(bad.requests).toHaveLength(1);
  });

  it('a query that took too long is not repeated', async () => {
    const slow = await scripted({ status: 503, headers: { 'retry-after': '0', 'error-reason': 'query-too-slow' } });
    const error = await failure(createClient({ baseUrl: slow.url, token: 't' }).userStatus(1));
    expect(error).toMatchObject({ kind: 'unavailable', reason: 'query-too-slow' });
    expect(slow.requests).toHaveLength(1);
  });

  it('without an answer only idempotent calls are repeated', async () => {
    const gone = await scripted(
      { status: 0 },
      { status: 200, body: '{"isPhoneNumberVerified":true,"phoneNumber":null}' },
    );
    const own = createClient({ baseUrl: gone.url, token: 't' });
    expect((await own.userStatus(1)).isPhoneNumberVerified).toBe(true);
    const lost = await scripted({ status: 0 });
    const verify = createClient({ baseUrl: lost.url, token: 't' }).verify({ id: 1, code: '123456' });
    expect((await failure(verify)).kind).toBe('offline');
    expect(lost.requests).toHaveLength(1);
  });

  it.each([
    ['502', { status: 502 }],
    ['500', { status: 500, headers: { 'error-reason': 'internal' } }],
    ['503 of a proxy', { status: 503, headers: { 'retry-after': '0' } }],
    ['lost COMMIT', { status: 503, headers: { 'retry-after': '0', 'error-reason': 'database-unavailable' } }],
  ])('after a %s only idempotent calls are repeated, since the work may have been done', async (_, answer) => {
    const once = await scripted(answer);
    const own = createClient({ baseUrl: once.url, token: 't', retries: 1 });
    expect((await failure(own.createUser())).kind).toBe('unavailable');
    expect((await failure(own.verify({ id: 1, code: '123456' }))).kind).toBe('unavailable');
    expect(once.requests).toHaveLength(2);
    await failure(own.userStatus(1));
    expect(once.requests).toHaveLength(4);
  });

  it('all retries of a send have one key, and the next send has another', async () => {
    const flaky = await scripted({ status: 0 }, { status: 503, headers: { 'retry-after': '0' } }, { status: 204 });
    const own = createClient({ baseUrl: flaky.url, token: 't', resendSeconds: 0 });
    await own.sendCode({ id: 1, phoneNumber: '+447911123456' });
    await own.resendCode(1);
    await own.resendCode(1, { idempotencyKey: 'mine' });
    const [first, second, third, resend, mine] = flaky.requests.map(({ key }) => key);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect([second, third]).toEqual([first, first]);
    expect(resend).toMatch(/^[0-9a-f]{32}$/);
    expect(resend).not.toBe(first);
    expect(mine).toBe('mine');
  });

  it('a send of unknown outcome is tried once more, under the same key, and keeps the cool-down', async () => {
    const unknown = { status: 503, headers: { 'error-reason': 'send-outcome-unknown', 'retry-after': '0' } };
    const failed = { status: 503, headers: { 'error-reason': 'send-failed', 'retry-after': '0' } };
    const phoneNumber = '+447911123456';
    for (const [answers, calls] of [
      [[unknown], 2],
      [[failed, unknown], 3],
      [[unknown, failed, unknown], 3],
    ] as const) {
      const slow = await scripted(...answers);
      const own = createClient({ baseUrl: slow.url, token: 't' });
      const error = await failure(own.sendCode({ id: 1, phoneNumber }));
      expect([error.kind, error.reason]).toEqual(['unavailable', 'send-outcome-unknown']);
      expect(slow.requests).toHaveLength(calls);
      expect(new Set(slow.requests.map(({ key }) => key)).size).toBe(1);
      // The text may arrive.
      expect(own.secondsUntilResend(1)).toBeGreaterThan(0);
      expect((await failure(own.resendCode(1))).kind).toBe('too-many');
    }
    const accepted = await scripted(unknown, { status: 204 });
    await createClient({ baseUrl: accepted.url, token: 't' }).sendCode({ id: 1, phoneNumber });
    expect(accepted.requests).toHaveLength(2);
    const never = await scripted(unknown);
    await failure(createClient({ baseUrl: never.url, token: 't', retries: 0 }).sendCode({ id: 1, phoneNumber }));
    expect(never.requests).toHaveLength(1);
  });

  it('a send whose answer was lost sends one text', async () => {
    let lost = 0;
    const lossy: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      if (lost++ > 0) return response;
      throw new TypeError('The connection broke.');
    };
    const token = await credentials()(false);
    const own = createClient({ baseUrl: service.url, token, fetch: lossy });
    const { id } = await client.createUser();
    const phoneNumber = newPhone();
    await own.sendCode({ id, phoneNumber });
    expect(lost).toBe(2);
    expect(await client.sandbox.messages(phoneNumber)).toHaveLength(1);
  });

  it('an abort ends the wait before a retry', async () => {
    const { url, requests } = await scripted({ status: 503, headers: { 'retry-after': '20' } });
    const controller = new AbortController();
    // Without the signal the request cannot be what is aborted.
    const withoutSignal: typeof fetch = (address, options) => fetch(address, { ...options, signal: null });
    const own = createClient({ baseUrl: url, token: 't', fetch: withoutSignal });
    const call = failure(own.userStatus(1, { signal: controller.signal }));
    await until(() => getEventListeners(controller.signal, 'abort').length > 0);
    controller.abort();
    expect(await call).toMatchObject({ kind: 'aborted', message: 'The call was aborted.' });
    expect(requests).toHaveLength(1);
  });

  it('an abort ends a call that waits for its answer, and one that is aborted before it begins', async () => {
    const { url, requests } = await scripted({ status: neverAnswered });
    const controller = new AbortController();
    const call = createClient({ baseUrl: url, token: 't' }).userStatus(1, { signal: controller.signal });
    await until(() => requests.length === 1);
    controller.abort();
    const error = await failure(call);
    expect([error.kind, error.cause]).toEqual(['aborted', controller.signal.reason]);
    const late = createClient({ baseUrl: url, token: 't' }).createUser({}, { signal: AbortSignal.abort() });
    expect((await failure(late)).kind).toBe('aborted');
    expect(requests).toHaveLength(1);
  });

  it('a token endpoint that cannot be reached is reported as offline', async () => {
    const token = clientCredentials({ tokenUrl: 'http://127.0.0.1:1/token', clientId: 'a', clientSecret: 'b' });
    expect((await failure(createClient({ baseUrl: service.url, token, retries: 0 }).createUser())).kind).toBe(
      'offline',
    );
  });
});
