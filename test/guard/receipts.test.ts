/** Receipts as evidence: a range whose texts fail, while those of the rest of its country arrive. */
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { freePort } from '../../src/network/free-port.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { serviceForTest } from '../harness/service.ts';
import { until } from '../harness/until.ts';

async function start() {
  const server = await gatewayServer(() => ({ status: 201, body: { sid: `SM${server.received.length}` } }));
  const port = await freePort('127.0.0.1');
  const service = await serviceForTest({
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    LEDGERLINE_GATEWAYS: 'twilio',
    LEDGERLINE_TWILIO_ACCOUNT: 'AC1',
    LEDGERLINE_TWILIO_TOKEN: 'token',
    LEDGERLINE_GATEWAY_URLS: `twilio=${server.url}`,
    LEDGERLINE_RULES: '*=off,prefix=enforce',
    LEDGERLINE_RANGES: '4=16,5=100,6=100,7=100,country=100',
  });
  let number = 0;

  /** Sends a code to a number of the range, and says where its receipt goes. */
  async function send(range: string) {
    number += 1;
    const phone = `${range}${String(number).padStart(4, '0')}`;
    const { status } = await service.sendCode(await service.createUser(), phone);
    return { status, address: server.received.at(-1)?.form.StatusCallback as string };
  }

  async function report(address: string, status: 'delivered' | 'undelivered') {
    const form: Record<string, string> = { AccountSid: 'AC1', MessageStatus: status };
    const text = address + Object.entries(form).flat().join('');
    const answer = await fetch(address, {
      method: 'POST',
      body: new URLSearchParams(form).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': createHmac('sha1', 'token').update(text).digest('base64'),
      },
    });
    expect(answer.status).toBe(204);
  }

  async function sumsOf(name: string) {
    const [row] = await service.sql`
      select round(delivered)::int as delivered, round(failed)::int as failed from guard_ranges where name = ${name}`;
    return row;
  }

  return { service, send, report, sumsOf };
}

it('a range whose texts fail has a smaller budget, and the decision says why', async () => {
  const { service, send, report, sumsOf } = await start();
  for (let call = 0; call < 12; call += 1) await report((await send('+44740022')).address, 'delivered');
  const failed = [];
  for (let call = 0; call < 8; call += 1) failed.push((await send('+44740011')).address);
  expect((await send('+44740011')).status).toBe(204);
  // Each is reported twice at the same time, and counts once.
  await Promise.all([...failed, ...failed].map((address) => report(address, 'undelivered')));
  expect((await send('+44740011')).status).toBe(429);
  await until(async () => (await sumsOf('+44740011'))?.failed === 8);
  expect(await sumsOf('+44740011')).toEqual({ delivered: 0, failed: 8 });
  expect(await sumsOf('+44740022')).toEqual({ delivered: 12, failed: 0 });
  expect(await sumsOf('GB')).toEqual({ delivered: 12, failed: 8 });
  const decisions = async () =>
    (await service.call('/operator/guard/decisions?rule=prefix', undefined, { method: 'GET' })).json.decisions;
  await until(async () => (await decisions()).length === 1);
  expect((await decisions())[0].evidence).toBe(
    'range +44740011 was sent 9 codes in the last hour, normal 0; 0 % verified, normal 60 %; 9 unverified in the last day; 8 of 8 texts failed, far more than in the rest of the country',
  );
});

it('a receipt is accepted also when it cannot be counted for its range', async () => {
  const { service, send, report } = await start();
  const { address } = await send('+44740022');
  await service.sql`alter table verifications rename to away`;
  await report(address, 'delivered');
  await service.sql`alter table away rename to verifications`;
  const [message] = await service.sql`select state from messages`;
  expect(message).toEqual({ state: 'delivered' });
  expect(service.logLines.filter((line) => line.includes('"job":"receipt-counts"'))).toHaveLength(1);
});
