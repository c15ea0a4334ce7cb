/** A text that did not arrive is sent once more over another gateway, without being asked for. */
import { describe, expect, it, vi } from 'vitest';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { sendTwilioReceipt, twilioAccepts, twoGatewaySettings, vonageAccepts } from '../harness/servers/twilio.ts';
import { newPhone, serviceForTest } from '../harness/service.ts';

const codeIn = (text: string) => /\b\d{6}\b/.exec(text)![0];
/** Long enough for the job to run some times. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 3000));

async function start(settings: Record<string, string> = { LEDGERLINE_RESEND_AFTER_SECONDS: '30' }) {
  const [twilio, vonage] = [await gatewayServer(twilioAccepts), await gatewayServer(vonageAccepts)];
  const service = await serviceForTest({ ...(await twoGatewaySettings(twilio.url, vonage.url)), ...settings });
  const receipt = (index: number, status: string) =>
    sendTwilioReceipt(twilio.received[index]!.form.StatusCallback!, status);
  return {
    twilio,
    vonage,
    service,
    receipt,
    advance: (seconds: number) => service.call('/sandbox/clock', { advanceSeconds: seconds }),
    /** Texts that Twilio takes and reports, so that its silence means something. */
    async reported(texts: number) {
      for (let text = 0; text < texts; text += 1) {
        await service.sendCode(await service.createUser(), newPhone());
        expect((await receipt(twilio.received.length - 1, 'delivered')).ok).toBe(true);
      }
    },
    async send() {
      const id = await service.createUser();
      const phone = newPhone();
      expect((await service.sendCode(id, phone)).status).toBe(204);
      return { id, phone, index: twilio.received.length - 1 };
    },
  };
}

describe('a text whose receipt says that it failed', () => {
  it('is sent once more over another gateway: the same code, not from the user’s budget, once', async () => {
    const { twilio, vonage, service, receipt, send } = await start({
      LEDGERLINE_RESEND_AFTER_SECONDS: '30',
      LEDGERLINE_LIMITS: 'user-sends=2/10m',
    });
    const { id, phone, index } = await send();
    expect((await receipt(index, 'undelivered')).ok).toBe(true);
    await vi.waitFor(() => expect(vonage.received).toHaveLength(1), 10_000);
    expect(`+${vonage.received[0]!.form.to}`).toBe(phone);
    const code = codeIn(twilio.received[index]!.form.Body!);
    expect(codeIn(vonage.received[0]!.form.text!)).toBe(code);
    expect(vonage.received[0]!.form['client-ref']).not.toBe(undefined);
    const rows = () => service.sql`
      select code_number, gateway from messages where user_id = ${id} order by message_number`;
    await vi.waitFor(async () => expect(await rows()).toHaveLength(2), 10_000);
    // A resend still fits the budget of two, and its failure causes no further text by itself.
    expect((await service.call(`/User/${id}/phone-number/resend-code`)).status).toBe(204);
    expect([twilio.received.length, vonage.received.length]).toEqual([2, 1]);
    expect((await receipt(1, 'undelivered')).ok).toBe(true);
    await aWhile();
    expect([twilio.received.length, vonage.received.length]).toEqual([2, 1]);
    expect((await rows()).map(({ code_number, gateway }) => [code_number, gateway])).toEqual([
      [1, 'twilio'],
      [1, 'vonage'],
      [1, 'twilio'],
    ]);
    expect((await service.verify(id, code)).status).toBe(200);
  });

  it('is not sent again once its code was used or replaced', async () => {
    const { twilio, vonage, service, receipt, send } = await start();
    const used = await send();
    expect((await service.verify(used.id, codeIn(twilio.received[used.index]!.form.Body!))).status).toBe(200);
    await receipt(used.index, 'undelivered');
    const replaced = await send();
    await service.sendCode(replaced.id, replaced.phone);
    await receipt(replaced.index, 'undelivered');
    await aWhile();
    expect(vonage.received).toHaveLength(0);
  });

  it('is left alone by default', async () => {
    const { vonage, receipt, send } = await start({});
    const { index } = await send();
    await receipt(index, 'undelivered');
    await aWhile();
    expect(vonage.received).toHaveLength(0);
  });

  it('of a change goes to the new number', async () => {
    const { twilio, vonage, service, receipt, send } = await start();
    const { id, index } = await send();
    await service.verify(id, codeIn(twilio.received[index]!.form.Body!));
    const next = newPhone();
    await service.call(`/User/${id}/phone-number/change`, { phoneNumber: next });
    await receipt(index + 1, 'failed');
    await vi.waitFor(() => expect(vonage.received).toHaveLength(1), 10_000);
    expect(`+${vonage.received[0]!.form.to}`).toBe(next);
    const code = codeIn(vonage.received[0]!.form.text!);
    expect((await service.call(`/User/${id}/phone-number/change/verify`, { code })).status).toBe(200);
  });

  it('is not sent again when the spend of the day is used up', async () => {
    const { vonage, service, receipt, send } = await start({
      LEDGERLINE_RESEND_AFTER_SECONDS: '30',
      LEDGERLINE_RULES: 'spend=enforce',
      LEDGERLINE_PRICES: '*=1',
      LEDGERLINE_SPEND: 'message=2,day=1',
    });
    const { id, index } = await send();
    await receipt(index, 'undelivered');
    await vi.waitFor(async () => {
      const rows = await service.sql`select reason from messages where user_id = ${id} and message_number = 2`;
      expect(rows.map(({ reason }) => reason as string)).toEqual(['the spend of the day is used up']);
    }, 10_000);
    expect(vonage.received).toHaveLength(0);
  });
});

describe('a text without a receipt', () => {
  it('is sent once more when its time has passed, if its gateway usually reports', async () => {
    const { twilio, vonage, service, advance, reported, send } = await start();
    await reported(2);
    const { id, index } = await send();
    await aWhile();
    expect(vonage.received).toHaveLength(0);
    await advance(31);
    await vi.waitFor(() => expect(vonage.received).toHaveLength(1), 15_000);
    const code = codeIn(twilio.received[index]!.form.Body!);
    expect(codeIn(vonage.received[0]!.form.text!)).toBe(code);
    await advance(60);
    await aWhile();
    expect(vonage.received).toHaveLength(1);
    expect((await service.verify(id, code)).status).toBe(200);
  });

  it('is left alone if its gateway reports fewer than half of its texts', async () => {
    const { vonage, advance, reported, send } = await start();
    await reported(2);
    for (let silent = 0; silent < 3; silent += 1) await send();
    await advance(31);
    await aWhile();
    expect(vonage.received).toHaveLength(0);
  });

  it('is left alone if there is no other gateway', async () => {
    const { twilio, advance, reported, send } = await start({
      LEDGERLINE_RESEND_AFTER_SECONDS: '30',
      LEDGERLINE_GATEWAYS: 'twilio',
    });
    await reported(2);
    await send();
    await advance(31);
    await aWhile();
    expect(twilio.received).toHaveLength(3);
  });
});
