/** Messages that arrive although a gateway hangs, refuses or dies: the service as a whole, with gateways of our own. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeDigestKey, makeSigningKey } from '../../src/auth/keys.ts';
import { freePort } from '../../src/free-port.ts';
import { createFailover, type FailoverOptions, type OutgoingMessage } from '../../src/sms/failover.ts';
import {
  accepted,
  refused,
  throttled,
  unavailable,
  unknown,
  type Answer,
  type Gateway,
  type Message,
} from '../../src/sms/gateway.ts';
import { gatewayServer, type Received } from '../harness/gateway-server.ts';
import { newPhone, refusal, serviceForTest } from '../harness/service.ts';

let sequence = 0;
const twilioAccepts = () => ({ status: 201, body: { sid: `SM${(sequence += 1)}`, status: 'queued' } });
const vonageAccepts = () => ({
  status: 200,
  body: { messages: [{ status: '0', 'message-id': `V${(sequence += 1)}` }] },
});

function settingsFor(twilioUrl: string, vonageUrl: string): Record<string, string> {
  return {
    LEDGERLINE_GATEWAYS: 'twilio,vonage',
    LEDGERLINE_TWILIO_ACCOUNT: 'AC1',
    LEDGERLINE_TWILIO_TOKEN: 'hunter2-twilio',
    LEDGERLINE_TWILIO_URL: twilioUrl,
    LEDGERLINE_VONAGE_KEY: 'abcd1234',
    LEDGERLINE_VONAGE_SECRET: 'hunter2-vonage',
    LEDGERLINE_VONAGE_URL: vonageUrl,
    // Generous: service, gateways and callers share one process here, and the machine with other tests.
    LEDGERLINE_GATEWAY_SECONDS: '6',
    LEDGERLINE_SEND_SECONDS: '30',
  };
}

const phoneIn = ({ form }: Received) => form.To ?? `+${form.to}`;
const codeIn = ({ form }: Received) => /\b\d{6}\b/.exec(form.Body ?? form.text ?? '')![0];

async function twoGateways(more: Record<string, string> = {}) {
  const first = await gatewayServer(twilioAccepts);
  const second = await gatewayServer(vonageAccepts);
  const service = await serviceForTest({ ...settingsFor(first.url, second.url), ...more });
  return { first, second, service };
}

describe('a send', () => {
  it('goes out by the first gateway, once', async () => {
    const { first, second, service } = await twoGateways();
    const id = await service.createUser();
    const phone = newPhone();
    expect((await service.sendCode(id, phone)).status).toBe(204);
    expect(first.received.map(phoneIn)).toEqual([phone]);
    expect(second.received).toEqual([]);
    expect((await service.verify(id, codeIn(first.received[0]!))).status).toBe(200);
  });

  it('goes out by the country’s own list, and with the country’s sender', async () => {
    const { first, second, service } = await twoGateways({
      LEDGERLINE_GATEWAYS_BY_COUNTRY: 'GB=vonage,twilio',
      LEDGERLINE_SENDERS: 'GB=AcmeUK; vonage/GB=VonageUK; US=+15550001',
    });
    await service.sendCode(await service.createUser(), '+447400123456');
    expect(first.received).toEqual([]);
    expect(second.received[0]!.form.from).toBe('VonageUK');
    await service.sendCode(await service.createUser(), '+12025550123');
    expect(first.received[0]!.form.From).toBe('+15550001');
  });

  it('is not tried elsewhere after a permanent refusal, which the caller is told', async () => {
    const { first, second, service } = await twoGateways();
    first.behave(() => ({ status: 400, body: { code: 21614 } }));
    const answer = await service.sendCode(await service.createUser(), newPhone());
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual(refusal(400, 'Bad Request', 'Phone number not supported.'));
    expect(second.received).toEqual([]);
  });

  it('answers 503 with Retry-After when all fail, uses up no budget, and the earlier code stays good', async () => {
    const { first, second, service } = await twoGateways({ LEDGERLINE_USER_SENDS: '2/10m' });
    const id = await service.createUser();
    const phone = newPhone();
    await service.sendCode(id, phone);
    const code = codeIn(first.received[0]!);
    first.behave(() => ({ status: 503 }));
    await second.stop();
    for (let call = 0; call < 2; call += 1) {
      const answer = await service.sendCode(id, phone);
      expect([answer.status, answer.headers.get('error-reason')]).toEqual([503, 'send-failed']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    first.behave(twilioAccepts);
    expect((await service.verify(id, code)).status).toBe(200);
    const other = await service.createUser();
    expect((await service.sendCode(other, newPhone())).status).toBe(204);
  });

  it('follows no redirect', async () => {
    const elsewhere = await gatewayServer(twilioAccepts);
    const { first, second, service } = await twoGateways();
    first.behave(() => ({ status: 307, headers: { location: `${elsewhere.url}/x` } }));
    expect((await service.sendCode(await service.createUser(), newPhone())).status).toBe(204);
    expect(elsewhere.received).toEqual([]);
    expect(second.received).toHaveLength(1);
  });
});

describe('a gateway that failed', () => {
  it('is left out after as many failures and for as long as is set, and comes back by itself', async () => {
    const { first, second, service } = await twoGateways({
      LEDGERLINE_BREAKER_FAILURES: '2',
      LEDGERLINE_BREAKER_PAUSE: '1s',
      LEDGERLINE_BREAKER_LONGEST_PAUSE: '1s',
    });
    const send = async () => (await service.sendCode(await service.createUser(), newPhone())).status;
    const breaker = async () =>
      (await service.call('/operator/overview', undefined, { method: 'GET' })).json.gateways.find(
        ({ gateway }: { gateway: string }) => gateway === 'twilio',
      );
    first.behave('die');
    expect(await send()).toBe(204);
    expect(await breaker()).toEqual({ gateway: 'twilio', breaker: 'closed' });
    expect(await send()).toBe(204);
    expect(await breaker()).toMatchObject({ breaker: 'open', reason: expect.any(String), probeInSeconds: 1 });
    expect(second.received).toHaveLength(2);
    first.behave(twilioAccepts);
    while ((await breaker()).breaker !== 'closed') expect(await send()).toBe(204);
    const before = second.received.length;
    expect(await send()).toBe(204);
    expect(second.received).toHaveLength(before);
  });
});

describe('200 parallel sends, when the first gateway', () => {
  async function storm(misbehave: (first: Awaited<ReturnType<typeof gatewayServer>>) => Promise<void> | void) {
    const { first, second, service } = await twoGateways();
    const users = await Promise.all(Array.from({ length: 200 }, () => service.createUser()));
    const phones = users.map((_, index) => `+4479112${String(index).padStart(5, '0')}`);
    await misbehave(first);
    const answers = await Promise.all(users.map((id, index) => service.sendCode(id, phones[index]!)));
    return { first, second, service, users, phones, answers };
  }

  it.each([
    ['hangs', (first: { behave(b: 'hang'): void }) => first.behave('hang'), true],
    ['refuses connections', (first: { stop(): Promise<void> }) => first.stop(), false],
    ['dies in mid-request', (first: { behave(b: 'die'): void }) => first.behave('die'), true],
  ] as const)('%s: every caller is answered, the same code comes by the second', async (_what, misbehave, unknown) => {
    const { first, second, service, users, phones, answers } = await storm(misbehave);
    expect(answers.map(({ status }) => status)).toEqual(users.map(() => 204));
    // By the second gateway exactly one text for each, and by the first at most one, with the same code.
    expect(second.received.map(phoneIn).sort()).toEqual([...phones].sort());
    const bySecond = new Map(second.received.map((one) => [phoneIn(one), codeIn(one)]));
    for (const one of first.received) expect(codeIn(one)).toBe(bySecond.get(phoneIn(one)));
    expect(new Set(first.received.map(phoneIn)).size).toBe(first.received.length);
    if (!unknown) expect(first.received).toEqual([]);
    const verified = await Promise.all(users.map((id, index) => service.verify(id, bySecond.get(phones[index]!)!)));
    expect(verified.map(({ status }) => status)).toEqual(users.map(() => 200));

    // The gateway is left out by now, and comes back by a probe.
    const overview = await service.call('/operator/overview', undefined, { method: 'GET' });
    expect(overview.json.gateways).toContainEqual(
      expect.objectContaining({ gateway: 'twilio', breaker: 'open', probeInSeconds: expect.any(Number) }),
    );
    expect(service.logLines.join('')).toContain('"gateway":"twilio","state":"open"');
  });

  it('and the second hang too: 503 within the budget for all, and the codes of the texts work', async () => {
    const { first, second, service } = await twoGateways();
    const users = await Promise.all(Array.from({ length: 200 }, () => service.createUser()));
    const phones = users.map((_, index) => `+4479113${String(index).padStart(5, '0')}`);
    first.behave('hang');
    second.behave('hang');
    const answers = await Promise.all(users.map((id, index) => service.sendCode(id, phones[index]!)));
    expect(answers.map(({ status }) => status)).toEqual(users.map(() => 503));
    for (const { headers } of answers) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const texts = new Map([...first.received, ...second.received].map((one) => [phoneIn(one), codeIn(one)]));
    expect(texts.size).toBeGreaterThan(0);
    const reached = users.filter((_, index) => texts.has(phones[index]!));
    const verified = await Promise.all(reached.map((id) => service.verify(id, texts.get(phones[users.indexOf(id)]!)!)));
    expect(verified.map(({ status }) => status)).toEqual(reached.map(() => 200));
  });
});

describe('failover', () => {
  const message: OutgoingMessage = {
    referenceOf: (tryNumber) => `reference ${tryNumber}`,
    phone: '+447911123456',
    country: 'GB',
    text: 'x',
    code: '1',
    validSeconds: 60,
  };
  const down = unavailable('down');
  const lost = unknown('lost');

  /** A gateway that gives these answers one after the other, and the last one for ever. */
  function scripted(name: string, ...answers: Answer[]) {
    const references: string[] = [];
    const gateway: Gateway = {
      name,
      async send({ reference }: Message): Promise<Answer> {
        references.push(reference);
        return answers[Math.min(references.length, answers.length) - 1]!;
      },
    };
    return { ...gateway, references };
  }

  function failoverOf(gateways: Gateway[], more: Partial<FailoverOptions> = {}) {
    const states: string[] = [];
    const clock = { now: 0 };
    const failover = createFailover({
      gateways,
      orderFor: () => gateways.map(({ name }) => name),
      gatewayMilliseconds: 100,
      budgetMilliseconds: 10_000,
      breaker: { failures: 3, openMilliseconds: 1000, longestMilliseconds: 4000 },
      now: () => clock.now,
      onTry: () => {},
      onBreaker: (gateway, state) => states.push(`${gateway} ${state}`),
      ...more,
    });
    return { failover, states, clock, send: () => failover.send(message) };
  }

  it.each([
    ['accepted', [accepted('id')], 'a', 'accepted', 'id'],
    ['accepted after unavailable', [down, accepted()], 'b', 'accepted'],
    ['accepted after unknown', [lost, accepted()], 'b', 'accepted'],
    ['refused', [refused('barred'), accepted()], 'a', 'refused'],
    ['refused after unavailable', [down, refused('barred'), accepted()], 'b', 'refused'],
    ['unknown, although the next one refuses', [lost, refused('barred'), accepted()], 'a', 'unknown'],
    ['unknown, although the next one is unavailable', [lost, down], 'a', 'unknown'],
    ['unknown after unavailable', [down, lost], 'b', 'unknown'],
    ['unavailable', [down, down], 'a', 'unavailable'],
  ] as [string, Answer[], string, string, string?][])(
    'gives one outcome for all gateways: %s',
    async (_what, answers, gateway, outcome, gatewayId) => {
      const gateways = answers.map((answer, index) => scripted('abc'[index]!, answer));
      const dispatch = await failoverOf(gateways).send();
      expect(dispatch).toMatchObject({ outcome, gateway, gatewayId });
      const isFinal = outcome === 'accepted' || outcome === 'refused';
      expect(dispatch.retryAfterSeconds).toBe(isFinal ? undefined : 1);
      const decides = answers.findIndex((answer) => answer.outcome === 'accepted' || answer.outcome === 'refused');
      if (decides >= 0) {
        const asked = gateways.map(({ references }) => references.length);
        expect(asked).toEqual(answers.map((_, index) => (index <= decides ? 1 : 0)));
      }
    },
  );

  it('gives each text a reference of its own, and the same text its own again', async () => {
    const [a, b] = [scripted('a', lost), scripted('b', down)];
    await failoverOf([a, b]).send();
    expect([a.references, b.references]).toEqual([['reference 1'], ['reference 2', 'reference 3']]);
    const c = { ...scripted('c', lost, accepted()), idempotent: true };
    expect((await failoverOf([c]).send()).outcome).toBe('accepted');
    expect(c.references).toEqual(['reference 1', 'reference 1']);
  });

  it('asks the only gateway once more if it certainly sent nothing', async () => {
    const { outcome, tries } = await failoverOf([scripted('a', down, accepted())]).send();
    expect(outcome).toBe('accepted');
    expect(tries).toHaveLength(2);
    expect((await failoverOf([scripted('b', down)]).send()).tries).toHaveLength(2);
  });

  it('does not ask a gateway again after an unknown outcome', async () => {
    const a = scripted('a', lost, accepted());
    expect((await failoverOf([a]).send()).outcome).toBe('unknown');
    expect(a.references).toHaveLength(1);
  });

  it('leaves out a gateway that failed, probes it with one message, and takes it back', async () => {
    const a = scripted('a', down, lost, down, down, accepted());
    const b = scripted('b', accepted());
    const { failover, states, clock, send } = failoverOf([a, b]);
    for (let call = 0; call < 5; call += 1) await send();
    expect(a.references).toHaveLength(3);
    expect(failover.health()[0]).toEqual({ gateway: 'a', breaker: 'open', reason: 'down', probeInSeconds: 1 });
    clock.now += 1001;
    // Of many at once one probes, and fails: the wait doubles.
    await Promise.all(Array.from({ length: 20 }, send));
    expect(a.references).toHaveLength(4);
    clock.now += 1500;
    await send();
    expect(a.references).toHaveLength(4);
    clock.now += 501;
    await send();
    expect(a.references).toHaveLength(5);
    expect(failover.health()[0]).toEqual({ gateway: 'a', breaker: 'closed' });
    expect(states).toEqual(['a open', 'a probing', 'a open', 'a probing', 'a closed']);
    expect(b.references).toHaveLength(2 + 3 + 20 + 1);
  });

  it('learns nothing about a gateway from a refused destination', async () => {
    const barred = refused('barred');
    const a = scripted('a', ...Array<Answer>(10).fill(barred), down, down, barred, down, barred, barred, accepted());
    const { failover, states, clock, send } = failoverOf([a, scripted('b', accepted())]);
    for (let call = 0; call < 10; call += 1) await send();
    expect(states).toEqual([]);
    // A refusal between two failures does not make the gateway look healthy either.
    for (let call = 0; call < 4; call += 1) await send();
    expect(states).toEqual(['a open']);
    // A probe that is refused leaves the decision to the next message.
    clock.now += 1001;
    expect((await send()).outcome).toBe('refused');
    expect((await send()).outcome).toBe('refused');
    expect(failover.health()[0]!.breaker).toBe('probing');
    expect((await send()).gateway).toBe('a');
    expect(failover.health()[0]!.breaker).toBe('closed');
  });

  it('does not ask a gateway before its Retry-After is over, and tells the caller that time', async () => {
    const a = scripted('a', throttled('HTTP 429', 7), accepted());
    const { failover, states, clock, send } = failoverOf([a]);
    expect(await send()).toMatchObject({ outcome: 'unavailable', reason: 'HTTP 429', retryAfterSeconds: 7 });
    expect(failover.health()).toEqual([{ gateway: 'a', breaker: 'closed', pausedSeconds: 7 }]);
    clock.now += 6500;
    expect(await send()).toMatchObject({ outcome: 'unavailable', gateway: 'none', tries: [], retryAfterSeconds: 1 });
    expect(a.references).toHaveLength(1);
    clock.now += 501;
    expect((await send()).outcome).toBe('accepted');
    expect(states).toEqual([]);
  });

  it('honours a Retry-After up to a minute, and tells the shortest wait of several gateways', async () => {
    const a = scripted('a', throttled('HTTP 429', 86_400));
    const b = scripted('b', throttled('HTTP 429', 5), accepted());
    const { failover, clock, send } = failoverOf([a, b]);
    expect((await send()).retryAfterSeconds).toBe(5);
    expect(failover.health().map(({ pausedSeconds }) => pausedSeconds)).toEqual([60, 5]);
    clock.now += 5001;
    expect((await send()).gateway).toBe('b');
    clock.now += 55_000;
    await send();
    expect(a.references).toHaveLength(2);
  });

  it('says when the next chance is, when all are left out', async () => {
    const { send } = failoverOf([scripted('a', down)], {
      breaker: { failures: 1, openMilliseconds: 7000, longestMilliseconds: 7000 },
    });
    await send();
    expect(await send()).toEqual({
      outcome: 'unavailable',
      gateway: 'none',
      gatewayId: undefined,
      reason: 'no gateway is available',
      tries: [],
      retryAfterSeconds: 7,
    });
  });

  it('waits for no adapter that forgets its time, or throws', async () => {
    const a: Gateway = { name: 'a', send: () => new Promise(() => {}) };
    const b: Gateway = { name: 'b', send: () => Promise.reject(new TypeError('defect')) };
    const { outcome, gateway, tries } = await failoverOf([a, b, scripted('c', accepted())]).send();
    expect([outcome, gateway]).toEqual(['accepted', 'c']);
    expect(tries.map((one) => [one.outcome, one.reason])).toEqual([
      ['unknown', 'no answer in time'],
      ['unknown', 'defect TypeError'],
      ['accepted', undefined],
    ]);
  });
});

describe('production', () => {
  it('starts with a real gateway, and keeps its secrets and the numbers to itself', async () => {
    const first = await gatewayServer(() => ({ status: 500 }));
    const second = await gatewayServer(vonageAccepts);
    const port = await freePort('127.0.0.1');
    const url = `http://127.0.0.1:${port}`;
    const client = {
      id: 'backend',
      secretSha256: createHash('sha256').update('hunter2-client').digest('hex'),
      scopes: ['users', 'phone', 'operator:read'],
    };
    const service = await serviceForTest({
      ...settingsFor(first.url, second.url),
      MODE: 'production',
      LEDGERLINE_COUNTRIES: '*',
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: url,
      LEDGERLINE_DIGEST_KEY: makeDigestKey(),
      LEDGERLINE_SIGNING_KEY: await makeSigningKey(),
      LEDGERLINE_CLIENTS: JSON.stringify([client]),
      LEDGERLINE_LOG_LEVEL: 'debug',
    });
    // PUBLIC_URL is plain http, which is a risk and no reason to refuse the start.
    expect(service.logLines.filter((line) => line.includes('"risky-setting"'))).toEqual([
      expect.stringContaining('"setting":"PUBLIC_URL"'),
    ]);
    const token = await service.token('', undefined, ['backend', 'hunter2-client']);
    const call = (path: string, body?: unknown, method = 'POST') => service.call(path, body, { token, method });
    const { id } = (await call('/User', {})).json;
    const phone = newPhone();
    expect((await call('/User/phone-number/send-code', { id, phoneNumber: phone })).status).toBe(204);
    const [text] = second.received;
    expect(text!.form.callback).toMatch(
      new RegExp(`^${url}/gateways/vonage/receipts\\?message=${id}\\.1\\.2\\.[\\w-]{16}$`),
    );
    const trail = await call(`/operator/users/${id}/trail`, undefined, 'GET');
    expect(trail.json.messages[0].tries).toMatchObject([
      { gateway: 'twilio', outcome: 'unavailable', reason: 'HTTP 500' },
      { gateway: 'vonage', outcome: 'accepted' },
    ]);
    const written = service.logLines.join('') + trail.text;
    for (const secret of ['hunter2', phone.slice(1), codeIn(text!), text!.form['client-ref']!.split('.')[3]!]) {
      expect([secret, written.includes(secret)]).toEqual([secret, false]);
    }
  });
});
