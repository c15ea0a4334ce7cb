/** Second routes and changes of number, with several processes that are killed. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { reservePort } from '../harness/reserve-port.ts';
import { channelGateways, sendWhatsappReceipt, textCode, whatsappCode } from '../harness/channel-gateways.ts';
import { dataFolder, startProcess } from '../harness/process.ts';
import { codeIn } from '../harness/send-outcome.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { sendTwilioReceipt, twilioAccepts, twoGatewaySettings, vonageAccepts } from '../harness/servers/twilio.ts';
import { cloneDatabase, newPhone, serviceForTest } from '../harness/service.ts';
import { sized } from '../harness/size.ts';

describe('several processes', { timeout: 180_000 }, () => {
  async function processes(settings: Record<string, string>) {
    const [twilio, vonage] = [await gatewayServer(twilioAccepts), await gatewayServer(vonageAccepts)];
    const database = await cloneDatabase();
    onTestFinished(database.drop);
    const common = {
      DATABASE_URL: database.url,
      LEDGERLINE_DIGEST_KEY: randomBytes(32).toString('base64'),
      LEDGERLINE_LOG_FORMAT: 'json',
      LEDGERLINE_GATEWAY_SECONDS: '10',
      LEDGERLINE_SEND_SECONDS: '20',
      ...settings,
    };
    const begin = async () => {
      const gateways = await twoGatewaySettings(twilio.url, vonage.url);
      const process = await startProcess(await dataFolder(), { ...gateways, ...common });
      const token = await process.token();
      return {
        process,
        call: (pathname: string, body?: unknown, method = 'POST') => process.call(method, pathname, token, body),
        receipt(address: string, status: string) {
          const { pathname, search } = new URL(address);
          return sendTwilioReceipt(`${process.url}${pathname}${search}`, status);
        },
      };
    };
    /** A node that is not killed needs no process. */
    const beginHere = async () => serviceForTest({ ...(await twoGatewaySettings(twilio.url, vonage.url)), ...common });
    return { twilio, vonage, begin, beginHere };
  }

  it('send a failed text over a second route once, also if the process that did was killed', async () => {
    const { twilio, vonage, begin, beginHere } = await processes({ LEDGERLINE_RESEND_AFTER_SECONDS: '5' });
    const [first, second] = [await begin(), await beginHere()];
    const { id } = (await first.call('/User', {})).json;
    expect((await first.call('/User/phone-number/send-code', { id, phoneNumber: newPhone() })).status).toBe(204);
    vonage.behave('hang');
    const address = twilio.received[0]!.form.StatusCallback!;
    expect((await first.receipt(address, 'undelivered')).ok).toBe(true);
    await vi.waitFor(() => expect(vonage.received).toHaveLength(1), 20_000);
    await first.process.end('SIGKILL');
    vonage.behave(vonageAccepts);
    // The same receipt again, and the job of the other process, which finds the text when its time has passed.
    const { pathname, search } = new URL(address);
    expect((await sendTwilioReceipt(`${second.url}${pathname}${search}`, 'undelivered')).ok).toBe(true);
    await second.advance(10);
    await new Promise((resolve) => setTimeout(resolve, 14_000));
    expect(vonage.received).toHaveLength(1);
    expect(twilio.received).toHaveLength(1);
    const code = /\b\d{6}\b/.exec(vonage.received[0]!.form.text!)![0];
    expect(code).toBe(codeIn(twilio.received[0]!));
    expect((await second.verify(id, code)).status).toBe(200);
  });

  it('send a silent message over the next channel once, also if they are killed before and after its time', async () => {
    const { settings, whatsapp, texts, calls } = await channelGateways();
    const database = await cloneDatabase();
    onTestFinished(database.drop);
    const common = {
      ...settings,
      DATABASE_URL: database.url,
      LEDGERLINE_DIGEST_KEY: randomBytes(32).toString('base64'),
      LEDGERLINE_LOG_FORMAT: 'json',
      LEDGERLINE_GATEWAY_SECONDS: '10',
      LEDGERLINE_SEND_SECONDS: '20',
      LEDGERLINE_CHANNEL_SECONDS: '5',
    };
    const reachable = async () => {
      const port = String(await reservePort());
      return { ...common, PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` };
    };
    const begin = async () => startProcess(await dataFolder(), await reachable());
    const first = await begin();
    const token = await first.token();
    const send = async () => {
      const { id } = (await first.call('POST', '/User', token, {})).json;
      const body = { id, phoneNumber: newPhone() };
      expect((await first.call('POST', '/User/phone-number/send-code', token, body)).status).toBe(204);
      return id as number;
    };
    await send();
    expect(await sendWhatsappReceipt(first.url, whatsapp.received[0]!, 'delivered')).toBe(204);
    const id = await send();
    // Between the dispatch and its time.
    await first.end('SIGKILL');
    texts.behave('hang');
    const [second, third] = [await begin(), await begin()];
    await vi.waitFor(() => expect(texts.received).toHaveLength(1), 60_000);
    // During the dispatch over the next channel: whoever claimed it, and then the other one.
    await second.end('SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 8000));
    await third.end('SIGKILL');
    const last = await serviceForTest(await reachable());
    await new Promise((resolve) => setTimeout(resolve, 8000));
    expect([whatsapp, texts, calls].map(({ received }) => received.length)).toEqual([2, 1, 0]);
    const code = textCode(texts.received[0]!);
    expect(code).toBe(whatsappCode(whatsapp.received[1]!));
    expect((await last.verify(id, code)).status).toBe(200);
  });

  it('killed at every step of a change leave the user exactly one verified number', async () => {
    const { twilio, begin } = await processes({ LEDGERLINE_CHANGE_NOTICE: 'true' });
    let current = await begin();
    const old = newPhone();
    const { id } = (await current.call('/User', {})).json;
    await current.call('/User/phone-number/send-code', { id, phoneNumber: old });
    expect((await current.call('/User/phone-number/verify', { id, code: codeIn(twilio.received[0]!) })).status).toBe(
      200,
    );
    const numberOf = async () => {
      const { status, json } = await current.call(`/User/${id}/status`, undefined, 'GET');
      expect(status).toBe(200);
      return json.phoneNumber as string;
    };
    let linked = old;
    const verifies = Array.from({ length: sized(1, 3) }, () => 'verify' as const);
    for (const step of ['dispatch', ...verifies, 'notice'] as const) {
      const next = newPhone();
      const before = twilio.received.length;
      if (step === 'dispatch') {
        twilio.behave('hang');
        const lost = current.call(`/User/${id}/phone-number/change`, { phoneNumber: next }).catch(() => undefined);
        await vi.waitFor(() => expect(twilio.received.length).toBe(before + 1), 20_000);
        await current.process.end('SIGKILL');
        await lost;
        twilio.behave(twilioAccepts);
        current = await begin();
        expect(await numberOf()).toBe(linked);
        // The text may have arrived: its code works.
        const code = codeIn(twilio.received.at(-1)!);
        expect((await current.call(`/User/${id}/phone-number/change/verify`, { code })).status).toBe(200);
        linked = next;
        continue;
      }
      expect((await current.call(`/User/${id}/phone-number/change`, { phoneNumber: next })).status).toBe(204);
      const code = codeIn(twilio.received.filter(({ form }) => form.To === next).at(-1)!);
      const verifying = current
        .call(`/User/${id}/phone-number/change/verify`, { code })
        .then(({ status }) => status)
        .catch(() => 0);
      // Between the request and its answer, or while the old number is told.
      await (step === 'notice' ? verifying : new Promise((resolve) => setTimeout(resolve, 3 * Math.random())));
      await current.process.end('SIGKILL');
      const status = await verifying;
      current = await begin();
      const number = await numberOf();
      expect([linked, next]).toContain(number);
      if (status === 200) expect(number).toBe(next);
      linked = number;
      const other = (await current.call('/User', {})).json.id as number;
      const free = number === next ? old : next;
      const sent = await current.call('/User/phone-number/send-code', { id: other, phoneNumber: number });
      expect(sent.headers.get('error-reason'), free).toBe('phone-taken');
    }
  });
});
