import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import {
  sendTwilioReceipt,
  twilioAccepts,
  twilioSettings,
  twoGatewaySettings,
  vonageAccepts,
} from '../harness/servers/twilio.ts';
import { sized } from '../harness/size.ts';
import { newPhone, refusal, serviceForTest, startService, wrongCode, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const resend = (id: number | string, to = service) => to.call(`/User/${id}/phone-number/resend-code`);

it('sends the latest code again, to the phone it went to; no body is needed', async () => {
  const id = await service.createUser();
  const [first, last] = [newPhone(), newPhone()];
  await service.sendCode(id, first);
  await service.sendCode(id, last);
  const answer = await resend(id);
  expect([answer.status, answer.text]).toEqual([204, '']);
  expect(await service.messages(first)).toHaveLength(1);
  const codes = (await service.messages(last)).map(({ code }) => code);
  expect(codes).toEqual([codes[0], codes[0]]);
  expect((await service.verify(id, await service.lastCode(last))).status).toBe(200);
});

describe('the code that is sent again', () => {
  const codesSentTo = async (phone: string) => (await service.messages(phone)).map(({ code }) => code);
  const codeNumbers = async (id: number) => {
    const rows = await service.sql`select code_number from messages where user_id = ${id} order by message_number`;
    return rows.map(({ code_number }) => code_number as number);
  };

  it('keeps its number, and its time starts anew, but ends 30 minutes after it was first sent', async () => {
    const own = await serviceForTest();
    const id = await own.createUser();
    const phone = newPhone();
    const started = await own.sendCode(id, phone);
    expect(started.headers.get('code-expires-in')).toBe('600');
    const code = await own.lastCode(phone);
    const expiresIn: number[] = [];
    for (let nineMinutes = 1; nineMinutes <= 3; nineMinutes += 1) {
      await own.call('/sandbox/clock', { advanceSeconds: 540 });
      const again = await resend(id, own);
      expect(again.status).toBe(204);
      expect(again.headers.get('code-length')).toBe('6');
      expiresIn.push(Number(again.headers.get('code-expires-in')));
    }
    // After 27 minutes three are left.
    expect(expiresIn.slice(0, 2)).toEqual([600, 600]);
    expect(expiresIn[2]).toBeGreaterThan(170);
    expect(expiresIn[2]).toBeLessThanOrEqual(180);
    expect(new Set((await own.messages(phone)).map((message) => message.code))).toEqual(new Set([code]));
    const rows = await own.sql`select distinct code_number from messages where user_id = ${id}`;
    expect([...rows]).toEqual([{ code_number: 1 }]);
    await own.call('/sandbox/clock', { advanceSeconds: 181 });
    expect((await own.verify(id, code)).status).toBe(400);
    // It has expired, so a resend is a new code.
    expect((await resend(id, own)).headers.get('code-expires-in')).toBe('600');
    const fresh = await own.lastCode(phone);
    expect((await own.verify(id, fresh)).status).toBe(200);
  });

  it('works after a first text that never arrived, and after every repetition', async () => {
    const id = await service.createUser();
    const phone = newPhone();
    await service.sendCode(id, phone);
    const [first] = await codesSentTo(phone);
    for (let times = 0; times < 3; times += 1) expect((await resend(id)).status).toBe(204);
    expect(await codesSentTo(phone)).toEqual([first, first, first, first]);
    expect(await codeNumbers(id)).toEqual([1, 1, 1, 1]);
    expect((await service.verify(id, first!)).status).toBe(200);
  });

  it('keeps its attempts: five wrong guesses end it, however often it is sent; then a new one is sent', async () => {
    const id = await service.createUser();
    const phone = newPhone();
    await service.sendCode(id, phone);
    const code = await service.lastCode(phone);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await service.verify(id, wrongCode(code))).status).toBe(400);
      expect((await resend(id)).status).toBe(204);
    }
    expect(await codeNumbers(id)).toEqual([1, 1, 1, 1, 1, 2]);
    expect((await service.verify(id, await service.lastCode(phone))).status).toBe(200);
  });

  it('is not the one that send-code sends', async () => {
    const id = await service.createUser();
    const phone = newPhone();
    await service.sendCode(id, phone);
    await service.sendCode(id, phone);
    expect(await codeNumbers(id)).toEqual([1, 2]);
  });

  it('is used up by a verification, also while it is sent again', async () => {
    const id = await service.createUser();
    const phone = newPhone();
    await service.sendCode(id, phone);
    const code = await service.lastCode(phone);
    const [verified] = await Promise.all([service.verify(id, code), ...Array.from({ length: 5 }, () => resend(id))]);
    expect(verified.status).toBe(200);
    expect((await service.verify(id, code)).status).toBe(400);
  });

  it('goes to the phone of the latest code that counts, not to that of a send that failed', async () => {
    const gateway = await gatewayServer(twilioAccepts);
    const own = await serviceForTest({
      ...(await twilioSettings(gateway.url)),
      LEDGERLINE_BREAKER: '1000/5s/2m',
    });
    const id = await own.createUser();
    const [reached, failing] = [newPhone(), newPhone()];
    expect((await own.sendCode(id, reached)).status).toBe(204);
    gateway.behave(() => ({ status: 500, body: 'x' }));
    expect((await own.sendCode(id, failing)).status).toBe(503);
    gateway.behave(twilioAccepts);
    expect((await resend(id, own)).status).toBe(204);
    expect(gateway.received.at(-1)!.form.To).toBe(reached);
    expect(gateway.received.at(-1)!.form.Body).toBe(gateway.received[0]!.form.Body);
    // Without any code that counts it goes to the phone of the last send.
    const other = await own.createUser();
    gateway.behave(() => ({ status: 500, body: 'x' }));
    expect((await own.sendCode(other, failing)).status).toBe(503);
    gateway.behave(twilioAccepts);
    expect((await resend(other, own)).status).toBe(204);
    expect(gateway.received.at(-1)!.form.To).toBe(failing);
  });

  it('is the fixed one of a test number', async () => {
    const phone = '+15005550006';
    const own = await serviceForTest({ LEDGERLINE_TEST_NUMBERS: `${phone}=123456@2099-12-31` });
    const id = await own.createUser();
    expect((await own.sendCode(id, phone)).status).toBe(204);
    expect((await resend(id, own)).status).toBe(204);
    const rows = await own.sql`select distinct code_number from messages where user_id = ${id}`;
    expect([...rows]).toEqual([{ code_number: 1 }]);
    expect((await own.verify(id, '123456')).status).toBe(200);
  });

  it('does not go to a phone that a newer code has replaced meanwhile', async () => {
    const id = await service.createUser();
    const [before, after] = [newPhone(), newPhone()];
    await service.sendCode(id, before);
    for (let round = 0; round < 10; round += 1) {
      const [sent] = await Promise.all([service.sendCode(id, after), resend(id), resend(id)]);
      expect(sent.status).toBe(204);
      await resend(id);
      // Whatever the order, the last code is for the last phone.
      expect((await service.sql`select (latest_code).phone from verifications where user_id = ${id}`)[0]!.phone).toBe(
        after,
      );
    }
  });
});

describe('the gateway of a resend', () => {
  async function startWithTwo() {
    const [twilio, vonage] = [await gatewayServer(twilioAccepts), await gatewayServer(vonageAccepts)];
    return { twilio, vonage, own: await serviceForTest(await twoGatewaySettings(twilio.url, vonage.url)) };
  }

  it('is not the one that took the last text: they take turns, with the same code', async () => {
    const { twilio, vonage, own } = await startWithTwo();
    const id = await own.createUser();
    await own.sendCode(id, newPhone());
    const counts = () => [twilio.received.length, vonage.received.length];
    expect(counts()).toEqual([1, 0]);
    await resend(id, own);
    expect(counts()).toEqual([1, 1]);
    expect(vonage.received[0]!.form.text).toBe(twilio.received[0]!.form.Body);
    await resend(id, own);
    expect(counts()).toEqual([2, 1]);
  });

  it('is the same if the other one fails, and the first one if the last text was delivered', async () => {
    const { twilio, vonage, own } = await startWithTwo();
    const id = await own.createUser();
    await own.sendCode(id, newPhone());
    vonage.behave(() => ({ status: 500, body: 'x' }));
    expect((await resend(id, own)).status).toBe(204);
    expect([twilio.received.length, vonage.received.length]).toEqual([2, 1]);
    vonage.behave(vonageAccepts);
    expect((await sendTwilioReceipt(twilio.received[1]!.form.StatusCallback!, 'delivered')).ok).toBe(true);
    expect((await resend(id, own)).status).toBe(204);
    expect([twilio.received.length, vonage.received.length]).toEqual([3, 1]);
  });
});

/**
 * The first of two gateways accepts every text, and loses those to every third number without a word. How many of the
 * users who got no text have a code that works after their next call?
 */
it('helps the users whose texts a gateway loses: at least 95 % have a code that works, none without another gateway', async () => {
  const users = sized(90, 600);
  const [losing, other] = [await gatewayServer(twilioAccepts), await gatewayServer(vonageAccepts)];
  const own = await serviceForTest(await twoGatewaySettings(losing.url, other.url));
  const isLost = (phone: string) => Number(phone.slice(-4)) % 3 === 0;
  const numbers = Array.from({ length: users }, () => newPhone());
  const arrived = (phone: string) =>
    other.received.find(({ form }) => `+${form.to}` === phone)?.form.text ??
    (isLost(phone) ? undefined : losing.received.find(({ form }) => form.To === phone)?.form.Body);
  const outcome = { resend: [0, 0], send: [0, 0] };
  for (const [index, phone] of numbers.entries()) {
    const id = await own.createUser();
    await own.sendCode(id, phone);
    if (arrived(phone) !== undefined) continue;
    // As it was before: another send-code, which issues a new code over the same gateway.
    const call = index % 2 === 0 ? 'resend' : 'send';
    await (call === 'resend' ? resend(id, own) : own.sendCode(id, phone));
    const code = /\b\d{6}\b/.exec(arrived(phone) ?? '')?.[0];
    outcome[call][0]! += code !== undefined && (await own.verify(id, code)).status === 200 ? 1 : 0;
    outcome[call][1]! += 1;
  }
  const [helped, all] = outcome.resend as [number, number];
  expect(all).toBeGreaterThan(users / 10);
  expect(helped / all).toBeGreaterThanOrEqual(0.95);
  expect(outcome.send[1]).toBeGreaterThan(users / 10);
  expect(outcome.send[0]).toBe(0);
});

it('answers 400 when nothing has been sent', async () => {
  const answer = await resend(await service.createUser());
  expect(answer.json).toEqual(refusal(400, 'Bad Request', 'No code has been sent to this user yet.'));
});

it('in the last second says one second, and the text the minutes that are left', async () => {
  const own = await serviceForTest();
  const phone = newPhone();
  const id = await own.createUser();
  await own.sendCode(id, phone);
  // The code never lives longer than 30 minutes.
  for (const advanceSeconds of [590, 590, 590]) {
    await own.call('/sandbox/clock', { advanceSeconds });
    expect((await resend(id, own)).status).toBe(204);
  }
  const left = Number((await resend(id, own)).headers.get('code-expires-in'));
  expect((await own.messages(phone))[0]!.text).toContain('1 min');
  await own.call('/sandbox/clock', { advanceSeconds: left - 1 });
  const last = await resend(id, own);
  // A second may pass on a slow machine, and then it is another code.
  expect(last.status).toBe(204);
  expect(Number(last.headers.get('code-expires-in'))).toBeGreaterThan(0);
});

it('a refused send does not count as the last send', async () => {
  const taken = newPhone();
  await service.verifiedUser(taken);
  const id = await service.createUser();
  await service.sendCode(id, taken);
  expect((await resend(id)).status).toBe(400);
});

it('answers 204 without an SMS when verified', async () => {
  const phone = newPhone();
  const id = await service.verifiedUser(phone);
  expect((await resend(id)).status).toBe(204);
  expect(await service.messages(phone)).toHaveLength(1);
});

it('counts against the same limit', async () => {
  const limited = await serviceForTest({ LEDGERLINE_LIMITS: 'user-sends=2/10m' });
  const id = await limited.createUser();
  await limited.sendCode(id, newPhone());
  expect((await resend(id, limited)).status).toBe(204);
  expect((await resend(id, limited)).status).toBe(429);
});

it.each(['2147483646', '0', '-1', 'abc', '99999999999', '1.5'])('answers 404 for the id %s in the path', async (id) => {
  expect((await resend(id)).status).toBe(404);
});
