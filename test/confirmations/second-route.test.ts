/** The text of a confirmation that did not arrive is sent once more without being asked for, exactly as it was. */
import { describe, expect, it, vi } from 'vitest';
import {
  sentBy,
  spokenCode,
  startWithChannels,
  textCode,
  textReceipt,
  vonageReceipt,
  whatsappCode,
} from '../harness/channel-gateways.ts';
import { payment, terms } from '../harness/confirmations.ts';
import { newPhone } from '../harness/service.ts';

/** Long enough for the job to run some times. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 3000));

async function start(more: Record<string, string>) {
  const gateways = await startWithChannels({
    LEDGERLINE_GATEWAYS: 'twilio,vonage,twilio-voice,whatsapp',
    LEDGERLINE_CHANNELS: '*=sms,whatsapp,voice',
    ...more,
  });
  const { service, texts } = gateways;
  const id = await service.createUser();
  await service.sendCode(id, newPhone());
  expect((await service.verify(id, textCode(texts.received[0]!))).status).toBe(200);
  return {
    ...gateways,
    id,
    async create(body: unknown = payment): Promise<{ confirmationId: string; index: number }> {
      const created = await service.call(`/User/${id}/confirmations`, body);
      expect(created.status).toBe(201);
      return { confirmationId: created.json.confirmationId, index: texts.received.length - 1 };
    },
    check: (confirmationId: string, body: unknown) =>
      service.call(`/User/${id}/confirmations/${confirmationId}/check`, body),
    /** The messages of the user after the first one. */
    sent: async () => (await sentBy(service, id)).slice(1),
  };
}

describe('a lost text is sent again over another gateway', () => {
  const settings = { LEDGERLINE_RESEND_AFTER_SECONDS: '30' };

  it('with the same code, terms and language, once, and from no budget of the user', async () => {
    const { service, id, texts, otherTexts, create, check, sent } = await start({
      ...settings,
      LEDGERLINE_LIMITS: 'user-confirmations=1/10m',
    });
    const { confirmationId, index } = await create({ ...payment, locale: 'de' });
    expect(await textReceipt(texts.received[index]!, 'undelivered')).toBe(204);
    await vi.waitFor(async () => expect(await sent()).toHaveLength(2), 15_000);
    expect(otherTexts.received[0]!.form.text).toBe(texts.received[index]!.form.Body);
    expect(otherTexts.received[0]!.form.text).toContain('24,90 EUR an Corner Shop');
    expect(`+${otherTexts.received[0]!.form.to}`).toBe(texts.received[index]!.form.To);
    expect(await vonageReceipt(otherTexts.received[0]!, 'failed')).toBe(204);
    await aWhile();
    expect(await sent()).toEqual(['twilio sms failed', 'vonage sms failed']);
    const { json } = await service.call(`/events?type=phone.code_sent&userId=${id}`, undefined, { method: 'GET' });
    expect(json.events.at(-1).data).toMatchObject({ confirmationId, for: 'confirmation', gateway: 'vonage' });
    expect((await check(confirmationId, { ...terms, code: textCode(otherTexts.received[0]!) })).status).toBe(200);
  });

  it('but not after the confirmation was approved, cancelled or has failed', async () => {
    const { service, id, texts, otherTexts, create, check } = await start(settings);
    const ends = {
      approved: (confirmationId: string, code: string) => check(confirmationId, { ...terms, code }),
      cancelled: (confirmationId: string) =>
        service.call(`/User/${id}/confirmations/${confirmationId}`, undefined, { method: 'DELETE' }),
      'void by other terms': (confirmationId: string, code: string) =>
        check(confirmationId, { ...terms, amount: '25', code }),
    };
    for (const end of Object.values(ends)) {
      const { confirmationId, index } = await create();
      await end(confirmationId, textCode(texts.received[index]!));
      expect(await textReceipt(texts.received[index]!, 'undelivered')).toBe(204);
    }
    await aWhile();
    expect(otherTexts.received).toHaveLength(0);
  });
});

describe('a lost text is sent again over the next channel', () => {
  const settings = { LEDGERLINE_CHANNEL_SECONDS: '30', LEDGERLINE_GATEWAYS: 'twilio,twilio-voice,whatsapp' };

  it('which is never WhatsApp for a confirmation with terms', async () => {
    const { texts, calls, whatsapp, create, check, sent } = await start(settings);
    const { confirmationId, index } = await create();
    expect(await textReceipt(texts.received[index]!, 'undelivered')).toBe(204);
    await vi.waitFor(async () => expect(await sent()).toHaveLength(2), 15_000);
    expect(await sent()).toEqual(['twilio sms failed', 'twilio-voice voice accepted']);
    expect(calls.received[0]!.form.Twiml).toContain('Corner Shop');
    expect((await check(confirmationId, { ...terms, code: spokenCode(calls.received[0]!) })).status).toBe(200);
    expect(whatsapp.received).toHaveLength(0);
  });

  it('which may be WhatsApp for a confirmation without terms, when no receipt came', async () => {
    const { texts, whatsapp, create, check, advance, sent } = await start(settings);
    expect(await textReceipt(texts.received[0]!, 'delivered')).toBe(204);
    const { confirmationId } = await create({ purpose: 'login' });
    await advance(31);
    await vi.waitFor(async () => expect(await sent()).toHaveLength(2), 15_000);
    expect((await check(confirmationId, { code: whatsappCode(whatsapp.received[0]!) })).status).toBe(200);
  });
});
