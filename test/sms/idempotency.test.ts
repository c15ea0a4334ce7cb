/** The Idempotency-Key of send-code and resend-code. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { notDispatched } from '../../src/errors.ts';
import { createSendKeyStore, type SendKeyStore } from '../../src/codes/idempotent-send.store.ts';
import { createDigest } from '../../src/guard/source.ts';
import { createSendOnce, sentCodeForm, type KeyedRequest } from '../../src/codes/idempotent-send.ts';
import { serviceItself } from '../../src/sharing/slots.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { exchangeBytes } from '../harness/raw-socket.ts';
import { newPhone, refusal, serviceForTest, startService, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

function send(to: Service, id: number, phoneNumber: string, key: string, more: Record<string, unknown> = {}) {
  return to.call('/User/phone-number/send-code', { id, phoneNumber, ...more }, { headers: { 'idempotency-key': key } });
}

const infobipAccepts = () => ({ status: 200, body: { messages: [{ messageId: 'i', status: { groupId: 1 } }] } });

async function serviceOfFailingGateway(settings: Record<string, string>) {
  const gateway = await gatewayServer(() => ({ status: 503 }));
  const failing = await serviceForTest({
    LEDGERLINE_GATEWAYS: 'infobip',
    LEDGERLINE_INFOBIP_KEY: 'k',
    LEDGERLINE_INFOBIP_URL: gateway.url,
    ...settings,
  });
  return { gateway, failing };
}

/** A service whose gateway answers only after `answer()`. */
async function serviceOfSlowGateway() {
  let answer = () => {};
  const slow = new Promise<void>((resolve) => (answer = resolve));
  const gateway = await gatewayServer(async () => {
    await slow;
    return infobipAccepts();
  });
  const waiting = await serviceForTest({
    LEDGERLINE_GATEWAYS: 'infobip',
    LEDGERLINE_INFOBIP_KEY: 'k',
    LEDGERLINE_INFOBIP_URL: gateway.url,
    LEDGERLINE_GATEWAY_SECONDS: '20',
    LEDGERLINE_SEND_SECONDS: '20',
  });
  return { waiting, gateway, answer };
}

describe('a repeated Idempotency-Key', () => {
  it('gives the first answer and sends no second text, under 100 parallel retries too', async () => {
    const id = await service.createUser();
    const phone = newPhone();
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(service, id, phone, 'key-1')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
    expect((await send(service, id, phone, 'key-1')).status).toBe(204);
    expect(await service.messages(phone)).toHaveLength(1);
    expect((await service.verify(id, await service.lastCode(phone))).status).toBe(200);
  });

  it('of a client that gave up waiting for a slow gateway gets the first answer, and no second text', async () => {
    const { waiting, gateway, answer } = await serviceOfSlowGateway();
    const id = await waiting.createUser();
    const phoneNumber = newPhone();
    const token = await waiting.token();
    const patience = new AbortController();
    const first = fetch(`${waiting.url}/User/phone-number/send-code`, {
      method: 'POST',
      signal: patience.signal,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': 'gave-up' },
      body: JSON.stringify({ id, phoneNumber }),
    });
    await until(() => gateway.received.length > 0);
    patience.abort();
    await expect(first).rejects.toThrow();
    const post = (path: string, body: string) =>
      `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n` +
      `idempotency-key: gave-up\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const sendAgain = post('/User/phone-number/send-code', JSON.stringify({ id, phoneNumber }));
    // Requests of one connection are begun in their order. When the user is there, the service waits with the key.
    const again = exchangeBytes(waiting.url, sendAgain + post('/User', '{"id":70001}'), /HTTP\/1\.1 201 /);
    await until(async () => (await waiting.sql`select from users where id = 70001`).length === 1);
    expect([...(await waiting.sql`select status from send_keys where user_id = ${id}`)]).toEqual([{ status: null }]);
    answer();
    expect(await again).toMatch(/^HTTP\/1\.1 204 /);
    expect(gateway.received).toHaveLength(1);
    const code = /\b\d{6}\b/.exec(gateway.received[0]!.json.messages[0].content.text)![0];
    expect((await waiting.verify(id, code)).status).toBe(200);
  });

  it('is separate for each user, and another key is another send', async () => {
    const [a, b] = [await service.createUser(), await service.createUser()];
    const phone = newPhone();
    for (const id of [a, b]) expect((await send(service, id, phone, 'key-2')).status).toBe(204);
    expect((await send(service, a, phone, 'key-3')).status).toBe(204);
    expect(await service.messages(phone)).toHaveLength(3);
  });

  it('repeats a refusal, and refuses another request', async () => {
    const taken = newPhone();
    await service.verifiedUser(taken);
    const id = await service.createUser();
    const expected = refusal(400, 'Bad Request', 'Phone already registered');
    for (let call = 0; call < 2; call += 1) expect((await send(service, id, taken, 'key-4')).json).toEqual(expected);
    const [counted] = await service.sql`select cardinality(sends) as sends from verifications where user_id = ${id}`;
    expect(counted!.sends).toBe(1);
    expect((await send(service, id, newPhone(), 'key-4')).json).toEqual(
      refusal(400, 'Bad Request', 'The Idempotency-Key was used for another request.'),
    );
  });

  it('is kept for a thousand requests of a user, and no more', async () => {
    const id = await service.createUser();
    await service.sql`
      insert into send_keys (user_id, key_digest, request_digest, claimed_at)
      select ${id}, decode(lpad(to_hex(n), 64, '0'), 'hex'), '', now() from generate_series(1, 999) n`;
    const phone = newPhone();
    expect((await send(service, id, phone, 'key-1000')).status).toBe(204);
    expect((await send(service, id, phone, 'key-1001')).status).toBe(429);
    expect((await send(service, id, phone, 'key-1000')).status).toBe(204);
    expect(await service.messages(phone)).toHaveLength(1);
    expect((await service.sendCode(id, phone)).status).toBe(204);
  });

  it('of a token that is bound to the user is one of at most five hundred', async () => {
    const id = await service.createUser();
    await service.sql`
      insert into send_keys (user_id, key_digest, request_digest, claimed_at)
      select ${id}, decode(lpad(to_hex(n), 64, '0'), 'hex'), '', now() from generate_series(1, 499) n`;
    const phoneNumber = newPhone();
    const token = await service.token('phone', id);
    const sendAsUser = async (key: string) => {
      const options = { token, headers: { 'idempotency-key': key } };
      return (await service.call('/User/phone-number/send-code', { id, phoneNumber }, options)).status;
    };
    expect(await sendAsUser('key-500')).toBe(204);
    expect(await sendAsUser('key-501')).toBe(429);
    expect(await sendAsUser('key-500')).toBe(204);
    expect((await send(service, id, phoneNumber, 'key-501')).status).toBe(204);
  });

  it('works for resend-code', async () => {
    const id = await service.createUser();
    const phone = newPhone();
    await service.sendCode(id, phone);
    const resend = () =>
      service.call(`/User/${id}/phone-number/resend-code`, undefined, { headers: { 'idempotency-key': 'again' } });
    const answers = await Promise.all(Array.from({ length: 20 }, resend));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
    expect(await service.messages(phone)).toHaveLength(2);
  });

  it('tries again after a 503 and after a 429', async () => {
    const { gateway, failing } = await serviceOfFailingGateway({ LEDGERLINE_LIMITS: 'user-sends=1/10m' });
    const id = await failing.createUser();
    const phone = newPhone();
    expect((await send(failing, id, phone, 'key')).status).toBe(503);
    gateway.behave(infobipAccepts);
    expect((await send(failing, id, phone, 'key')).status).toBe(204);
    const before = gateway.received.length;
    expect((await send(failing, id, phone, 'key')).status).toBe(204);
    expect((await send(failing, id, phone, 'other')).status).toBe(429);
    expect(gateway.received).toHaveLength(before);
    await failing.advance(601);
    failing.forgetTokens();
    expect((await send(failing, id, phone, 'other')).status).toBe(204);
  });

  it('refuses another request also after a 503 or a 429, and still repeats the first one', async () => {
    const { gateway, failing } = await serviceOfFailingGateway({ LEDGERLINE_LIMITS: 'user-sends=1/10m' });
    const id = await failing.createUser();
    const phone = newPhone();
    const resend = (key: string) =>
      failing.call(`/User/${id}/phone-number/resend-code`, undefined, { headers: { 'idempotency-key': key } });
    const reasons = async (key: string) => {
      const others = [await send(failing, id, newPhone(), key), await resend(key)];
      return others.map(({ headers }) => headers.get('error-reason'));
    };
    const conflicts = ['idempotency-conflict', 'idempotency-conflict'];

    expect((await send(failing, id, phone, 'certain')).headers.get('error-reason')).toBe('send-failed');
    expect(await reasons('certain')).toEqual(conflicts);
    gateway.behave('die');
    const unknown = await send(failing, id, phone, 'certain');
    expect(unknown.headers.get('error-reason')).toBe('send-outcome-unknown');
    expect(await reasons('certain')).toEqual(conflicts);
    expect((await send(failing, id, phone, 'limited')).status).toBe(429);
    expect(await reasons('limited')).toEqual(conflicts);

    gateway.behave(infobipAccepts);
    await failing.advance(601);
    expect((await send(failing, id, phone, 'certain')).status).toBe(204);
    const received = gateway.received.length;
    expect((await send(failing, id, phone, 'certain')).status).toBe(204);
    expect(gateway.received).toHaveLength(received);
  });

  it('is not kept for an unknown user', async () => {
    const id = 2_147_483_000;
    expect((await send(service, id, newPhone(), 'unknown')).status).toBe(404);
    expect(await service.sql`select from send_keys where user_id = ${id}`).toHaveLength(0);
  });

  it('that a process left behind is taken over after a while', async () => {
    const id = await service.createUser();
    const phone = newPhone();
    expect((await send(service, id, phone, 'left')).status).toBe(204);
    await service.sql`
      update send_keys set status = null, claimed_at = claimed_at - interval '2 minutes' where user_id = ${id}`;
    expect((await send(service, id, phone, 'left')).status).toBe(204);
    expect(await service.messages(phone)).toHaveLength(2);
  });

  it.each(['', 'x'.repeat(256)])('must have 1 to 255 characters: %j', async (key) => {
    const answer = await send(service, await service.createUser(), newPhone(), key);
    expect(answer.status).toBe(400);
    expect(answer.json.errors).toHaveProperty('IdempotencyKey');
  });

  it('is checked before the user of a bound token, as everything in a request is', async () => {
    const [mine, other] = [await service.createUser(), await service.createUser()];
    const options = { token: await service.token('phone', mine), headers: { 'idempotency-key': 'x'.repeat(256) } };
    const sent = await service.call('/User/phone-number/send-code', { id: other, phoneNumber: newPhone() }, options);
    const resent = await service.call(`/User/${other}/phone-number/resend-code`, undefined, options);
    expect([sent.status, resent.status]).toEqual([400, 400]);
  });
});

describe('requests that wait for the answer of a key', () => {
  /** Two processes, as far as keys are concerned: each has its own store, which counts its questions. */
  function twoProcesses() {
    const db = openDatabase({ url: service.databaseUrl, connections: 16, statementSeconds: 5 });
    onTestFinished(() => db.close());
    return [createProcess(createSendKeyStore(db)), createProcess(createSendKeyStore(db))] as const;
  }

  function createProcess(store: SendKeyStore) {
    const questions = { total: 0, running: 0, maxAtOnce: 0 };
    async function count<T>(question: () => Promise<T>): Promise<T> {
      questions.total += 1;
      questions.running += 1;
      questions.maxAtOnce = Math.max(questions.maxAtOnce, questions.running);
      return question().finally(() => (questions.running -= 1));
    }
    const counting: SendKeyStore = {
      ...store,
      claim: (...parameters) => count(() => store.claim(...parameters)),
      read: (...parameters) => count(() => store.read(...parameters)),
    };
    const clock = { now: () => new Date() };
    return {
      questions,
      once: createSendOnce({
        store: counting,
        clock,
        waitSeconds: 30,
        digest: createDigest(Buffer.alloc(32)),
        whileWaiting: (work) => work(),
      }),
    };
  }

  const keyed = (userId: number, idempotencyKey: string, request = 'request'): KeyedRequest => ({
    ...{ userId, idempotencyKey },
    origin: { bound: false },
    same: [request],
    owner: serviceItself,
  });

  /** A send that takes until it is told to end. */
  function slowSend() {
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const sent = { codeLength: 6, expiresInSeconds: 600 };
    const calls = { count: 0 };
    return {
      calls,
      end: () => end(),
      async send() {
        calls.count += 1;
        await ended;
        return sent;
      },
      sent,
    };
  }

  it('ask the database no more often than one of them would, in each process', async () => {
    const [first, second] = twoProcesses();
    const { send: slow, calls, end, sent } = slowSend();
    const callers = (process: typeof first) =>
      Array.from({ length: 100 }, () => process.once(keyed(700_001, 'slow'), sentCodeForm, slow));
    const answers = callers(first);
    await until(() => calls.count === 1);
    answers.push(...callers(second));
    await until(() => second.questions.total >= 4);
    end();
    expect(await Promise.all(answers)).toEqual(Array(200).fill(sent));
    expect(calls.count).toBe(1);
    expect(first.questions.total).toBe(1);
    expect(second.questions.maxAtOnce).toBe(1);
  });

  it('do not count as requests that are being processed', async () => {
    const { waiting, gateway, answer } = await serviceOfSlowGateway();
    const id = await waiting.createUser();
    const phone = newPhone();
    const sends = Array.from({ length: 20 }, () => send(waiting, id, phone, 'waits'));
    const metrics = async () => (await waiting.call('/metrics', undefined, { method: 'GET', token: null })).text;
    await until(() => gateway.received.length > 0);
    await until(async () => /ledgerline_requests_active 0\n/.test(await metrics()));
    answer();
    expect(new Set((await Promise.all(sends)).map(({ status }) => status))).toEqual(new Set([204]));
    expect(gateway.received).toHaveLength(1);
  });

  it('are at most 200 for a key in a process; the others get 503 send-in-progress', async () => {
    const [{ once }] = twoProcesses();
    const { send: slow, calls, end, sent } = slowSend();
    const answers = Array.from({ length: 300 }, () => once(keyed(700_002, 'crowd'), sentCodeForm, slow));
    const results = Promise.allSettled(answers);
    await until(() => calls.count === 1);
    await expect(answers.at(-1)).rejects.toMatchObject({ details: { reason: 'send-in-progress', status: 503 } });
    end();
    const answered = (await results).filter((result) => result.status === 'fulfilled' && result.value === sent);
    expect(answered).toHaveLength(201);
    // Nobody waits any more, and the key has its answer.
    expect(await once(keyed(700_002, 'crowd'), sentCodeForm, slow)).toEqual(sent);
    expect(calls.count).toBe(1);
  });

  it('share a 503, after which the request is tried anew', async () => {
    const [{ once, questions }] = twoProcesses();
    let calls = 0;
    const failing = async () => {
      calls += 1;
      throw notDispatched(3);
    };
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => once(keyed(700_003, 'failing'), sentCodeForm, failing)),
    );
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(50);
    expect([calls, questions.total]).toEqual([1, 1]);
    await expect(once(keyed(700_003, 'failing'), sentCodeForm, failing)).rejects.toMatchObject({
      details: { reason: 'send-failed' },
    });
    expect(calls).toBe(2);
  });

  it('are refused if they differ from the first', async () => {
    const [{ once }] = twoProcesses();
    const { send: slow, end, sent } = slowSend();
    const first = once(keyed(700_004, 'other'), sentCodeForm, slow);
    await expect(once(keyed(700_004, 'other', 'another request'), sentCodeForm, slow)).rejects.toMatchObject({
      details: { reason: 'idempotency-conflict' },
    });
    end();
    expect(await first).toEqual(sent);
  });
});
