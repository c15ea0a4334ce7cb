/** Sends whose outcome is not known: the text may arrive, so its code works, it is counted, and it is sent again. */
import { describe, expect, it, vi } from 'vitest';
import { freePort } from '../../src/network/free-port.ts';
import { maskPhone } from '../../src/values/phone-number.ts';
import { gatewayServer, type GatewayServer } from '../harness/servers/gateway-server.ts';
import { accepts, codeIn, impatientSettings } from '../harness/send-outcome.ts';
import { newPhone, serviceForTest, wrongCode, type Service } from '../harness/service.ts';

const refusesDestination = () => ({ status: 400, body: { code: 21614 } });
const failsForCertain = () => ({ status: 503 });

interface Parts {
  gateway: GatewayServer;
  service: Service;
  id: number;
  phone: string;
  send(): Promise<{ status: number; reason: string | null; retryAfter: number }>;
  /** The codes of the texts that were handed to the gateway, oldest first. */
  codes(): string[];
  sends(): Promise<number>;
}

async function withGateway(settings: Record<string, string> = {}, otherUrls = ''): Promise<Parts> {
  const gateway = await gatewayServer(accepts);
  const service = await serviceForTest({
    ...impatientSettings(gateway.url),
    LEDGERLINE_GATEWAY_URLS: `twilio=${gateway.url}; ${otherUrls}`,
    ...settings,
  });
  const id = await service.createUser();
  const phone = newPhone();
  return {
    gateway,
    service,
    id,
    phone,
    async send() {
      const { status, headers } = await service.sendCode(id, phone);
      return { status, reason: headers.get('error-reason'), retryAfter: Number(headers.get('retry-after')) };
    },
    codes: () => gateway.received.map(codeIn),
    async sends() {
      const [row] = await service.sql`select cardinality(sends) as count from verifications where user_id = ${id}`;
      return row?.count ?? 0;
    },
  };
}

/** A public URL makes the gateway send receipts, each to an address with the reference of its text. */
async function withPublicUrl(): Promise<Parts> {
  const port = await freePort('127.0.0.1');
  return withGateway({ PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` });
}

const unknown = { status: 503, reason: 'send-outcome-unknown', retryAfter: expect.any(Number) };

/** A gateway that accepts when it is told to. */
function patientGateway() {
  const waiting: (() => void)[] = [];
  return {
    accept: () => new Promise<ReturnType<typeof accepts>>((resolve) => waiting.push(() => resolve(accepts()))),
    release: () => waiting.splice(0).forEach((answer) => answer()),
    count: () => waiting.length,
  };
}

describe('a gateway that answers too late', () => {
  it('gives 503 with Retry-After; the send is counted, and the code of its text works', async () => {
    const { gateway, service, id, send, codes, sends } = await withGateway();
    const late = patientGateway();
    gateway.behave(late.accept);
    const answer = await send();
    late.release();
    expect(answer).toEqual(unknown);
    expect(answer.retryAfter).toBeGreaterThanOrEqual(1);
    expect(await sends()).toBe(1);
    expect((await service.verify(id, codes()[0]!)).status).toBe(200);
  });

  it('makes no more texts than the limit allows, and all of them carry one code', async () => {
    const { gateway, service, id, phone, send, codes } = await withGateway({
      LEDGERLINE_LIMITS: 'phone-sends=5/10m',
      LEDGERLINE_RULES: 'phone-sends=enforce',
    });
    gateway.behave('hang');
    const answers = [];
    for (let call = 0; call < 7; call += 1) answers.push((await send()).status);
    expect(answers).toEqual([503, 503, 503, 503, 503, 429, 429]);
    expect(codes()).toHaveLength(5);
    expect(new Set(codes()).size).toBe(1);
    expect((await service.verify(id, codes()[4]!)).status).toBe(200);
    expect((await service.call(`/User/${id}/status`, undefined, { method: 'GET' })).json.phoneNumber).toBe(phone);
  }, 60_000);
});

describe('a connection that breaks after the request was written', () => {
  it('leaves a code that works, and that the next send or resend sends again under a reference of its own', async () => {
    const { gateway, service, id, send, codes } = await withPublicUrl();
    gateway.behave('die');
    expect(await send()).toEqual(unknown);
    gateway.behave(accepts);
    expect((await send()).status).toBe(204);
    expect(new Set(codes()).size).toBe(1);
    const references = gateway.received.map(({ form }) => form.StatusCallback);
    expect(new Set(references).size).toBe(2);
    expect(references).not.toContain(undefined);
    const rows = await service.sql`
      select message_number, code_number, state::text from messages where user_id = ${id} order by message_number`;
    expect(rows).toEqual([
      { message_number: 1, code_number: 1, state: 'unknown' },
      { message_number: 2, code_number: 1, state: 'accepted' },
    ]);
    expect((await service.verify(id, codes()[0]!)).status).toBe(200);
  });

  it('is sent again by a resend too', async () => {
    const { gateway, service, id, send, codes } = await withGateway();
    gateway.behave('die');
    await send();
    gateway.behave(accepts);
    expect((await service.call(`/User/${id}/phone-number/resend-code`)).status).toBe(204);
    expect(new Set(codes()).size).toBe(1);
    // An accepted code is sent again by a resend, but not by another send.
    expect((await service.call(`/User/${id}/phone-number/resend-code`)).status).toBe(204);
    const last = async () =>
      (await service.sql`select last_code_number from verifications where user_id = ${id}`)[0]!
        .last_code_number as number;
    expect(await last()).toBe(1);
    expect((await send()).status).toBe(204);
    expect(await last()).toBe(2);
  });

  it('keeps the attempts of the code and starts its time-to-live anew', async () => {
    const { gateway, service, id, send, codes } = await withGateway();
    gateway.behave('die');
    await send();
    for (let attempt = 0; attempt < 4; attempt += 1) await service.verify(id, wrongCode(codes()[0]!));
    await service.advance(590);
    expect(await send()).toEqual(unknown);
    await service.advance(590);
    const code = codes()[1]!;
    expect(code).toBe(codes()[0]);
    expect((await service.verify(id, wrongCode(code))).status).toBe(400);
    // That was the fifth wrong attempt.
    expect((await service.verify(id, code)).status).toBe(400);
  });

  it.each([
    ['expired', async ({ service }: Parts) => void (await service.advance(601))],
    [
      'out of attempts',
      async ({ service, id, codes }: Parts) => {
        for (let attempt = 0; attempt < 5; attempt += 1) await service.verify(id, wrongCode(codes()[0]!));
      },
    ],
  ])('gives a new code once the unknown one is %s', async (_, end) => {
    const parts = await withGateway();
    parts.gateway.behave('die');
    await parts.send();
    await end(parts);
    parts.gateway.behave(accepts);
    expect((await parts.send()).status).toBe(204);
    const [row] = await parts.service.sql`
      select (latest_code).number, (latest_code).attempts from verifications where user_id = ${parts.id}`;
    expect(row).toEqual({ number: 2, attempts: 0 });
    expect((await parts.service.verify(parts.id, parts.codes()[1]!)).status).toBe(200);
  });

  it('gives a new code to another phone; the code of unknown outcome is valid until that one is accepted', async () => {
    const { gateway, service, id, send, codes } = await withGateway();
    gateway.behave('die');
    await send();
    gateway.behave(accepts);
    expect((await service.sendCode(id, newPhone())).status).toBe(204);
    const [first, second] = codes();
    const [row] = await service.sql`select (latest_code).number from verifications where user_id = ${id}`;
    expect(row).toEqual({ number: 2 });
    if (first !== second) expect((await service.verify(id, first!)).status).toBe(400);
    expect((await service.verify(id, second!)).status).toBe(200);
  });

  it('is tried anew under the same Idempotency-Key, with the same code', async () => {
    const { gateway, service, id, phone, codes } = await withGateway();
    const send = () =>
      service.call(
        '/User/phone-number/send-code',
        { id, phoneNumber: phone },
        { headers: { 'idempotency-key': 'one tap of the button' } },
      );
    gateway.behave('die');
    expect((await send()).headers.get('error-reason')).toBe('send-outcome-unknown');
    gateway.behave(accepts);
    expect((await send()).status).toBe(204);
    expect((await send()).status).toBe(204);
    expect(codes()).toHaveLength(2);
    expect(new Set(codes()).size).toBe(1);
  });
});

describe('while a code is pending', () => {
  /** A code that was accepted, and a second one that a gateway has not answered yet. */
  async function pending(settings: Record<string, string> = {}) {
    const parts = await withGateway({ LEDGERLINE_GATEWAY_SECONDS: '30', LEDGERLINE_SEND_SECONDS: '60', ...settings });
    await parts.send();
    const late = patientGateway();
    parts.gateway.behave(late.accept);
    const answer = parts.send();
    await vi.waitFor(() => expect(late.count()).toBe(1), { timeout: 15_000 });
    const [earlier, latest] = parts.codes();
    return { ...parts, late, answer, earlier: earlier!, latest: latest! };
  }

  it('the earlier code is valid', async () => {
    const { service, id, late, answer, earlier } = await pending();
    expect((await service.verify(id, earlier)).status).toBe(200);
    late.release();
    expect((await answer).status).toBe(204);
  });

  it('the pending code is valid too', async () => {
    const { service, id, late, answer, latest } = await pending();
    expect((await service.verify(id, latest)).status).toBe(200);
    late.release();
    expect((await answer).status).toBe(204);
    expect((await service.verify(id, latest)).status).toBe(400);
  });

  it('a further send to the phone sends the pending code again', async () => {
    const { service, id, late, answer, latest, send, codes } = await pending();
    const further = send();
    await vi.waitFor(() => expect(late.count()).toBe(2), { timeout: 15_000 });
    late.release();
    expect([(await answer).status, (await further).status]).toEqual([204, 204]);
    expect(codes()[2]).toBe(latest);
    expect((await service.verify(id, latest)).status).toBe(200);
  });

  it('a wrong guess counts on both codes', async () => {
    const { service, id, late, answer, earlier, latest } = await pending();
    const wrong = ['000000', '111111', '222222'].find((code) => code !== earlier && code !== latest)!;
    for (let attempt = 0; attempt < 5; attempt += 1) await service.verify(id, wrong);
    expect((await service.verify(id, earlier)).status).toBe(400);
    expect((await service.verify(id, latest)).status).toBe(400);
    late.release();
    await answer;
    expect((await service.verify(id, latest)).status).toBe(400);
  });

  it('it supersedes the earlier one when a gateway accepts it', async () => {
    const { service, id, late, answer, earlier, latest } = await pending();
    late.release();
    expect((await answer).status).toBe(204);
    if (earlier !== latest) expect((await service.verify(id, earlier)).status).toBe(400);
    expect((await service.verify(id, latest)).status).toBe(200);
  });

  it('it supersedes the earlier one when its outcome is unknown', async () => {
    const { gateway, service, id, send, codes } = await withGateway();
    await send();
    gateway.behave('die');
    expect(await send()).toEqual(unknown);
    const [earlier, latest] = codes();
    if (earlier !== latest) expect((await service.verify(id, earlier!)).status).toBe(400);
    expect((await service.verify(id, latest!)).status).toBe(200);
  });

  it('codes to several phones are all valid, and the accepted one supersedes those before it', async () => {
    const { service, id, late, answer, earlier, latest, codes } = await pending();
    const other = service.sendCode(id, newPhone());
    await vi.waitFor(() => expect(late.count()).toBe(2), { timeout: 15_000 });
    const [, , third] = codes();
    const [row] = await service.sql`
      select (latest_code).number, (select array_agg(e.number order by e.number) from unnest(earlier_codes) e)::text as earlier
      from verifications where user_id = ${id}`;
    expect(row).toEqual({ number: 3, earlier: '{1,2}' });
    late.release();
    await Promise.all([answer, other]);
    for (const superseded of [earlier, latest].filter((code) => code !== third)) {
      expect((await service.verify(id, superseded)).status).toBe(400);
    }
    expect((await service.verify(id, third!)).status).toBe(200);
  });
});

describe('when every gateway fails for certain', () => {
  it('the pending code is void, the earlier one stays valid, and the budgets of user and phone are given back', async () => {
    const { gateway, service, id, phone, send, codes } = await withGateway({
      LEDGERLINE_RULES: 'user-sends=enforce,phone-sends=enforce,user-phones=enforce,phone-users=enforce',
      LEDGERLINE_LIMITS: 'user-sends=2/10m; phone-sends=2/10m; user-phones=2/1d',
    });
    await send();
    gateway.behave(failsForCertain);
    for (let call = 0; call < 4; call += 1) {
      const answer = await send();
      expect([answer.status, answer.reason]).toEqual([503, 'send-failed']);
      expect(answer.retryAfter).toBeGreaterThanOrEqual(1);
    }
    for (let call = 0; call < 3; call += 1) expect((await service.sendCode(id, newPhone())).status).toBe(503);
    const [counted] = await service.sql`
      select cardinality(v.sends) as user, cardinality(p.sends) as phone, (v.latest_code).number as code,
        cardinality(v.phones) as phones, cardinality(p.users) as users
      from verifications v, phone_sends p where v.user_id = ${id} and p.label = ${maskPhone(phone)}`;
    // The user and the phone have still seen each other, by the send that a gateway accepted.
    expect(counted).toEqual({ user: 1, phone: 1, code: 1, phones: 1, users: 1 });
    for (const failed of codes()
      .slice(1)
      .filter((code) => code !== codes()[0])) {
      expect((await service.verify(id, failed)).status).toBe(400);
      break;
    }
    expect((await service.verify(id, codes()[0]!)).status).toBe(200);
  });

  it('the budgets that all users share still count the send', async () => {
    const { gateway, service, send } = await withGateway({ LEDGERLINE_RULES: 'country-sends=enforce,spend=enforce' });
    gateway.behave(failsForCertain);
    expect((await send()).status).toBe(503);
    const [row] = await service.sql`select count(*)::int as budgets from guard_budgets where used > 0`;
    expect(row!.budgets).toBeGreaterThanOrEqual(2);
  });

  it('a code of unknown outcome stays valid', async () => {
    const { gateway, service, id, send, codes } = await withGateway();
    gateway.behave('die');
    await send();
    gateway.behave(failsForCertain);
    expect((await send()).reason).toBe('send-failed');
    expect((await service.verify(id, codes()[0]!)).status).toBe(200);
  });
});

describe('a destination that a gateway refuses', () => {
  it('is a 400 that is counted, and the earlier code stays valid', async () => {
    const { gateway, service, id, send, codes, sends } = await withGateway();
    await send();
    gateway.behave(refusesDestination);
    expect((await send()).status).toBe(400);
    expect(await sends()).toBe(2);
    expect((await service.verify(id, codes()[0]!)).status).toBe(200);
  });

  it('after an unknown outcome at another gateway leaves the outcome unknown', async () => {
    const second = await gatewayServer(() => ({
      status: 200,
      body: { messages: [{ status: '7', 'error-text': 'Number barred' }] },
    }));
    const vonage = { LEDGERLINE_VONAGE_KEY: 'key', LEDGERLINE_VONAGE_SECRET: 'secret' };
    const { gateway, service, id, send, codes } = await withGateway(
      { LEDGERLINE_GATEWAYS: 'twilio,vonage', ...vonage },
      `vonage=${second.url}`,
    );
    gateway.behave('die');
    expect(await send()).toEqual(unknown);
    expect((await service.verify(id, codes()[0]!)).status).toBe(200);
  });
});
