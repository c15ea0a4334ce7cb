/** The rules about where codes are sent, as their callers meet them: each alone, on a sandbox that has it switched on. */
import { describe, expect, it } from 'vitest';
import { createUsers, serviceWithRule, tooMany } from '../harness/guard-rules.ts';
import { newPhone, refusal } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const unsupported = refusal(400, 'Bad Request', 'Phone number not supported.');

describe('destinations', () => {
  it('outside the allowed countries are not supported, after the checks that come first', async () => {
    const service = await serviceWithRule('country=enforce', { LEDGERLINE_COUNTRIES: 'GB,GG' });
    const [id] = await createUsers(service, 1);
    expect((await service.sendCode(id!, newPhone())).status).toBe(204);
    expect((await service.sendCode(id!, '+4915112345678')).json).toEqual(unsupported);
    expect((await service.sendCode(id!, '+999123456789')).json).toEqual(unsupported);
    expect((await service.sendCode(2_000_000_000, '+4915112345678')).status).toBe(404);
    const verified = await service.verifiedUser();
    expect((await service.sendCode(verified, '+4915112345678')).status).toBe(204);
  });

  it.each([
    ['premium rate', '+449098790000'],
    ['shared cost', '+448431234567'],
    ['toll free', '+448001234567'],
    ['personal', '+447012345678'],
    ['pager', '+447640123456'],
  ])('of the kind %s are not supported', async (_, phone) => {
    const service = await serviceWithRule('number-type=enforce');
    const [id] = await createUsers(service, 1);
    expect((await service.sendCode(id!, phone)).json).toEqual(unsupported);
    expect((await service.sendCode(id!, newPhone())).status).toBe(204);
  });

  it('where a message costs too much are not supported, and sends stop at the spending limits of the country and the day', async () => {
    const service = await serviceWithRule('spend=enforce', {
      LEDGERLINE_PRICES: '*=0.1,DE=0.3,+4477=0.9',
      LEDGERLINE_SPEND: '*=1,DE=9,day=1.7',
    });
    const [id] = await createUsers(service, 1);
    expect((await service.sendCode(id!, '+447700900123')).json).toEqual(unsupported);
    const british = [];
    for (let call = 0; call < 11; call += 1) british.push((await service.sendCode(id!, newPhone())).status);
    expect(british).toEqual([...Array<number>(10).fill(204), 429]);
    const german = [];
    for (let call = 0; call < 3; call += 1) german.push((await service.sendCode(id!, `+491511234567${call}`)).status);
    expect(german).toEqual([204, 204, 429]);
    const refused = await service.sendCode(id!, newPhone());
    expect(refused.json).toEqual(tooMany('Codes to this destination are limited at the moment. Try again later.'));
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(86_400);
    await service.advance(86_400);
    service.forgetTokens();
    expect((await service.sendCode(id!, newPhone())).status).toBe(204);
  });

  it('cost the price for each segment of a text, whatever the code is for, and once by another channel', async () => {
    const service = await serviceWithRule('spend=enforce', {
      LEDGERLINE_CHANNELS: '*=sms,voice',
      LEDGERLINE_PRICES: '*=0.1',
      LEDGERLINE_SPEND: '*=off,day=1.2',
      LEDGERLINE_CHANGE_NOTICE: 'false',
      // 71 characters of UCS-2 and more are two segments.
      LEDGERLINE_TEMPLATES: JSON.stringify({
        en: `{code} ё ${'x'.repeat(70)}`,
        'en/confirmation': `{code} ${'x'.repeat(160)}`,
      }),
    });
    const spent = async () => {
      const { json } = await service.call('/operator/performance?days=1', undefined, { method: 'GET' });
      return json.current.cost;
    };
    const id = await service.verifiedUser();
    expect(await spent()).toBe(0.2);
    const confirmation = await service.call(`/User/${id}/confirmations`, { purpose: 'payment' });
    expect(confirmation.status).toBe(201);
    const resent = `/User/${id}/confirmations/${confirmation.json.confirmationId}/resend-code`;
    expect((await service.call(resent, { channel: 'sms' })).status).toBe(204);
    expect((await service.call(`/User/${id}/phone-number/change`, { phoneNumber: newPhone() })).status).toBe(204);
    expect((await service.call(`/User/${id}/phone-number/change/resend-code`, { channel: 'sms' })).status).toBe(204);
    expect(await spent()).toBe(1);
    const newcomer = { id: await service.createUser(), phoneNumber: newPhone() };
    const send = async (more: object) =>
      (await service.call('/User/phone-number/send-code', { ...newcomer, ...more })).status;
    expect(await send({ channel: 'voice' })).toBe(204);
    expect(await spent()).toBe(1.1);
    expect([await send({}), await send({ channel: 'voice' })]).toEqual([429, 204]);
  });

  it('in one country get no more codes than the limit of the day, also by parallel calls', async () => {
    const service = await serviceWithRule('country-sends=enforce', { LEDGERLINE_COUNTRY_SENDS: '*=30,DE=0' });
    const [id] = await createUsers(service, 1);
    const answers = await Promise.all(Array.from({ length: 60 }, () => service.sendCode(id!, newPhone())));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(30);
    expect((await service.sendCode(id!, '+4915112345678')).status).toBe(429);
    expect((await service.sendCode(id!, '+33612345678')).status).toBe(204);
  });

  it('in one range get no more codes when few are verified, and more when many are; established users have a share of their own', async () => {
    const service = await serviceWithRule('prefix=enforce', {
      LEDGERLINE_RANGES: '4=10,5=100,6=100,7=100,country=100',
    });
    let number = 0;
    const phone = (range: string) => `${range}${String((number += 1)).padStart(4, '0')}`;
    const [pumped, honest] = ['+44791110', '+44791121'];
    const statuses = [];
    for (let call = 0; call < 15; call += 1) {
      statuses.push((await service.sendCode(await service.createUser(), phone(pumped))).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(204), ...Array<number>(5).fill(429)]);
    const refused = await service.sendCode(await service.createUser(), phone(pumped));
    expect(refused.json).toEqual(tooMany('Codes to this destination are limited at the moment. Try again later.'));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(60);
    const [established] = await createUsers(service, 1);
    await service.sql`update users set transaction_count = 1 where id = ${established!}`;
    expect((await service.sendCode(established!, phone(pumped))).status).toBe(204);

    for (let call = 0; call < 25; call += 1) {
      const id = await service.createUser();
      const to = phone(honest);
      expect((await service.sendCode(id, to)).status).toBe(204);
      if (call % 4 !== 0) expect((await service.verify(id, await service.lastCode(to))).status).toBe(200);
    }
    const decisions = async () =>
      (await service.call('/operator/guard/decisions?rule=prefix', undefined, { method: 'GET' })).json.decisions;
    await until(async () => (await decisions()).length === 6);
    expect((await decisions())[0].evidence).toBe(
      'range +44791110 was sent 10 codes in the last hour, normal 0; 0 % verified, normal 60 %; 10 unverified in the last day',
    );
    expect((await decisions())[0].figures).toMatchObject({
      level: 'range',
      name: '+44791110',
      sent: 10,
      unverified: 10,
      failed: 0,
      reported: 0,
    });
    // It recovers by itself. Sends that the database hears of only after the jump would count from then on.
    await until(async () => {
      const [range] = await service.sql`select unverified from guard_ranges where name = ${pumped}`;
      return range?.unverified > 10.5;
    });
    await service.advance(2 * 86_400);
    service.forgetTokens();
    expect((await service.sendCode(await service.createUser(), phone(pumped))).status).toBe(204);
  });
});
