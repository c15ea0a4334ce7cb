/** The order of gateways follows what arrives and what is used, within the operator's bounds. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import type { Observation } from '../../src/monitoring/observe.ts';
import { adaptiveOrder, createGatewayOrder } from '../../src/messages/gateway-order.ts';
import { createTrailStore } from '../../src/messages/trail.store.ts';
import { decideOrder } from '../../src/messages/decide-gateway-order.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { sendTwilioReceipt, twilioAccepts, twoGatewaySettings, vonageAccepts } from '../harness/servers/twilio.ts';
import { serviceForTest } from '../harness/service.ts';

const limits = adaptiveOrder;
const numbers = (gateway: string, accepted: number, delivered: number, failed: number, verified: number) => ({
  gateway,
  accepted,
  delivered,
  failed,
  verified,
});

describe('the order', () => {
  it.each([
    ['too few messages', [numbers('a', 49, 0, 49, 0), numbers('b', 100, 100, 0, 90)], ['a', 'b'], []],
    ['nobody to compare with', [numbers('a', 100, 60, 40, 50), numbers('b', 10, 10, 0, 10)], ['a', 'b'], []],
    ['so little that anybody may be better', [numbers('a', 100, 0, 0, 29)], ['b', 'a'], ['a 29% used, less than 30%']],
    ['little, but as much as required', [numbers('a', 100, 0, 0, 30)], ['a', 'b'], []],
    ['little everywhere', [numbers('a', 100, 0, 0, 20), numbers('b', 100, 0, 0, 10)], ['a', 'b'], []],
    ['within the margin', [numbers('a', 100, 80, 20, 70), numbers('b', 100, 95, 5, 85)], ['a', 'b'], []],
    [
      'less delivered',
      [numbers('a', 100, 40, 60, 40), numbers('b', 100, 95, 5, 45)],
      ['b', 'a'],
      ['a 40% delivered, b 95%'],
    ],
    ['less used', [numbers('a', 100, 0, 0, 20), numbers('b', 100, 0, 0, 80)], ['b', 'a'], ['a 20% used, b 80%']],
    [
      'the second is worse, which changes nothing',
      [numbers('a', 100, 0, 0, 80), numbers('b', 100, 0, 0, 20)],
      ['a', 'b'],
      [],
    ],
  ])('with %s', (_what, given, order, reasons) => {
    expect(decideOrder(['a', 'b'], given, limits)).toEqual({ order, reasons });
  });
});

describe('a country', () => {
  it('has the order its receipts and verifications say, for as long as they say so', async () => {
    const service = await serviceForTest();
    const db = openDatabase({ url: service.databaseUrl, connections: 3, statementSeconds: 5 });
    onTestFinished(() => db.close());
    const clock = { ahead: 0, now: () => new Date(Date.now() + clock.ahead * 1000) };
    const seen: Observation[] = [];
    const options = {
      store: createTrailStore(db),
      clock,
      observe: (observation: Observation) => void seen.push(observation),
      gateways: ['twilio', 'vonage'],
      byCountry: new Map([['FR', ['vonage', 'twilio']]]),
      limits,
      settleSeconds: 600,
    };
    const order = createGatewayOrder(options);
    const fixed = createGatewayOrder({ ...options, limits: undefined });
    await service.sql`
      insert into messages (user_id, message_number, code_number, phone, country, correlation_type, locale, segments, gateway,
        state, requested_at, answered_at, state_at, expires_at, verified_at)
      select n, 1, 1, '+44…', country, 0, 'en', 1, gateway,
        case when gateway = 'twilio' and n % 3 > 0 then 'failed'::message_state else 'delivered' end,
        now() - interval '1 hour', now(), now(), now(), case when n % 3 = 0 then now() end
      from generate_series(1, 240) n,
        lateral (select case when n % 2 = 0 then 'twilio' else 'vonage' end as gateway,
          case when n <= 120 then 'GB' else 'DE' end as country) g
      where country = 'GB' or gateway = 'twilio'`;

    await order.refresh();
    await fixed.refresh();
    expect(order.orderFor('GB')).toEqual(['vonage', 'twilio']);
    expect(fixed.orderFor('GB')).toEqual(['twilio', 'vonage']);
    // Where nobody does better, and where nothing was sent, the configured order stands.
    expect(order.orderFor('DE')).toEqual(['twilio', 'vonage']);
    expect(order.orderFor(undefined)).toEqual(['twilio', 'vonage']);
    expect(order.orderFor('FR')).toEqual(['vonage', 'twilio']);
    expect(order.changes()).toEqual([
      {
        country: 'GB',
        order: ['vonage', 'twilio'],
        reasons: ['twilio 33% delivered, vonage 100%'],
        since: expect.any(Date),
      },
    ]);
    await order.refresh();
    expect(seen).toEqual([
      { kind: 'gateway-order', country: 'GB', order: 'vonage twilio', reason: 'twilio 33% delivered, vonage 100%' },
    ]);

    // When the window has passed, the gateway gets its next chance.
    clock.ahead = 21_600;
    await order.refresh();
    expect(order.orderFor('GB')).toEqual(['twilio', 'vonage']);
    expect(order.changes()).toEqual([]);
    expect(seen.at(-1)).toEqual({
      kind: 'gateway-order',
      country: 'GB',
      order: 'twilio vonage',
      reason: 'as configured again',
    });
  });
});

describe('a gateway that loses every text', () => {
  /** Sends a code over twilio, once more over vonage, and verifies it: `receipt` is what twilio says about its text. */
  async function orderAfterResends(receipt: 'failed' | undefined): Promise<readonly string[]> {
    const twilio = await gatewayServer(twilioAccepts);
    const vonage = await gatewayServer(vonageAccepts);
    const service = await serviceForTest(await twoGatewaySettings(twilio.url, vonage.url));
    for (let count = 0; count < limits.minMessages; count += 1) {
      const id = await service.createUser();
      await service.sendCode(id, `+4474001234${count + 10}`);
      if (receipt) await sendTwilioReceipt(twilio.received.at(-1)!.form.StatusCallback!, receipt);
      expect((await service.call(`/User/${id}/phone-number/resend-code`)).status).toBe(204);
      const [code] = /\d{6}/.exec(vonage.received.at(-1)!.form.text!)!;
      expect((await service.verify(id, code)).status).toBe(200);
    }
    const db = openDatabase({ url: service.databaseUrl, connections: 1, statementSeconds: 5 });
    onTestFinished(() => db.close());
    const order = createGatewayOrder({
      store: createTrailStore(db),
      clock: { now: () => new Date(Date.now() + 3_600_000) },
      observe: () => {},
      gateways: ['twilio', 'vonage'],
      byCountry: new Map(),
      limits,
      settleSeconds: 600,
    });
    await order.refresh();
    return order.orderFor('GB');
  }

  it('is asked last although its codes were used, because another gateway delivered them', async () => {
    expect(await orderAfterResends(undefined)).toEqual(['vonage', 'twilio']);
    expect(await orderAfterResends('failed')).toEqual(['vonage', 'twilio']);
  });
});

it('a gateway without receipts is not better than one that reports what failed', async () => {
  const service = await serviceForTest();
  const db = openDatabase({ url: service.databaseUrl, connections: 1, statementSeconds: 5 });
  onTestFinished(() => db.close());
  await service.sql`
    insert into messages (user_id, message_number, code_number, phone, country, correlation_type, locale, segments, gateway,
      state, requested_at, answered_at, state_at, expires_at, verified_at)
    select n, 1, 1, '+44…', 'GB', 0, 'en', 1, gateway,
      case when gateway = 'vonage' then 'accepted'::message_state when n % 10 < 2 then 'failed' else 'delivered' end,
      now() - interval '1 hour', now(), now(), now(), case when n % 10 > 2 then now() end
    from generate_series(1, 200) n, lateral (select case when n > 100 then 'twilio' else 'vonage' end as gateway) g`;
  const hour = 3_600_000;
  const figures = await createTrailStore(db).countOutcomes(new Date(Date.now() - 2 * hour), new Date());
  expect(figures).toContainEqual({ country: 'GB', ...numbers('twilio', 100, 80, 20, 70) });
  expect(figures).toContainEqual({ country: 'GB', ...numbers('vonage', 100, 0, 0, 70) });
  expect(decideOrder(['twilio', 'vonage'], figures, limits).reasons).toEqual([]);
});

it('the figures of one channel say nothing about the gateways of another', () => {
  const figures = (gateway: string, delivered: number) => ({
    gateway,
    accepted: 100,
    delivered,
    failed: 100 - delivered,
    verified: 50,
  });
  const given = [figures('twilio-voice', 60), figures('twilio', 95)];
  const wanted = { minMessages: 50, marginPercent: 15, floorPercent: 30 };
  const configured = ['twilio-voice', 'twilio'];
  expect(decideOrder(configured, given, wanted, () => false)).toEqual({ order: configured, reasons: [] });
  expect(decideOrder(configured, given, wanted, () => true).order).toEqual(['twilio', 'twilio-voice']);
});
