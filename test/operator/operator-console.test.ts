/** The operations behind the console's views: messages, performance, use of limits, customers, settings, audit. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LoggedMessage, MessageLog } from '../../client/index.ts';
import { newPhone, row, serviceForTest, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({
    LEDGERLINE_PRICES: 'GB=0.04,*=0.1',
    LEDGERLINE_RULES: 'number-type=enforce,country-sends=enforce,spend=enforce',
    LEDGERLINE_COUNTRY_SENDS: '*=1000',
    LEDGERLINE_SPEND: 'day=50',
  });
});
afterAll(() => service.stop());

const get = (path: string, own = service) => own.call(path, undefined, { method: 'GET' });

async function search(query: string, own = service): Promise<MessageLog> {
  const { status, json } = await get(`/operator/messages?${query}`, own);
  expect(status).toBe(200);
  return json;
}

const premiumNumber = '+449098790010';

describe('GET /operator/messages', () => {
  let verified: number;
  let waiting: number;
  let stopped: number;
  beforeAll(async () => {
    verified = await service.verifiedUser('+447400123401');
    waiting = await service.createUser();
    await service.sendCode(waiting, '+4915123420007');
    stopped = await service.createUser();
    expect((await service.sendCode(stopped, premiumNumber)).status).toBe(400);
    // Decisions are written after the answer.
    await vi.waitFor(async () => expect((await search('rule=number-type')).messages.length).toBe(1), 10_000);
  });

  const users = async (query: string) => (await search(query)).messages.map(({ userId }) => userId);

  it('holds texts and refused sends, newest first, masked and without codes', async () => {
    const { messages, next } = await search('');
    expect(messages.map(({ userId, state, outcome }) => [userId, state, outcome])).toEqual([
      [stopped, 'stopped', 'stopped'],
      [waiting, 'accepted', 'accepted'],
      [verified, 'accepted', 'verified'],
    ]);
    expect(next).toBe(null);
    const [refused, text] = messages as [LoggedMessage, LoggedMessage];
    expect(refused).toMatchObject({ rule: 'number-type', gateway: null, number: null, country: 'GB' });
    expect(text).toMatchObject({ gateway: 'inbox', number: 1, codeNumber: 1, country: 'DE', phoneNumber: '+49…07' });
    const whole = JSON.stringify(messages);
    expect(whole).not.toContain(premiumNumber.slice(1));
    expect(whole).not.toContain('4915123420007');
  });

  it.each([
    ['country=DE', () => [waiting]],
    ['country=GB', () => [stopped, verified]],
    ['gateway=inbox', () => [waiting, verified]],
    ['gateway=twilio', () => []],
    ['state=stopped', () => [stopped]],
    ['state=accepted', () => [waiting, verified]],
    ['verified=yes', () => [verified]],
    ['verified=no&state=accepted', () => [waiting]],
    ['reason=nothing', () => []],
    ['rule=prefix', () => []],
    ['to=2020-01-01', () => []],
  ])('filters by %s', async (query, expected) => {
    expect(await users(query)).toEqual(expected());
  });

  it('filters by user and number', async () => {
    expect(await users(`userId=${waiting}&number=1`)).toEqual([waiting]);
    expect(await users(`userId=${waiting}&number=2`)).toEqual([]);
    expect(await users(`userId=${stopped}`)).toEqual([stopped]);
  });

  it('is read page by page, each entry once', async () => {
    const seen: string[] = [];
    let after = '';
    for (let page = 0; page < 10; page += 1) {
      const { messages, next } = await search(`count=1${after}`);
      seen.push(...messages.map(({ id }) => id));
      if (next === null) break;
      after = `&after=${next}`;
    }
    expect(seen).toEqual((await search('')).messages.map(({ id }) => id));
  });

  it.each(['after=nonsense', 'after=1.2.99999999999_end', 'state=lost', 'count=201', 'country=Germany', 'from=then'])(
    'refuses %s',
    async (query) => {
      expect((await get(`/operator/messages?${query}`)).status).toBe(400);
    },
  );

  it('looks at a part of a large log at a time, and says where to go on', async () => {
    const own = await serviceForTest();
    const rare = await own.verifiedUser();
    await own.sql`update messages set reason = 'rare', requested_at = '2020-01-01'`;
    await own.sql`
      insert into messages (user_id, message_number, code_number, phone, country, correlation_type, locale, segments,
        gateway, state, requested_at, answered_at, state_at, expires_at)
      select ${rare}, n, n, '+44…56', 'GB', 0, 'en', 1, 'inbox', 'accepted', t, t, t, t
      from generate_series(2, 20001) n, lateral (select timestamptz '2021-01-01' + make_interval(secs => n) as t) x`;
    const first = await search('reason=rare', own);
    expect(first.messages).toEqual([]);
    expect(first.next).not.toBe(null);
    const second = await search(`reason=rare&after=${first.next}`, own);
    expect(second.messages.map(({ number }) => number)).toEqual([1]);
    expect(second.next).toBe(null);
  });
});

describe('GET /operator/performance', () => {
  it('gives cost and delivery time, beside the days before', async () => {
    const own = await serviceForTest({ LEDGERLINE_PRICES: 'GB=0.04,*=0.1' });
    const users = [await own.createUser(), await own.createUser(), await own.createUser()];
    for (const [index, id] of users.entries()) await own.sendCode(id, `+44740012340${index}`);
    const german = await own.createUser();
    await own.sendCode(german, '+4915123420007');
    for (const [index, id] of users.entries()) {
      await own.sql`
        update messages set state = 'delivered', state_at = answered_at + make_interval(secs => ${(index + 1) * 2})
        where user_id = ${id}`;
    }
    const { json } = await get('/operator/performance?days=7', own);
    expect(json.current).toEqual({ cost: 0.22, delivered: 3, medianSeconds: 4, p95Seconds: 5.8 });
    expect(json.before).toEqual({ cost: 0, delivered: 0, medianSeconds: null, p95Seconds: null });
    expect(json.gateways).toEqual([{ gateway: 'inbox', delivered: 3, medianSeconds: 4, p95Seconds: 5.8 }]);
    expect(json.countries).toEqual(
      expect.arrayContaining([
        { country: 'GB', cost: 0.12 },
        { country: 'DE', cost: 0.1 },
      ]),
    );
    await own.sql`update messages set requested_at = requested_at - interval '7 days' where user_id = ${german}`;
    const later = (await get('/operator/performance?days=7', own)).json;
    expect([later.current.cost, later.before.cost]).toEqual([0.12, 0.1]);
  });

  it('gives cost and delivery by channel, each at its own price', async () => {
    const own = await serviceForTest({
      LEDGERLINE_CHANNELS: '*=sms,voice',
      LEDGERLINE_PRICES: '*=0.1,GB=0.04,voice:*=0.3,voice:GB=0.2',
    });
    const send = async (phoneNumber: string, channel: string) => {
      const id = await own.createUser();
      await own.call('/User/phone-number/send-code', { id, phoneNumber, channel });
      return id;
    };
    await send('+447400123400', 'sms');
    const called = await send('+447400123401', 'voice');
    await send('+4915123420007', 'voice');
    await own.sql`
      update messages set state = 'delivered', state_at = answered_at + make_interval(secs => 7) where user_id = ${called}`;
    const { json } = await get('/operator/performance?days=7', own);
    expect(json.channels.toSorted((a: { cost: number }, b: { cost: number }) => a.cost - b.cost)).toEqual([
      { channel: 'sms', accepted: 1, cost: 0.04, delivered: 0, medianSeconds: null, p95Seconds: null },
      { channel: 'voice', accepted: 2, cost: 0.5, delivered: 1, medianSeconds: 7, p95Seconds: 7 },
    ]);
    expect(json.countries).toEqual(
      expect.arrayContaining([
        { country: 'GB', cost: 0.24 },
        { country: 'DE', cost: 0.3 },
      ]),
    );
    expect(json.current).toEqual({ cost: 0.54, delivered: 1, medianSeconds: 7, p95Seconds: 7 });
  });
});

describe('GET /operator/guard/usage', () => {
  it('says how near the busiest user, country and budget is to its limit', async () => {
    const id = await service.createUser();
    const phones = [newPhone(), newPhone(), newPhone()];
    for (const phone of phones) await service.sendCode(id, phone);
    await service.verify(id, '000000');
    const { json } = await get('/operator/guard/usage');
    const usage = (rule: string) => json.rules.find((each: { rule: string }) => each.rule === rule);
    expect(usage('user-sends')).toMatchObject({ counts: 'sends', limits: [{ userId: id, used: 3, limit: 100 }] });
    expect(usage('user-failures').limits[0]).toMatchObject({ used: 1, limit: 10, seconds: 3600, blockSeconds: 3600 });
    // With what this process has leased and not used yet.
    const country = usage('country-sends').limits[0];
    expect(country).toMatchObject({ limit: 1000, seconds: null });
    expect(country.used).toBeGreaterThanOrEqual(3);
    expect(country.used).toBeLessThan(10);
    expect(usage('spend').limits.map(({ subject }: { subject: string | null }) => subject)).toContain(null);
    const total = usage('spend').limits.find(({ subject }: { subject: string | null }) => subject === null);
    expect(total.limit).toBe(50);
    expect(total.used).toBeGreaterThan(0);
    expect(usage('country').limits).toEqual([]);
    for (const phone of phones) expect(JSON.stringify(json)).not.toContain(phone.slice(-6));
  });
});

describe('customers', () => {
  it('are found by e-mail in any case, and the audit masks it', async () => {
    const email = 'Ada.Lovelace@Example.com';
    const { json: created } = await service.call('/User', { email });
    const found = await service.call('/operator/find-users', { email: 'ada.lovelace@example.COM' });
    expect(found.json).toEqual({ userIds: [created.id] });
    const { json } = await get('/operator/actions?action=find-users&count=1');
    expect(json.actions[0].target).toBe('a…@….COM');
    const both = await service.call('/operator/find-users', { email, phoneNumber: newPhone() });
    expect(both.status).toBe(400);
    expect((await service.call('/operator/find-users', { email: 'nobody@example.com' })).json).toEqual({ userIds: [] });
  });

  it('have their transactions listed by page, audited, for those who may reveal', async () => {
    const id = await service.createUser();
    await service.record([1, 2, 3].map((n) => row(id, { transactionId: `operator-${n}` })));
    const path = `/operator/users/${id}/transactions`;
    const first = await service.call(path, { dataBatchCount: 2 });
    expect([first.status, first.json.transactions.length, first.json.transactionCount]).toEqual([200, 2, 3]);
    expect(first.headers.get('cache-control')).toBe('no-store');
    const asOf = first.headers.get('as-of')!;
    const second = await service.call(path, { dataBatch: 2, dataBatchCount: 2, asOf });
    expect(second.json.transactions.length).toBe(1);
    const { json } = await get(`/operator/actions?userId=${id}&action=list-transactions`);
    expect(json.actions.map(({ target }: { target: string }) => target)).toEqual([`user ${id}`, `user ${id}`]);
    const reader = await service.token('operator:read');
    expect((await service.call(path, {}, { token: reader })).status).toBe(403);
    expect((await service.call('/operator/users/2000000000/transactions', {})).status).toBe(400);
    expect((await service.call(path, { dataBatchCount: 101 })).status).toBe(400);
  });
});

it('GET /operator/settings shows what was set, and of a secret only that it is', async () => {
  const own = await serviceForTest({
    LEDGERLINE_TWILIO_TOKEN: 'not-for-operators',
    LEDGERLINE_GATEWAY_URLS: 'twilio=http://user:password@127.0.0.1:9',
    LEDGERLINE_CODE_SECONDS: '300',
  });
  const { json, text } = await get('/operator/settings', own);
  const named = (name: string) => json.settings.find((setting: { name: string }) => setting.name === name);
  expect(json.mode).toBe('sandbox');
  expect(named('LEDGERLINE_CODE_SECONDS')).toMatchObject({ value: '300', isSet: true, isSecret: false });
  expect(named('LEDGERLINE_DIGEST_KEY')).toMatchObject({ value: null, isSecret: true });
  expect(named('LEDGERLINE_RULES')).toMatchObject({ isSet: false, value: null });
  expect(text).not.toContain('not-for-operators');
  expect(text).not.toContain('password@');
  expect(text).not.toContain(own.databaseUrl);
});

describe('the audit', () => {
  it('is filtered by person, action, user and time', async () => {
    const id = await service.createUser();
    await service.call(`/operator/users/${id}/reveal-phone`, undefined, { method: 'POST' });
    const count = async (query: string) => (await get(`/operator/actions?${query}`)).json.actions.length;
    expect(await count(`userId=${id}`)).toBe(1);
    expect(await count(`userId=${id}&action=reveal-phone&subject=sandbox`)).toBe(1);
    expect(await count(`userId=${id}&action=lift`)).toBe(0);
    expect(await count(`userId=${id}&subject=somebody`)).toBe(0);
    expect(await count(`userId=${id}&to=2020-01-01`)).toBe(0);
    expect((await get('/operator/actions?action=dance')).status).toBe(400);
  });

  it('is exported as CSV that starts no formula, with the same filter', async () => {
    const reason = '=HYPERLINK("http://evil.example"), really';
    await service.call('/operator/guard/mode', { rule: 'prefix', mode: 'shadow', reason });
    const { text, headers } = await get('/operator/actions/export?action=set-mode');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head, line, ...rest] = text.split('\r\n');
    expect(head).toBe('id,at,subject,client,action,target,detail,reason,userId');
    expect(line).toMatch(
      /^\d+,\d{4}-.*,sandbox,sandbox,set-mode,prefix,shadow,"'=HYPERLINK\(""http:\/\/evil\.example""\), really",$/,
    );
    expect(rest).toEqual(['']);
  });
});
