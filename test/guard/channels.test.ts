/** Each channel has its own price, budgets and ranges. */
import { expect, it } from 'vitest';
import { startWithChannels } from '../harness/channel-gateways.ts';
import { createUsers, serviceWithRule } from '../harness/guard-rules.ts';
import { newPhone, refusal, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const channels = { LEDGERLINE_CHANNELS: '*=sms,voice,whatsapp' };
const sendOver = (service: Service, id: number, phoneNumber: string, channel: string) =>
  service.call('/User/phone-number/send-code', { id, phoneNumber, channel });

async function statuses(count: number, send: (index: number) => Promise<{ status: number }>): Promise<number[]> {
  const found = [];
  for (let index = 0; index < count; index += 1) found.push((await send(index)).status);
  return found;
}

it('a channel whose price is too high is not supported, and a price without a channel is that of all', async () => {
  const service = await serviceWithRule('spend=enforce', {
    ...channels,
    LEDGERLINE_PRICES: '*=0.1,voice:GG=0.9,DE=0.9,whatsapp:DE=0.1',
  });
  const [id] = await createUsers(service, 1);
  const answers = async (phone: string) =>
    statuses(3, (index) => sendOver(service, id!, phone, ['sms', 'voice', 'whatsapp'][index]!));
  expect(await answers(newPhone())).toEqual([204, 400, 204]);
  expect(await answers('+4915112345678')).toEqual([400, 400, 204]);
  const { json } = await sendOver(service, id!, newPhone(), 'voice');
  expect(json).toEqual(refusal(400, 'Bad Request', 'Phone number not supported.'));
});

it('money is limited over all channels, and for one channel and country if that is set', async () => {
  const service = await serviceWithRule('spend=enforce', {
    ...channels,
    LEDGERLINE_PRICES: '*=0.1,voice:*=0.3',
    LEDGERLINE_SPEND: '*=2,voice:day=0.9,voice:DE=0.3',
  });
  const [id] = await createUsers(service, 1);
  const call = (phone: string) => sendOver(service, id!, phone, 'voice');
  expect(await statuses(2, () => call('+4915112345678'))).toEqual([204, 429]);
  // 0.6 is left for calls, and then 1.4 for texts to the country.
  expect(await statuses(3, () => call(newPhone()))).toEqual([204, 204, 429]);
  expect(await statuses(15, () => sendOver(service, id!, newPhone(), 'sms'))).toEqual([
    ...Array<number>(14).fill(204),
    429,
  ]);
  const usage = await service.call('/operator/guard/usage', undefined, { method: 'GET' });
  const spend = usage.json.rules.find(({ rule }: { rule: string }) => rule === 'spend');
  const subjects = spend.limits.map(({ subject }: { subject: string }) => subject);
  expect(subjects).toEqual(expect.arrayContaining(['GG', 'voice', 'voice:DE']));
});

it('a country’s count of one channel leaves the others alone', async () => {
  const service = await serviceWithRule('country-sends=enforce', {
    ...channels,
    LEDGERLINE_COUNTRY_SENDS: '*=3,voice:*=2',
  });
  const [id] = await createUsers(service, 1);
  const send = (channel: string) => statuses(4, () => sendOver(service, id!, newPhone(), channel));
  expect(await send('voice')).toEqual([204, 204, 429, 429]);
  expect(await send('whatsapp')).toEqual([204, 204, 204, 429]);
  expect(await send('sms')).toEqual([204, 204, 204, 429]);
});

it('a range that is pumped by calls is limited for calls alone, and a code is verified for the channels that carried it', async () => {
  const service = await serviceWithRule('prefix=enforce', {
    ...channels,
    LEDGERLINE_RANGES: '4=5,5=100,6=100,7=100,country=100',
  });
  const users = await createUsers(service, 30);
  let next = 0;
  const send = (channel: string) =>
    sendOver(service, users[(next += 1)]!, `+44740011${String(next).padStart(4, '0')}`, channel);
  const calls = await statuses(12, () => send('voice'));
  expect(calls.slice(0, 5)).toEqual([204, 204, 204, 204, 204]);
  expect(calls.at(-1)).toBe(429);
  expect(await statuses(4, () => send('sms'))).toEqual([204, 204, 204, 204]);
  const listBlocks = async () =>
    (await service.call('/operator/guard/blocks', undefined, { method: 'GET' })).json.blocks as { id: string }[];
  await until(async () => (await listBlocks()).length > 0);
  const block = (await listBlocks())[0]!;
  expect(block).toMatchObject({ rule: 'prefix', id: 'prefix:voice:+44740011', subject: 'voice:+44740011…' });
  const lifted = await service.call('/operator/guard/lift', { block: block.id, reason: 'test' });
  expect(lifted.status).toBeLessThan(300);
  expect((await send('voice')).status).toBe(204);

  const [id] = await createUsers(service, 1);
  const phone = '+447400120001';
  await sendOver(service, id!, phone, 'whatsapp');
  await service.call(`/User/${id}/phone-number/resend-code`, { channel: 'voice' });
  expect((await service.verify(id!, await service.lastCode(phone))).status).toBe(200);
  const verified = async () => {
    const rows = await service.sql`
      select name from guard_ranges where name like '%+44740012' and round(normal_verified) = 1 order by name`;
    return rows.map(({ name }) => name as string);
  };
  await until(async () => (await verified()).length === 2);
  expect(await verified()).toEqual(['voice:+44740012', 'whatsapp:+44740012']);
});

it('the next channel is counted when it is needed, and skipped when its budget is used up', async () => {
  const { service, whatsapp, texts, calls, send, sentBy } = await startWithChannels({
    LEDGERLINE_RULES: 'spend=enforce,country-sends=enforce',
    LEDGERLINE_PRICES: '*=0.1,whatsapp:*=0.01',
    LEDGERLINE_COUNTRY_SENDS: '*=100,voice:*=1',
    LEDGERLINE_SPEND: '*=0.25,day=10',
  });
  whatsapp.behave(() => ({ status: 400, body: { error: { code: 131026 } } }));
  const id = await service.createUser();
  const sendNext = async () => {
    const { status, headers } = await send(id, newPhone());
    return status === 204 ? 204 : headers.get('error-reason');
  };
  // 0.11 for each of the first two; then there is no money for a text.
  expect([await sendNext(), await sendNext(), await sendNext()]).toEqual([204, 204, 'send-failed']);
  expect(texts.received).toHaveLength(2);
  expect(calls.received).toHaveLength(0);
  expect(await sentBy(id)).toEqual(['twilio sms accepted', 'twilio sms accepted', 'whatsapp whatsapp refused']);
});
