import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPhone, serviceForTest, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ LEDGERLINE_CHANNELS: 'BR=whatsapp,sms; DE=sms; *=sms,voice' });
});
afterAll(() => service.stop());

const unsupported = {
  status: 400,
  reason: 'invalid-request',
  title: 'One or more validation errors occurred.',
  errors: { Channel: ['Channel not supported.'] },
};
const refusedChannel = (answer: Awaited<ReturnType<Service['call']>>) => ({
  status: answer.status,
  reason: answer.headers.get('error-reason'),
  title: answer.json.title,
  errors: answer.json.errors,
});

let lastBrazilian = 0;
const brazilianPhone = () => `+551196${String((lastBrazilian += 1)).padStart(7, '1')}`;

const sendOver = (id: number, phoneNumber: string, channel?: unknown, to = service) =>
  to.call('/User/phone-number/send-code', { id, phoneNumber, ...(channel !== undefined && { channel }) });
const resend = (id: number, body?: unknown, to = service) => to.call(`/User/${id}/phone-number/resend-code`, body);
const change = (id: number, body: unknown, to = service) => to.call(`/User/${id}/phone-number/change`, body);
const channelsOf = async (phone: string, of = service) => (await of.messages(phone)).map(({ channel }) => channel);

describe('with no setting', () => {
  it('codes are sent by sms alone', async () => {
    const own = await serviceForTest();
    const id = await own.createUser();
    const phone = newPhone();
    expect((await sendOver(id, phone, undefined, own)).status).toBe(204);
    expect((await sendOver(id, phone, 'sms', own)).status).toBe(204);
    expect((await resend(id, undefined, own)).status).toBe(204);
    expect((await resend(id, { channel: 'sms' }, own)).status).toBe(204);
    for (const channel of ['voice', 'whatsapp', 'pigeon', 'SMS', '']) {
      expect(refusedChannel(await sendOver(id, phone, channel, own)), channel).toEqual(unsupported);
      expect(refusedChannel(await resend(id, { channel }, own)), channel).toEqual(unsupported);
    }
    expect(await channelsOf(phone, own)).toEqual(['sms', 'sms', 'sms', 'sms']);
  });
});

describe('by country', () => {
  it('the first channel is the default, and each one of the list can be asked for', async () => {
    const id = await service.createUser();
    const [british, brazilian] = [newPhone(), brazilianPhone()];
    await sendOver(id, british);
    await sendOver(id, british, 'voice');
    await sendOver(id, british, null);
    expect(await channelsOf(british)).toEqual(['sms', 'voice', 'sms']);
    await sendOver(id, brazilian);
    await sendOver(id, brazilian, 'sms');
    await sendOver(id, brazilian, 'whatsapp');
    expect(await channelsOf(brazilian)).toEqual(['whatsapp', 'sms', 'whatsapp']);
    expect((await service.verify(id, await service.lastCode(brazilian))).status).toBe(200);
  });

  it('a channel that the country does not have is refused, on each operation, and nothing is counted', async () => {
    const id = await service.createUser();
    const phone = brazilianPhone();
    expect(refusedChannel(await sendOver(id, phone, 'voice'))).toEqual(unsupported);
    expect(refusedChannel(await sendOver(id, '+4915112345678', 'voice'))).toEqual(unsupported);
    await sendOver(id, phone);
    expect(refusedChannel(await resend(id, { channel: 'voice' }))).toEqual(unsupported);
    expect(await channelsOf(phone)).toEqual(['whatsapp']);
    const [row] = await service.sql`select cardinality(sends) as sends from verifications where user_id = ${id}`;
    expect(row).toEqual({ sends: 1 });

    await service.verify(id, await service.lastCode(phone));
    const next = brazilianPhone();
    expect(refusedChannel(await change(id, { phoneNumber: next, channel: 'voice' }))).toEqual(unsupported);
    expect((await change(id, { phoneNumber: next, channel: 'sms' })).status).toBe(204);
    const again = (channel: string) => service.call(`/User/${id}/phone-number/change/resend-code`, { channel });
    expect(refusedChannel(await again('voice'))).toEqual(unsupported);
    expect(refusedChannel(await again('pigeon'))).toEqual(unsupported);
    expect((await again('whatsapp')).status).toBe(204);
    expect(await channelsOf(next)).toEqual(['whatsapp', 'sms']);
  });

  it('the number decides before the user is looked up; for a resend the user comes first', async () => {
    expect(refusedChannel(await sendOver(2_000_000_000, brazilianPhone(), 'voice'))).toEqual(unsupported);
    expect((await sendOver(2_000_000_000, brazilianPhone(), 'sms')).status).toBe(404);
    expect((await resend(2_000_000_000, { channel: 'voice' })).status).toBe(404);
    const fresh = await service.createUser();
    expect((await resend(fresh, { channel: 'voice' })).headers.get('error-reason')).toBe('nothing-to-resend');
    const verified = await service.verifiedUser(brazilianPhone());
    expect((await resend(verified, { channel: 'voice' })).status).toBe(204);
  });

  it('one code over all channels', async () => {
    const id = await service.createUser();
    const phone = newPhone();
    await sendOver(id, phone, 'sms');
    expect((await resend(id, { channel: 'voice' })).status).toBe(204);
    const [call, text] = await service.messages(phone);
    expect([text!.channel, call!.channel]).toEqual(['sms', 'voice']);
    expect(call!.code).toBe(text!.code);
    expect((await service.verify(id, text!.code)).status).toBe(200);
  });
});

describe('a resend without a channel', () => {
  it('goes over the next channel of the country if the same one has no other gateway', async () => {
    const id = await service.createUser();
    const phone = newPhone();
    await sendOver(id, phone);
    await resend(id);
    await resend(id);
    expect(await channelsOf(phone)).toEqual(['sms', 'voice', 'sms']);
    const german = '+4915112345679';
    await sendOver(id, german);
    await resend(id);
    expect(await channelsOf(german)).toEqual(['sms', 'sms']);
  });
});

describe('Idempotency-Key', () => {
  it('the channel is a part of the request, and a refused one is refused again', async () => {
    const id = await service.createUser();
    const phone = brazilianPhone();
    const keyed = (path: string, body: unknown, key: string) =>
      service.call(path, body, { headers: { 'idempotency-key': key } });
    const send = (channel: string) => keyed('/User/phone-number/send-code', { id, phoneNumber: phone, channel }, 'a');
    expect((await send('sms')).status).toBe(204);
    expect((await send('sms')).status).toBe(204);
    expect((await send('whatsapp')).headers.get('error-reason')).toBe('idempotency-conflict');
    const resendKeyed = (channel: string) => keyed(`/User/${id}/phone-number/resend-code`, { channel }, 'b');
    expect(refusedChannel(await resendKeyed('voice'))).toEqual(unsupported);
    expect(refusedChannel(await resendKeyed('voice'))).toEqual(unsupported);
    expect(await channelsOf(phone)).toEqual(['sms']);
  });
});

it('events, the trail and the data of the user name the channel', async () => {
  const id = await service.createUser();
  const phone = newPhone();
  await sendOver(id, phone, 'voice');
  const { json } = await service.call(`/events?type=phone.code_sent&userId=${id}`, undefined, { method: 'GET' });
  expect(json.events.map(({ data }: { data: object }) => data)).toEqual([
    expect.objectContaining({ channel: 'voice', gateway: 'inbox', outcome: 'accepted' }),
  ]);
  const trail = await service.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' });
  expect(trail.json.messages).toEqual([expect.objectContaining({ channel: 'voice' })]);
  const data = await service.call(`/User/${id}/data`, undefined, { method: 'GET' });
  expect(data.json.messages).toEqual([expect.objectContaining({ channel: 'voice' })]);
});

describe('confirmations', () => {
  const confirm = (id: number, body: object) => service.call(`/User/${id}/confirmations`, body);
  const again = (id: number, confirmationId: string, body?: unknown) =>
    service.call(`/User/${id}/confirmations/${confirmationId}/resend-code`, body);
  const payment = { purpose: 'payment', amount: '24.90', currency: 'EUR', payee: 'Corner Shop' };

  it('take a channel of the country, and WhatsApp only if the text names no terms', async () => {
    const phone = brazilianPhone();
    const id = await service.verifiedUser(phone);
    const created = await confirm(id, { purpose: 'login' });
    expect(created.status).toBe(201);
    expect((await confirm(id, { purpose: 'login', channel: 'sms' })).status).toBe(201);
    expect((await confirm(id, { purpose: 'login', channel: 'whatsapp' })).status).toBe(201);
    for (const channel of ['voice', 'pigeon']) {
      expect(refusedChannel(await confirm(id, { purpose: 'login', channel }))).toEqual(unsupported);
      expect(refusedChannel(await again(id, created.json.confirmationId, { channel }))).toEqual(unsupported);
    }
    for (const terms of [payment, { purpose: 'payment', payee: 'Corner Shop' }, { purpose: 'change-phone' }]) {
      expect(refusedChannel(await confirm(id, { ...terms, channel: 'whatsapp' }))).toEqual(unsupported);
    }
    const withTerms = await confirm(id, payment);
    expect(withTerms.status).toBe(201);
    const { confirmationId } = withTerms.json;
    expect(refusedChannel(await again(id, confirmationId, { channel: 'whatsapp' }))).toEqual(unsupported);
    expect((await again(id, confirmationId)).status).toBe(204);
    const texts = (await service.messages(phone)).filter(({ purpose }) => purpose !== 'verification');
    expect(texts.map(({ purpose, channel }) => `${purpose} ${channel}`)).toEqual([
      'payment sms',
      'payment sms',
      'login whatsapp',
      'login sms',
      'login whatsapp',
    ]);
    expect(texts[0]!.text).toContain('Corner Shop');
  });

  it('are sent again over the next channel, with the same code', async () => {
    const phone = newPhone();
    const id = await service.verifiedUser(phone);
    const { confirmationId } = (await confirm(id, payment)).json;
    expect((await again(id, confirmationId)).status).toBe(204);
    const [call, text] = await service.messages(phone);
    expect([text!.channel, call!.channel]).toEqual(['sms', 'voice']);
    expect(call!.code).toBe(text!.code);
    expect(refusedChannel(await again(id, confirmationId, { channel: 'whatsapp' }))).toEqual(unsupported);
    expect((await again(id, '00000000-0000-4000-8000-000000000000', { channel: 'whatsapp' })).status).toBe(404);
  });

  it('with terms are refused where WhatsApp is the only channel, and nothing else is', async () => {
    const own = await serviceForTest({ LEDGERLINE_CHANNELS: '*=whatsapp' });
    const id = await own.verifiedUser();
    expect(refusedChannel(await own.call(`/User/${id}/confirmations`, payment))).toEqual(unsupported);
    expect((await own.call(`/User/${id}/confirmations`, { purpose: 'login' })).status).toBe(201);
  });
});
