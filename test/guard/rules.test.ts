/** The rules as their callers meet them: each alone, on a sandbox that has it switched on. */
import { describe, expect, it } from 'vitest';
import { countingRuleNames, countingRuleOf } from '../../src/guard/rules.ts';
import { expectDefects } from '../harness/checked-answers.ts';
import { createUsers, serviceWithRule, tooMany } from '../harness/guard-rules.ts';
import { exchangeBytes } from '../harness/raw-socket.ts';
import { newPhone, serviceForTest, wrongCode, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

/** A call through a proxy, with a service token or one that is bound to its user. */
async function through(service: Service, address: string, id: number, phoneNumber: string, bound = false) {
  return service.call(
    '/User/phone-number/send-code',
    { id, phoneNumber },
    { headers: { 'x-forwarded-for': address }, ...(bound && { token: await service.token('phone', id) }) },
  );
}

it('a counter that blocks has one rule: blocks are stored without a rule, and named after this one', () => {
  const blocking = countingRuleNames.filter((name) =>
    ['failures', 'failed checks', 'failed users'].includes(countingRuleOf(name).counts),
  );
  expect(blocking.map((name) => [countingRuleOf(name).by, name])).toEqual([
    ['user', 'user-failures'],
    ['user', 'confirmation-failures'],
    ['address', 'address-failures'],
    ['token', 'token-failures'],
    ['phone', 'phone-failures'],
    ['code', 'one-code'],
  ]);
});

describe('sends', () => {
  it('of one user leave half of a phone’s budget to others', async () => {
    const service = await serviceWithRule('phone-sends=enforce', { LEDGERLINE_LIMITS: 'phone-sends=4/10m' });
    const phone = newPhone();
    const [greedy, owner] = await createUsers(service, 2);
    const statuses = async (id: number, count: number) => {
      const answers = [];
      for (let call = 0; call < count; call += 1) answers.push((await service.sendCode(id, phone)).status);
      return answers;
    };
    expect(await statuses(greedy!, 5)).toEqual([204, 204, 204, 204, 429]);
    expect(await statuses(owner!, 3)).toEqual([204, 204, 429]);
    const refused = await service.sendCode(greedy!, phone);
    expect(refused.json).toEqual(tooMany('Too many codes were requested for this phone number. Try again later.'));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(590);
    await service.advance(601);
    expect((await service.sendCode(greedy!, phone)).status).toBe(204);
  });

  it('of newcomers take nothing of a phone’s budget from established users', async () => {
    const service = await serviceWithRule('phone-sends=enforce,phone-users=enforce', {
      LEDGERLINE_LIMITS: 'phone-sends=5/10m,10/1d; phone-users=3/1d',
    });
    const phone = newPhone();
    const send = async (id: number) => (await service.sendCode(id, phone)).status;
    const [owner, ...others] = await createUsers(service, 4);
    const weekAgo = new Date(Date.now() - 7 * 86_400_000);
    const age = (ids: number[]) =>
      service.sql`update users set created_at = ${weekAgo} where id in ${service.sql(ids)}`;
    await age([owner!]);
    for (const id of await createUsers(service, 20)) for (let call = 0; call < 5; call += 1) await send(id);
    expect(await send(others[0]!)).toBe(429);
    for (let call = 0; call < 5; call += 1) expect(await send(owner!)).toBe(204);
    expect(await send(owner!)).toBe(429);
    // Transactions make a user established too. Established users share the budget as everybody else does.
    await service.sql`update users set transaction_count = 1 where id = ${others[0]!}`;
    expect([await send(others[0]!), await send(others[0]!), await send(others[0]!)]).toEqual([204, 204, 429]);
    await age(others.slice(1));
    await service.advance(601);
    expect([await send(others[1]!), await send(others[2]!)]).toEqual([204, 429]);
  });

  it('of one user may go to a limited number of phones, and to the same phones again', async () => {
    const service = await serviceWithRule('user-phones=enforce', { LEDGERLINE_LIMITS: 'user-phones=2/1d' });
    const [id] = await createUsers(service, 1);
    const phones = [newPhone(), newPhone(), newPhone()] as const;
    expect((await service.sendCode(id!, phones[0])).status).toBe(204);
    expect((await service.sendCode(id!, phones[1])).status).toBe(204);
    expect((await service.sendCode(id!, phones[2])).json).toEqual(
      tooMany('Codes were requested for too many phone numbers. Try again later.'),
    );
    expect((await service.sendCode(id!, phones[0])).status).toBe(204);
    expect((await service.sendCode(id!, phones[2])).status).toBe(429);
    await service.advance(86_401);
    service.forgetTokens();
    expect((await service.sendCode(id!, phones[2])).status).toBe(204);
  });

  it('to one phone may come from a limited number of users, and from the same users again', async () => {
    const service = await serviceWithRule('phone-users=enforce', { LEDGERLINE_LIMITS: 'phone-users=2/1d' });
    const phone = newPhone();
    const [a, b, c] = await createUsers(service, 3);
    for (const id of [a!, b!, a!]) expect((await service.sendCode(id, phone)).status).toBe(204);
    expect((await service.sendCode(c!, phone)).status).toBe(429);
    expect((await service.sendCode(b!, phone)).status).toBe(204);
    expect((await service.sendCode(c!, newPhone())).status).toBe(204);
  });

  it('are counted by the address a trusted proxy reports, IPv6 by its /64, and never by a forged one', async () => {
    const service = await serviceWithRule('address-sends=enforce', {
      LEDGERLINE_LIMITS: 'address-sends=2/10m',
      LEDGERLINE_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8',
    });
    const [id] = await createUsers(service, 1);
    const send = async (address: string) => (await through(service, address, id!, newPhone())).status;
    expect([await send('203.0.113.7'), await send('203.0.113.7'), await send('203.0.113.7')]).toEqual([204, 204, 429]);
    expect(await send('198.51.100.1, 203.0.113.7')).toBe(429);
    expect(await send('198.51.100.2, 203.0.113.7, 10.1.2.3')).toBe(429);
    expect(await send('203.0.113.7, 203.0.113.8')).toBe(204);
    expect([await send('2001:db8::1'), await send('2001:db8:0:0:ffff::9'), await send('2001:db8::2')]).toEqual([
      204, 204, 429,
    ]);
    expect(await send('2001:db8:0:1::1')).toBe(204);
    // The address of a back end that is listed as a proxy is not counted.
    for (let call = 0; call < 4; call += 1) expect(await send('10.1.2.3')).toBe(204);
    for (let call = 0; call < 4; call += 1) expect((await service.sendCode(id!, newPhone())).status).toBe(204);
  });

  it('behind a number of proxies are counted by address with user-bound tokens only, not for back ends', async () => {
    const service = await serviceWithRule('address-sends=enforce', {
      LEDGERLINE_LIMITS: 'address-sends=2/10m',
      LEDGERLINE_TRUSTED_PROXIES: '1',
    });
    const ids = await createUsers(service, 4);
    const statuses = [];
    for (const id of ids) statuses.push((await through(service, '1.2.3.4, 203.0.113.7', id, newPhone(), true)).status);
    expect(statuses).toEqual([204, 204, 429, 429]);
    for (const id of ids) expect((await through(service, '203.0.113.7', id, newPhone())).status).toBe(204);
  });

  it('are counted by address however many headers the caller sends before that of the proxy', async () => {
    const service = await serviceWithRule('address-sends=enforce', {
      LEDGERLINE_LIMITS: 'address-sends=1/10m',
      LEDGERLINE_TRUSTED_PROXIES: '1',
    });
    const statuses = [];
    for (const id of await createUsers(service, 2)) {
      const body = JSON.stringify({ id, phoneNumber: newPhone() });
      const head = [
        'POST /User/phone-number/send-code HTTP/1.1',
        'Host: a',
        `Authorization: Bearer ${await service.token('phone', id)}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        // Proxies that sort the headers put these before X-Forwarded-For.
        ...Array<string>(2500).fill('w:'),
        'X-Forwarded-For: 203.0.113.7',
      ];
      statuses.push((await exchangeBytes(service.url, `${head.join('\r\n')}\r\n\r\n${body}`)).slice(9, 12));
    }
    expect(statuses).toEqual(['204', '429']);
  });

  it('without a trusted proxy are not counted by what a header says', async () => {
    const service = await serviceWithRule('address-sends=enforce', { LEDGERLINE_LIMITS: 'address-sends=1/10m' });
    const [id] = await createUsers(service, 1);
    for (let call = 0; call < 3; call += 1)
      expect((await through(service, '203.0.113.7', id!, newPhone(), true)).status).toBe(204);
  });

  it('are counted by token where it is bound to a user, and never for a back end', async () => {
    const service = await serviceWithRule('token-sends=enforce', { LEDGERLINE_LIMITS: 'token-sends=2/10m' });
    const [id] = await createUsers(service, 1);
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await through(service, '', id!, newPhone(), true)).status);
    expect(statuses).toEqual([204, 204, 429]);
    for (let call = 0; call < 3; call += 1) expect((await service.sendCode(id!, newPhone())).status).toBe(204);
  });
});

describe('failures', () => {
  it('on one phone refuse the users who failed there, and no others', async () => {
    const service = await serviceWithRule('phone-failures=enforce', { LEDGERLINE_LIMITS: 'phone-failures=6/1d/1d' });
    const phone = newPhone();
    const [a, b, victim] = await createUsers(service, 3);
    for (const id of [a!, b!]) {
      await service.sendCode(id, phone);
      for (let attempt = 0; attempt < 3; attempt += 1) expect((await service.verify(id, 'nope')).status).toBe(400);
    }
    for (const id of [a!, b!]) {
      expect((await service.verify(id, 'nope')).json).toEqual(
        tooMany('Too many failed attempts for this phone number. Try again later.'),
      );
    }
    await service.sendCode(victim!, phone);
    expect((await service.verify(victim!, await service.lastCode(phone))).status).toBe(200);
    // On another phone the same user is nobody special.
    const other = newPhone();
    await service.sendCode(a!, other);
    expect((await service.verify(a!, await service.lastCode(other))).status).toBe(200);
  });

  it('from one address, or with one person’s tokens, block it and not others; a success does not count', async () => {
    const service = await serviceForTest({
      LEDGERLINE_RULES: '*=off,address-failures=enforce,token-failures=enforce',
      LEDGERLINE_LIMITS: 'address-failures=5/1h/1h; token-failures=3/1h/1h',
      LEDGERLINE_TRUSTED_PROXIES: '1',
    });
    const ids = await createUsers(service, 3);
    const verify = async (id: number, code: string, address: string) =>
      (
        await service.call(
          '/User/phone-number/verify',
          { id, code },
          { token: await service.token('phone', id), headers: { 'x-forwarded-for': address } },
        )
      ).status;
    const phone = newPhone();
    await service.sendCode(ids[0]!, phone);
    expect(await verify(ids[0]!, await service.lastCode(phone), '203.0.113.1')).toBe(200);
    const statuses = [];
    for (let attempt = 0; attempt < 4; attempt += 1) statuses.push(await verify(ids[1]!, 'nope', '203.0.113.1'));
    expect(statuses).toEqual([400, 400, 400, 429]);
    expect(await verify(ids[2]!, 'nope', '203.0.113.1')).toBe(400);
    expect(await verify(ids[2]!, 'nope', '203.0.113.1')).toBe(400);
    expect(await verify(ids[2]!, 'nope', '203.0.113.1')).toBe(429);
    expect(await verify(ids[2]!, 'nope', '203.0.113.2')).toBe(400);
    // A back end, which no user is bound to, is never held as a whole.
    for (let attempt = 0; attempt < 8; attempt += 1) expect((await service.verify(ids[0]!, 'nope')).status).toBe(400);
  });

  it('of one code on many users block that code for everybody', async () => {
    const service = await serviceWithRule('one-code=enforce', { LEDGERLINE_LIMITS: 'one-code=4/1h/1h' });
    const ids = await createUsers(service, 6);
    const statuses = [];
    for (const id of ids) statuses.push((await service.verify(id, '135790')).status);
    expect(statuses).toEqual([400, 400, 400, 400, 429, 429]);
    expect((await service.verify(ids[5]!, '135791')).status).toBe(400);
    for (let attempt = 0; attempt < 6; attempt += 1) expect((await service.verify(ids[0]!, '246802')).status).toBe(400);
    await service.advance(3601);
    expect((await service.verify(ids[5]!, '135790')).status).toBe(400);
    const stored = await service.sql`select guard_codes::text as text from guard_codes`;
    expect(stored.map(({ text }) => text).join()).not.toMatch(/135790|246802/);
  });

  it('of one code do not count a user who had it sent', async () => {
    const service = await serviceWithRule('one-code=enforce', { LEDGERLINE_LIMITS: 'one-code=2/1h/1h' });
    const phone = newPhone();
    const [owner, ...others] = await createUsers(service, 3);
    await service.sendCode(owner!, phone);
    const code = await service.lastCode(phone);
    expect((await service.verify(others[0]!, code)).status).toBe(400);
    expect((await service.verify(owner!, code)).status).toBe(200);
    expect((await service.verify(others[1]!, code)).status).toBe(400);
    expect((await service.verify(others[1]!, code)).status).toBe(429);
  });

  it('on one user do not affect the codes and verifications of other users', async () => {
    const service = await serviceForTest({ LEDGERLINE_RULES: '*=enforce', LEDGERLINE_COUNTRIES: 'GB,GG' });
    const phone = newPhone();
    const [attacker, victim] = await createUsers(service, 2);
    await service.sendCode(victim!, phone);
    const code = await service.lastCode(phone);
    await service.sendCode(attacker!, phone);
    for (let attempt = 0; attempt < 15; attempt += 1) await service.verify(attacker!, wrongCode(code));
    expect((await service.verify(attacker!, wrongCode(code))).status).toBe(429);
    expect((await service.verify(victim!, code)).status).toBe(200);
  });
});

describe('modes', () => {
  it('in shadow a rule records what it would have refused, and refuses nothing', async () => {
    const service = await serviceForTest({
      LEDGERLINE_RULES: '*=shadow',
      LEDGERLINE_LIMITS:
        'user-sends=1/10m; phone-sends=1/10m; user-phones=1/1d; phone-users=1/1d; user-failures=2/1h/1h; phone-failures=2/1h/1h; one-code=1/1h/1h',
      LEDGERLINE_COUNTRIES: 'DE',
      LEDGERLINE_REFUSED_TYPES: 'premium-rate',
      LEDGERLINE_RANGES: '4=1,5=1,6=1,7=1,country=1',
      LEDGERLINE_COUNTRY_SENDS: '*=1',
      LEDGERLINE_SPEND: '*=0.1',
    });
    const [a, b] = await createUsers(service, 2);
    const [phone, other] = ['+447911100001', '+447911100002'];
    for (const [id, to] of [
      [a!, phone],
      [a!, phone],
      [a!, other],
      [b!, phone],
      [a!, '+449098790000'],
    ] as const) {
      expect([to, (await service.sendCode(id, to)).status]).toEqual([to, 204]);
    }
    for (let attempt = 0; attempt < 4; attempt += 1) expect((await service.verify(a!, '000000')).status).toBe(400);
    let rules: { rule: string; shadow: number; refused: number }[] = [];
    const shadowed = () =>
      rules
        .filter(({ shadow }) => shadow > 0)
        .map(({ rule }) => rule)
        .sort();
    const expected = [
      'country',
      'country-sends',
      'number-type',
      'one-code',
      'phone-failures',
      'phone-sends',
      'phone-users',
      'prefix',
      'spend',
      'user-failures',
      'user-phones',
      'user-sends',
    ];
    await until(async () => {
      rules = (await service.call('/operator/guard/rules', undefined, { method: 'GET' })).json.rules;
      return shadowed().length >= expected.length;
    });
    expect(shadowed()).toEqual(expected);
    expect(rules.every(({ refused }) => refused === 0)).toBe(true);
  });

  it('when the counters cannot be read, nothing is sent', async () => {
    const service = await serviceForTest({ LEDGERLINE_RULES: '*=enforce' });
    const [id] = await createUsers(service, 1);
    const phone = newPhone();
    await service.sql`alter table guard_budgets rename to guard_budgets_away`;
    expectDefects(1);
    expect((await service.sendCode(id!, phone)).status).toBe(500);
    expect(await service.messages(phone)).toEqual([]);
    await service.sql`alter table guard_budgets_away rename to guard_budgets`;
    expect((await service.sendCode(id!, phone)).status).toBe(204);
  });
});
