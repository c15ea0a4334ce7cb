/** A week of traffic for screenshots: two simulated gateways on loopback, their receipts, and customers. */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { clientCredentials, createClient } from '../../dist/client/index.js';

const account = 'AC00000000000000000000000000000000';
const secret = 'screenshots';

/** The simulated gateways, and the settings of a service that uses them. */
export async function playGateways() {
  /** By phone number: the last message, and how to report its delivery. */
  const texts = new Map();
  let troubled = () => false;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const form = new URLSearchParams(body);
    const isTwilio = request.url.includes('/Messages.json');
    const gateway = isTwilio ? 'twilio' : 'vonage';
    const phoneNumber = isTwilio ? form.get('To') : `+${form.get('to')}`;
    if (troubled(gateway, phoneNumber)) return response.writeHead(503).end();
    const id = `SM${texts.size}${Date.now()}`;
    const callback = form.get(isTwilio ? 'StatusCallback' : 'callback');
    const receipt = isTwilio ? twilioReceipt : vonageReceipt;
    texts.set(phoneNumber, {
      code: (form.get('Body') ?? form.get('text')).match(/\d{6}/)[0],
      receipt: (delivered) => receipt(callback, id, delivered),
    });
    const answer = isTwilio ? { sid: id, status: 'queued' } : { messages: [{ status: '0', 'message-id': id }] };
    response.writeHead(isTwilio ? 201 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    texts,
    trouble: (decide) => (troubled = decide),
    stop: () => server.close(),
    settings: {
      LEDGERLINE_GATEWAYS: 'twilio,vonage; DE=vonage,twilio; PL=vonage,twilio',
      LEDGERLINE_GATEWAY_URLS: `twilio=${url}; vonage=${url}`,
      LEDGERLINE_TWILIO_ACCOUNT: account,
      LEDGERLINE_TWILIO_TOKEN: secret,
      LEDGERLINE_VONAGE_KEY: 'key',
      LEDGERLINE_VONAGE_SECRET: secret,
      LEDGERLINE_RULES: '*=enforce,phone-users=shadow,one-code=shadow',
    },
  };
}

async function twilioReceipt(callback, id, delivered) {
  const fields = {
    AccountSid: account,
    ...(!delivered && { ErrorCode: '30008' }),
    MessageSid: id,
    MessageStatus: delivered ? 'delivered' : 'undelivered',
  };
  const signed = callback + Object.entries(fields).flat().join('');
  const signature = createHmac('sha1', secret).update(signed).digest('base64');
  await fetch(callback, {
    method: 'POST',
    headers: { 'x-twilio-signature': signature },
    body: new URLSearchParams(fields),
  });
}

async function vonageReceipt(callback, id, delivered) {
  const fields = { 'api-key': 'key', messageId: id, status: delivered ? 'delivered' : 'failed' };
  await fetch(callback, { method: 'POST', body: new URLSearchParams(fields) });
}

/** The share of each country, its numbers, and the share of its texts that are delivered. */
const countries = [
  { often: 16, number: (n) => `+4474001${20_000 + n}`, arrives: 0.98 },
  { often: 11, number: (n) => `+49151234${20_000 + n}`, arrives: 0.97 },
  { often: 7, number: (n) => `+336123${20_000 + n}`, arrives: 0.84 },
  { often: 5, number: (n) => `+316123${20_000 + n}`, arrives: 0.99 },
  { often: 3, number: (n) => `+485123${20_000 + n}`, arrives: 0.93 },
];
const busy = [0.8, 0.95, 1, 0.9, 1.25, 0.7, 0.6];
const daySeconds = 86_400;

/** Returns the user who was blocked on the last day. */
export async function liveAWeek(baseUrl, { texts, trouble }) {
  const token = clientCredentials({ baseUrl, clientId: 'sandbox', clientSecret: 'sandbox' });
  const client = createClient({ baseUrl, token, resendSeconds: 0 });
  const chance = seeded(7);
  let customers = 0;
  trouble((gateway) => gateway === 'twilio' && chance() < 0.04);

  async function customer({ number, arrives }) {
    customers += 1;
    const phoneNumber = number(customers * 37);
    const { id } = await client.createUser();
    await client.sendCode({ id, phoneNumber });
    const { code, receipt } = texts.get(phoneNumber);
    const delivered = chance() < arrives;
    await receipt(delivered);
    if (!delivered || chance() < 0.06) return;
    if (chance() < 0.1) await client.verify({ id, code: wrong(code) }).catch(() => {});
    await client.verify({ id, code });
  }

  /** An attacker who is paid for texts to a range of numbers, until the guard closes the range. */
  async function pump() {
    for (let i = 0; i < 28; i += 1) {
      const { id } = await client.createUser();
      const target = i < 6 ? `+4490987900${10 + i}` : `+25191123${1000 + i}`;
      const refused = await client.sendCode({ id, phoneNumber: target }).catch((error) => error);
      if (!refused) await texts.get(target).receipt(true);
    }
  }

  const unlucky = (await client.createUser()).id;
  const phoneNumber = '+447400188224';
  for (const [day, factor] of busy.entries()) {
    if (day > 0) await client.sandbox.advanceClock(daySeconds);
    for (const country of countries) {
      for (let i = 0; i < Math.round(country.often * factor); i += 1) await customer(country);
    }
    if (day !== busy.length - 1) continue;
    await pump();
    trouble((gateway) => gateway === 'twilio');
    await client.sendCode({ id: unlucky, phoneNumber });
    await client.sandbox.advanceClock(12);
    await texts.get(phoneNumber).receipt(false);
    trouble(() => false);
    await client.sandbox.advanceClock(900);
    await client.resendCode(unlucky);
    await client.sandbox.advanceClock(4);
    await texts.get(phoneNumber).receipt(true);
    await client.sandbox.advanceClock(95);
    // Five tries end a code, ten block the customer.
    const code = wrong(texts.get(phoneNumber).code);
    for (let i = 0; i < 11; i += 1) {
      await client.sandbox.advanceClock(3);
      await client.verify({ id: unlucky, code }).catch(() => {});
    }
  }
  return unlucky;
}

const wrong = (code) => code.slice(0, -1) + ((Number(code.at(-1)) + 1) % 10);

/** The same numbers each time (mulberry32), so that pictures change only when the page does. */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
