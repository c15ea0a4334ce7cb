/** A message that did not arrive is followed by one over the next channel, without being asked for. */
import { describe, expect, it, vi } from 'vitest';
import {
  callReceipt,
  sentBy,
  spokenCode,
  startWithChannels,
  textCode,
  textReceipt,
  vonageReceipt,
  whatsappCode,
} from '../harness/channel-gateways.ts';
import { newPhone } from '../harness/service.ts';

const on = { LEDGERLINE_CHANNEL_SECONDS: '30' };
/** Long enough for the job to run some times. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 3000));

async function start(more: Record<string, string> = on) {
  const gateways = await startWithChannels(more);
  const { service, whatsapp, texts, calls, send } = gateways;
  const begin = async (channel?: string) => {
    const id = await service.createUser();
    const phone = newPhone();
    expect((await send(id, phone, channel)).status).toBe(204);
    return { id, phone };
  };
  return {
    ...gateways,
    begin,
    /** Messages that WhatsApp takes and reports, so that its silence means something. */
    async reported(messages: number) {
      for (let message = 0; message < messages; message += 1) {
        await begin();
        expect(await gateways.whatsappReceipt(whatsapp.received.at(-1)!, 'delivered')).toBe(204);
      }
    },
    counts: () => [whatsapp, texts, calls].map(({ received }) => received.length),
  };
}

describe('a message without a receipt', () => {
  it('is followed by the next channel when its time has passed: the same code, once, from no budget of the user', async () => {
    const {
      service,
      whatsapp,
      texts,
      advance,
      begin,
      reported,
      sentBy: sent,
      resend,
      counts,
    } = await start({
      ...on,
      LEDGERLINE_LIMITS: 'user-sends=2/1h',
    });
    await reported(2);
    const { id, phone } = await begin();
    await aWhile();
    expect(counts()).toEqual([3, 0, 0]);
    await advance(31);
    await vi.waitFor(() => expect(texts.received).toHaveLength(1), 15_000);
    expect(texts.received[0]!.form.To).toBe(phone);
    const code = whatsappCode(whatsapp.received[2]!);
    expect(textCode(texts.received[0]!)).toBe(code);
    await advance(120);
    await aWhile();
    expect(counts()).toEqual([3, 1, 0]);
    expect(await sent(id)).toEqual(['whatsapp whatsapp accepted', 'twilio sms accepted']);
    // One of the two sends of the user is left.
    expect((await resend(id)).status).toBe(204);
    expect((await resend(id)).status).toBe(429);
    expect((await service.verify(id, code)).status).toBe(200);
  });

  it('is left alone once its code was used: no text after success', async () => {
    const { service, whatsapp, advance, begin, reported, counts } = await start();
    await reported(2);
    const { id } = await begin();
    expect((await service.verify(id, whatsappCode(whatsapp.received[2]!))).status).toBe(200);
    await advance(31);
    await aWhile();
    expect(counts()).toEqual([3, 0, 0]);
  });

  it('is left alone once a message with its code was delivered, over whatever channel', async () => {
    const { texts, advance, begin, reported, counts, service } = await start();
    await reported(2);
    const { id } = await begin();
    await service.call(`/User/${id}/phone-number/resend-code`, { channel: 'sms' });
    expect(await textReceipt(texts.received[0]!, 'delivered')).toBe(204);
    await advance(31);
    await aWhile();
    expect(counts()).toEqual([3, 1, 0]);
  });

  it('is left alone if its gateway reports fewer than half, whatever the gateways of other channels report', async () => {
    const { texts, advance, begin, counts } = await start();
    for (let text = 0; text < 4; text += 1) {
      await begin('sms');
      expect(await textReceipt(texts.received.at(-1)!, 'delivered')).toBe(204);
    }
    await begin();
    await advance(31);
    await aWhile();
    expect(counts()).toEqual([1, 4, 0]);
  });

  it('is left alone over the last channel, and without the setting', async () => {
    const last = await start({ ...on, LEDGERLINE_CHANNELS: 'DE=whatsapp,sms,voice; *=whatsapp' });
    await last.reported(2);
    await last.begin();
    await last.advance(31);
    const off = await start({});
    await off.reported(2);
    await off.begin();
    expect(await off.whatsappReceipt(off.whatsapp.received.at(-1)!, 'failed')).toBe(204);
    await off.advance(31);
    await aWhile();
    expect([last.counts(), off.counts()]).toEqual([
      [3, 0, 0],
      [3, 0, 0],
    ]);
  });

  it('is counted in the spend of the day, and left alone when that is used up', async () => {
    const { service, advance, begin, reported, counts } = await start({
      ...on,
      LEDGERLINE_RULES: 'spend=enforce',
      LEDGERLINE_PRICES: '*=1',
      LEDGERLINE_SPEND: 'message=2,day=3',
    });
    await reported(2);
    const { id } = await begin();
    await advance(31);
    await vi.waitFor(async () => {
      const rows = await service.sql`select reason from messages where user_id = ${id} and message_number = 2`;
      expect(rows.map(({ reason }) => reason as string)).toEqual(['the spend of the day is used up']);
    }, 15_000);
    expect(counts()).toEqual([3, 0, 0]);
  });

  it('of a change goes to the new number', async () => {
    const { service, whatsapp, texts, advance, begin, reported } = await start();
    await reported(2);
    const { id } = await begin();
    await service.verify(id, whatsappCode(whatsapp.received[2]!));
    const next = newPhone();
    expect((await service.call(`/User/${id}/phone-number/change`, { phoneNumber: next })).status).toBe(204);
    await advance(31);
    await vi.waitFor(() => expect(texts.received).toHaveLength(1), 15_000);
    expect(texts.received[0]!.form.To).toBe(next);
    const code = textCode(texts.received[0]!);
    expect((await service.call(`/User/${id}/phone-number/change/verify`, { code })).status).toBe(200);
  });
});

describe('a message whose receipt says that it failed', () => {
  it('is followed by the next channel at once, and that one too is not followed', async () => {
    const { service, whatsapp, texts, begin, whatsappReceipt, counts } = await start();
    const { id } = await begin();
    expect(await whatsappReceipt(whatsapp.received[0]!, 'failed')).toBe(204);
    await vi.waitFor(async () => expect(await sentBy(service, id)).toHaveLength(2), 15_000);
    expect(await textReceipt(texts.received[0]!, 'undelivered')).toBe(204);
    await aWhile();
    expect(counts()).toEqual([1, 1, 0]);
  });

  it('has at most two followers: another gateway of its channel, and the next channel', async () => {
    const { service, texts, otherTexts, calls, begin } = await start({
      ...on,
      LEDGERLINE_RESEND_AFTER_SECONDS: '20',
      LEDGERLINE_GATEWAYS: 'twilio,vonage,twilio-voice',
      LEDGERLINE_CHANNELS: '*=sms,voice',
    });
    const { id } = await begin();
    const sent = (count: number) =>
      vi.waitFor(async () => expect(await sentBy(service, id)).toHaveLength(count), 15_000);
    await textReceipt(texts.received[0]!, 'undelivered');
    await sent(2);
    expect(await vonageReceipt(otherTexts.received[0]!, 'failed')).toBe(204);
    await sent(3);
    expect(await callReceipt(calls.received[0]!, 'busy')).toBe(204);
    await aWhile();
    expect(await sentBy(service, id)).toEqual(['twilio sms failed', 'vonage sms failed', 'twilio-voice voice failed']);
    const code = textCode(texts.received[0]!);
    expect([textCode(otherTexts.received[0]!), spokenCode(calls.received[0]!)]).toEqual([code, code]);
    expect((await service.verify(id, code)).status).toBe(200);
  });
});

it('a channel that does not answer delays no other message', async () => {
  const { texts, calls, service, whatsapp, whatsappReceipt, send } = await start({
    ...on,
    LEDGERLINE_CHANNELS: 'DE=whatsapp,voice; *=whatsapp,sms',
    LEDGERLINE_GATEWAY_SECONDS: '60',
    LEDGERLINE_SEND_SECONDS: '60',
  });
  texts.behave('hang');
  const fail = async (phone: string) => {
    const id = await service.createUser();
    expect((await send(id, phone)).status).toBe(204);
    await whatsappReceipt(whatsapp.received.at(-1)!, 'failed');
  };
  // The job finds the first one, because the process that took its receipt was killed, say.
  const first = await service.createUser();
  expect((await send(first, newPhone())).status).toBe(204);
  await service.sql`update messages set state = 'failed' where user_id = ${first}`;
  await service.call('/sandbox/clock', { advanceSeconds: 31 });
  await vi.waitFor(() => expect(texts.received).toHaveLength(1), 15_000);
  const second = await service.createUser();
  expect((await send(second, '+4915112345678')).status).toBe(204);
  await service.sql`update messages set state = 'failed' where user_id = ${second}`;
  await service.call('/sandbox/clock', { advanceSeconds: 31 });
  await vi.waitFor(() => expect(calls.received).toHaveLength(1), 20_000);
  await fail('+4915112345679');
  await vi.waitFor(() => expect(calls.received).toHaveLength(2), 20_000);
  await texts.stop();
});
