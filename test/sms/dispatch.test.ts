/** Messages that arrive although a gateway hangs, refuses or dies: the whole service, with gateways of our own. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeDigestKey, makeSigningKey } from '../../src/auth/keys.ts';
import { freePort } from '../../src/network/free-port.ts';
import { gatewayServer, type GatewayServer, type Received } from '../harness/servers/gateway-server.ts';
import { newPhone, refusal, serviceForTest, type Service } from '../harness/service.ts';
import { sized } from '../harness/size.ts';

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
    LEDGERLINE_GATEWAY_URLS: `twilio=${twilioUrl}; vonage=${vonageUrl}`,
    LEDGERLINE_VONAGE_KEY: 'abcd1234',
    LEDGERLINE_VONAGE_SECRET: 'hunter2-vonage',
    // Generous: the service, the gateways and the callers share one process, and the machine is busy.
    LEDGERLINE_GATEWAY_SECONDS: '40',
    LEDGERLINE_SEND_SECONDS: '100',
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

async function healthOf(service: Service, name: string) {
  const { json } = await service.call('/operator/overview', undefined, { method: 'GET' });
  return json.gateways.find(({ gateway }: { gateway: string }) => gateway === name);
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
      LEDGERLINE_GATEWAYS: 'twilio,vonage; GB=vonage,twilio',
      LEDGERLINE_SENDER: `Ledgerline; GB=AcmeUK; vonage/GB=VonageUK; US=+15550001; CA=MG${'0'.repeat(32)}`,
    });
    await service.sendCode(await service.createUser(), '+447400123456');
    expect(first.received).toEqual([]);
    expect(second.received[0]!.form.from).toBe('VonageUK');
    await service.sendCode(await service.createUser(), '+12025550123');
    expect(first.received[0]!.form.From).toBe('+15550001');
    await service.sendCode(await service.createUser(), '+14165550123');
    expect(first.received[1]!.form).toMatchObject({ MessagingServiceSid: `MG${'0'.repeat(32)}` });
    expect(first.received[1]!.form.From).toBeUndefined();
  });

  it('answers 503 with Retry-After when all fail, and uses up no budget', async () => {
    const { first, second, service } = await twoGateways({ LEDGERLINE_LIMITS: 'user-sends=2/10m' });
    const id = await service.createUser();
    const phone = newPhone();
    expect((await service.sendCode(id, phone)).status).toBe(204);
    first.behave(() => ({ status: 503 }));
    await second.stop();
    for (let call = 0; call < 2; call += 1) {
      const answer = await service.sendCode(id, phone);
      expect([answer.status, answer.headers.get('error-reason')]).toEqual([503, 'send-failed']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    first.behave(twilioAccepts);
    // Of the two sends one is left, and no more than one.
    expect((await service.sendCode(id, phone)).status).toBe(204);
    expect((await service.sendCode(id, phone)).status).toBe(429);
  });

  it('that failed everywhere leaves the earlier code valid', async () => {
    const { first, second, service } = await twoGateways();
    const id = await service.createUser();
    const phone = newPhone();
    await service.sendCode(id, phone);
    const code = codeIn(first.received[0]!);
    first.behave(() => ({ status: 500 }));
    await second.stop();
    expect((await service.sendCode(id, phone)).status).toBe(503);
    expect((await service.verify(id, code)).status).toBe(200);
  });

  it('follows no redirect', async () => {
    const elsewhere = await gatewayServer(twilioAccepts);
    const { first, second, service } = await twoGateways();
    first.behave(() => ({ status: 307, headers: { location: `${elsewhere.url}/x` } }));
    expect((await service.sendCode(await service.createUser(), newPhone())).status).toBe(204);
    expect(elsewhere.connections()).toBe(0);
    expect(second.received).toHaveLength(1);
  });
});

describe('a refused destination', () => {
  it.each([21408, 21211, 21610, 21614])(
    'is a 400 that is counted; no other gateway is asked, and the breaker stays closed: %i',
    async (code) => {
      const { first, second, service } = await twoGateways({
        LEDGERLINE_BREAKER: '1/5s/2m',
        LEDGERLINE_LIMITS: 'user-sends=2/10m',
      });
      first.behave(() => ({ status: 400, body: { code } }));
      const id = await service.createUser();
      for (let call = 0; call < 2; call += 1) {
        const answer = await service.sendCode(id, newPhone());
        expect(answer.json).toEqual(refusal(400, 'Bad Request', 'Phone number not supported.'));
        expect(answer.headers.get('error-reason')).toBe('phone-not-supported');
      }
      expect((await service.sendCode(id, newPhone())).status).toBe(429);
      expect(second.received).toEqual([]);
      expect(await healthOf(service, 'twilio')).toEqual({ gateway: 'twilio', breaker: 'closed' });
      first.behave(twilioAccepts);
      expect((await service.sendCode(await service.createUser(), newPhone())).status).toBe(204);
    },
  );
});

describe('a gateway that limits the rate', () => {
  it('is not asked again before its Retry-After is over, and the caller is told that time', async () => {
    const { first, second, service } = await twoGateways({ LEDGERLINE_GATEWAYS: 'twilio' });
    first.behave(() => ({ status: 429, body: { code: 20429 }, headers: { 'retry-after': '50' } }));
    const send = async () => {
      const { status, headers } = await service.sendCode(await service.createUser(), newPhone());
      return { status, reason: headers.get('error-reason'), wait: Number(headers.get('retry-after')) };
    };
    const answer = await send();
    expect(answer).toEqual({ status: 503, reason: 'send-failed', wait: expect.any(Number) });
    // Most of it is left, however busy the machine is.
    expect(answer.wait).toBeGreaterThan(20);
    expect(answer.wait).toBeLessThanOrEqual(50);
    const again = await send();
    expect(again.status).toBe(503);
    expect(again.wait).toBeLessThanOrEqual(answer.wait);
    expect(first.received).toHaveLength(1);
    expect(await healthOf(service, 'twilio')).toMatchObject({ breaker: 'closed', pausedSeconds: expect.any(Number) });
    expect(second.received).toEqual([]);
  });

  it('gives way to the next gateway meanwhile', async () => {
    const { first, second, service } = await twoGateways();
    first.behave(() => ({ status: 429, headers: { 'retry-after': '3600' } }));
    for (let call = 0; call < 3; call += 1) {
      expect((await service.sendCode(await service.createUser(), newPhone())).status).toBe(204);
    }
    expect([first.received.length, second.received.length]).toEqual([1, 3]);
    expect((await healthOf(service, 'twilio')).pausedSeconds).toBeLessThanOrEqual(60);
  });
});

describe('a gateway that failed', () => {
  it('is left out after as many failures and for as long as is set, and comes back by itself', async () => {
    const { first, second, service } = await twoGateways({
      LEDGERLINE_BREAKER: '2/1s/1s',
    });
    const send = async () => (await service.sendCode(await service.createUser(), newPhone())).status;
    first.behave('die');
    expect(await send()).toBe(204);
    expect(await healthOf(service, 'twilio')).toEqual({ gateway: 'twilio', breaker: 'closed' });
    expect(await send()).toBe(204);
    expect(await healthOf(service, 'twilio')).toMatchObject({ breaker: 'open', reason: expect.any(String) });
    expect(second.received).toHaveLength(2);
    first.behave(twilioAccepts);
    while ((await healthOf(service, 'twilio')).breaker !== 'closed') expect(await send()).toBe(204);
    const before = second.received.length;
    expect(await send()).toBe(204);
    expect(second.received).toHaveLength(before);
  });
});

const parallelSends = sized(60, 200);

describe(`${parallelSends} parallel sends, when the first gateway`, () => {
  const breakerFailures = 5;

  async function storm(settings: Record<string, string>, misbehave: (...gateways: GatewayServer[]) => unknown) {
    const parts = await twoGateways({ LEDGERLINE_BREAKER: `${breakerFailures}/5s/2m`, ...settings });
    const users = await Promise.all(Array.from({ length: parallelSends }, () => parts.service.createUser()));
    const phones = users.map((_, index) => `+4479112${String(index).padStart(5, '0')}`);
    await misbehave(parts.first, parts.second);
    const answers = await Promise.all(users.map((id, index) => parts.service.sendCode(id, phones[index]!)));
    return { ...parts, users, phones, answers };
  }

  it.each([
    ['hangs', { LEDGERLINE_GATEWAY_SECONDS: '10' }, (first: GatewayServer) => first.behave('hang'), breakerFailures],
    ['refuses connections', {}, (first: GatewayServer) => first.stop(), 0],
    ['dies in mid-request', {}, (first: GatewayServer) => first.behave('die'), breakerFailures],
  ] as const)(
    '%s: every caller is answered, the same code comes by the second',
    async (_what, settings, act, least) => {
      const { first, second, service, users, phones, answers } = await storm(settings, act);
      expect(answers.map(({ status }) => status)).toEqual(users.map(() => 204));
      // By the second gateway exactly one text for each, and by the first at most one, with the same code.
      expect(second.received.map(phoneIn).sort()).toEqual([...phones].sort());
      const bySecond = new Map(second.received.map((one) => [phoneIn(one), codeIn(one)]));
      for (const one of first.received) expect(codeIn(one)).toBe(bySecond.get(phoneIn(one)));
      expect(new Set(first.received.map(phoneIn)).size).toBe(first.received.length);
      // The breaker opens after that many, and not before.
      if (least === 0) expect(first.received).toEqual([]);
      else expect(first.received.length).toBeGreaterThanOrEqual(least);
      const verified = await Promise.all(users.map((id, index) => service.verify(id, bySecond.get(phones[index]!)!)));
      expect(verified.map(({ status }) => status)).toEqual(users.map(() => 200));
      expect(await healthOf(service, 'twilio')).toMatchObject({ breaker: 'open', probeInSeconds: expect.any(Number) });
      expect(service.logLines.join('')).toContain('"gateway":"twilio","state":"open"');
    },
  );

  it('and the second hang too: 503 within the time limit for all, and the codes of the texts work', async () => {
    const { first, second, service, users, phones, answers } = await storm(
      { LEDGERLINE_GATEWAY_SECONDS: '6' },
      (one, other) => {
        one.behave('hang');
        other.behave('hang');
      },
    );
    expect(answers.map(({ status }) => status)).toEqual(users.map(() => 503));
    for (const { headers } of answers) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const texts = [...first.received, ...second.received];
    const codes = new Map(texts.map((one) => [phoneIn(one), codeIn(one)]));
    expect(codes.size).toBeGreaterThanOrEqual(breakerFailures);
    for (const one of texts) expect(codeIn(one)).toBe(codes.get(phoneIn(one)));
    const reached = users.filter((_, index) => codes.has(phones[index]!));
    const verified = await Promise.all(reached.map((id) => service.verify(id, codes.get(phones[users.indexOf(id)]!)!)));
    expect(verified.map(({ status }) => status)).toEqual(reached.map(() => 200));
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
      // The tests' numbers are Guernsey's.
      LEDGERLINE_COUNTRIES: 'GB,GG',
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
