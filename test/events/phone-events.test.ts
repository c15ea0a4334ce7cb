/** The events of phone verification: each is written by the transaction that decides, once, and says no more than it may. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { serviceForTest, startService, wrongCode, type Service } from '../harness/service.ts';
import { sendTwilioReceipt, twilioAccepts, twilioSettings } from '../harness/servers/twilio.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface Told {
  type: string;
  sequence: number;
  data: Record<string, unknown>;
}

/** The user's events but user.created, oldest first. */
async function eventsOf(of: Service, userId: number): Promise<Told[]> {
  const { json } = await of.call(`/events?limit=1000&userId=${userId}`, undefined, { method: 'GET' });
  return json.events
    .map(({ type, sequence, data }: Told) => ({ type, sequence, data }))
    .filter(({ type }: Told) => type !== 'user.created');
}

/** A French number that no other test of this file has. */
let lastPhone = 33_612_000_000;
const newPhone = () => `+${(lastPhone += 1)}`;

const codeSent = {
  country: 'FR',
  correlationType: 0,
  gateway: 'inbox',
  channel: 'sms',
  outcome: 'accepted',
  codeNumber: 1,
  for: 'verification',
};

async function failTimes(id: number, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    expect((await service.verify(id, '999999')).headers.get('error-reason')).toBe('invalid-code');
  }
}

describe('sends and verifications', () => {
  it('cause an event for each code, for the link and for its end', async () => {
    const phone = newPhone();
    const id = await service.createUser();
    await service.sendCode(id, phone);
    await service.call('/User/phone-number/send-code', { id, phoneNumber: phone, correlationType: 1 });
    await service.verify(id, wrongCode(await service.lastCode(phone)));
    await service.verify(id, await service.lastCode(phone));
    await service.sendCode(id, phone);
    await service.call(`/User/${id}/phone-number`, undefined, { method: 'DELETE' });
    await service.call(`/User/${id}/phone-number`, undefined, { method: 'DELETE' });
    expect(await eventsOf(service, id)).toEqual([
      { type: 'phone.code_sent', sequence: 2, data: { userId: id, ...codeSent } },
      { type: 'phone.code_sent', sequence: 3, data: { userId: id, ...codeSent, correlationType: 1, codeNumber: 2 } },
      { type: 'phone.verified', sequence: 4, data: { userId: id, country: 'FR' } },
      { type: 'phone.unlinked', sequence: 5, data: { userId: id, country: 'FR', by: 'client' } },
    ]);
  });

  it('have null as the country if it is unknown', async () => {
    const id = await service.createUser();
    await service.sendCode(id, '+9990000001');
    await service.verify(id, await service.lastCode('+9990000001'));
    await service.call(`/User/${id}/phone-number`, undefined, { method: 'DELETE' });
    expect((await eventsOf(service, id)).map(({ data }) => data.country)).toEqual([null, null, null]);
  });

  it('cause one event for many parallel verifications, in an order without gaps', async () => {
    const phone = newPhone();
    const id = await service.createUser();
    await service.sendCode(id, phone);
    const code = await service.lastCode(phone);
    await Promise.all(Array.from({ length: 8 }, () => service.verify(id, code)));
    const events = await eventsOf(service, id);
    expect(events.map(({ type, sequence }) => `${sequence} ${type}`)).toEqual([
      '2 phone.code_sent',
      '3 phone.verified',
    ]);
  });

  it('cause no event if they are refused, or repeat an Idempotency-Key', async () => {
    const phone = newPhone();
    await service.verifiedUser(phone);
    const id = await service.createUser();
    await service.sendCode(id, phone);
    const other = newPhone();
    const once = () =>
      service.call('/User/phone-number/send-code', { id, phoneNumber: other }, { headers: { 'idempotency-key': 'k' } });
    await once();
    await once();
    expect((await eventsOf(service, id)).map(({ type }) => type)).toEqual(['phone.code_sent']);
  });
});

describe('the block of a user', () => {
  it('writes one event when the failure is final', async () => {
    const id = await service.createUser();
    await failTimes(id, 9);
    expect(await eventsOf(service, id)).toEqual([]);
    await failTimes(id, 1);
    expect((await service.verify(id, '999999')).status).toBe(429);
    const [{ until }] = (await service.call('/operator/guard/blocks', undefined, { method: 'GET' })).json.blocks.filter(
      ({ id: block }: { id: string }) => block === `user:${id}`,
    );
    expect(await eventsOf(service, id)).toEqual([
      {
        type: 'phone.verification_blocked',
        sequence: 2,
        data: { userId: id, until: expect.any(String), rule: 'user-failures' },
      },
    ]);
    const [event] = await eventsOf(service, id);
    expect(new Date(event!.data.until as string)).toEqual(new Date(until));
  });

  it('writes no event when the attempt that began it succeeds', async () => {
    const phone = newPhone();
    const id = await service.createUser();
    await failTimes(id, 9);
    await service.sendCode(id, phone);
    expect((await service.verify(id, await service.lastCode(phone))).status).toBe(200);
    expect((await eventsOf(service, id)).map(({ type }) => type)).toEqual(['phone.code_sent', 'phone.verified']);
  });

  it('is one event, even if several failures cause the block at the same time', async () => {
    const id = await service.createUser();
    const answers = await Promise.all(Array.from({ length: 25 }, () => service.verify(id, '999999')));
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(10);
    expect((await eventsOf(service, id)).map(({ type }) => type)).toEqual(['phone.verification_blocked']);
  });

  it('of an id that no user has is no event', async () => {
    const cursor = (await service.call('/events?limit=1000', undefined, { method: 'GET' })).json.next;
    await failTimes(1_999_999_999, 10);
    expect((await service.verify(1_999_999_999, '999999')).status).toBe(429);
    const { events } = (await service.call(`/events?after=${cursor}`, undefined, { method: 'GET' })).json;
    expect(events).toEqual([]);
  });

  it('is written later, if the process ended before it could write it', async () => {
    const id = await service.createUser();
    await failTimes(id, 9);
    // What a process leaves behind that is killed between the count and the event.
    await service.sql`
      update verifications set failures = failures || now(), blocked_until = now() + interval '1 hour'
      where user_id = ${id}`;
    const tell = (failedBefore: Date) =>
      service.sql`select write_missed_block_events(now(), ${failedBefore}, 1000) as written`.then(
        ([row]) => row!.written,
      );
    expect(await tell(new Date(Date.now() - 120_000))).toBe(0);
    expect(await tell(new Date(Date.now() + 1000))).toBe(1);
    expect(await tell(new Date(Date.now() + 1000))).toBe(0);
    expect((await eventsOf(service, id)).map(({ type }) => type)).toEqual(['phone.verification_blocked']);
  });
});

describe('sends through a gateway', () => {
  it('cause an event for their outcome, and for what receipts change', async () => {
    const gateway = await gatewayServer(twilioAccepts);
    const through = await serviceForTest({
      ...(await twilioSettings(gateway.url)),
      LEDGERLINE_BREAKER: '1000/5s/2m',
    });
    const phone = newPhone();
    const id = await through.createUser();
    await through.sendCode(id, phone);
    const address = gateway.received[0]!.form.StatusCallback!;
    for (const status of ['undelivered', 'delivered', 'delivered', 'undelivered']) {
      expect((await sendTwilioReceipt(address, status)).ok).toBe(true);
    }
    gateway.behave(() => ({ status: 400, body: { code: 21614 } }));
    expect((await through.sendCode(id, phone)).status).toBe(400);
    gateway.behave(() => ({ status: 503 }));
    expect((await through.sendCode(id, phone)).status).toBe(503);
    gateway.behave('die');
    expect((await through.sendCode(id, phone)).status).toBe(503);
    const sent = { ...codeSent, userId: id, gateway: 'twilio' };
    const changed = { userId: id, codeNumber: 1, gateway: 'twilio', channel: 'sms', for: 'verification' };
    expect((await eventsOf(through, id)).map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'phone.code_sent', data: sent },
      { type: 'phone.delivery_changed', data: { ...changed, state: 'failed' } },
      { type: 'phone.delivery_changed', data: { ...changed, state: 'delivered' } },
      { type: 'phone.send_failed', data: { userId: id, country: 'FR', reason: 'refused', for: 'verification' } },
      { type: 'phone.send_failed', data: { userId: id, country: 'FR', reason: 'unavailable', for: 'verification' } },
      { type: 'phone.code_sent', data: { ...sent, outcome: 'unknown', codeNumber: 4 } },
    ]);
  });
});
