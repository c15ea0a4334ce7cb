/** Subject access: GET /User/{id}/data. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tables, type TableEntry } from '../../src/privacy/personal-data.ts';
import { newPhone, row, serviceForTest, startService, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const data = (id: number, token?: string) =>
  service.call(`/User/${id}/data`, undefined, { method: 'GET', ...(token && { token }) });

it('gives the user, both phones in full, the history, the messages, the blocks and where to export', async () => {
  const phone = newPhone();
  const { id } = (await service.call('/User', { email: 'ada@example.com', additionalData: { tier: 3 } })).json;
  await service.sendCode(id, phone);
  const code = await service.lastCode(phone);
  await service.verify(id, code);
  await service.record([row(id)]);
  await service.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' });
  const answer = await data(id);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.json).toMatchObject({
    user: { id, merchantId: null, email: 'ada@example.com', additionalData: { tier: 3 } },
    phone: { verified: phone, lastSent: phone },
    verifications: [{ kind: 'verified', times: 1 }],
    messages: [{ codeNumber: 1, gateway: 'inbox', state: 'accepted' }],
    blocks: [],
    transactions: { count: 1, export: '/app/export-transactions' },
  });
  expect(answer.text).not.toContain(code);
  expect(answer.text).not.toMatch(/digest/i);
});

it('tells a block and until when it lasts', async () => {
  const id = await service.createUser();
  for (let failure = 0; failure < 10; failure += 1) await service.verify(id, '000000');
  expect((await data(id)).json.blocks).toEqual([{ rule: 'user-failures', until: expect.any(String) }]);
});

it('is audited, is refused to user-bound tokens, and is a 404 for an unknown user', async () => {
  const id = await service.createUser();
  await data(id);
  const actions = await service.sql`select action from operator_actions where user_id = ${id}`;
  expect([...actions]).toEqual([{ action: 'read-user-data' }]);
  expect((await data(id, await service.token('phone', id))).status).toBe(403);
  expect((await data(2_147_483_640)).status).toBe(404);
});

/** The texts and numbers in a JSON value. Times are written as the API writes them. */
function leavesOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'object') return Object.values(value).flatMap(leavesOf);
  const time = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(?:\+00:00|Z)$/.exec(String(value));
  return [time ? `${time[1]}.${(time[2] ?? '').padEnd(6, '0')}Z` : String(value)];
}

/** What a user leaves in every table: several phones and codes, failures, a block, refusals with an address. */
async function leaveTraces(at: Service): Promise<number> {
  const { id } = (
    await at.call('/User', { merchantId: 77_001, email: 'ada@example.com', additionalData: { tier: 'gold' } })
  ).json;
  const headers = { 'x-forwarded-for': '198.51.100.23', 'idempotency-key': 'first' };
  const send = (phoneNumber: string) => at.call('/User/phone-number/send-code', { id, phoneNumber }, { headers });
  expect((await send(newPhone())).status).toBe(204);
  for (let failure = 0; failure < 10; failure += 1) await at.verify(id, '000000');
  const phone = newPhone();
  expect((await at.sendCode(id, phone)).status).toBe(204);
  expect(
    (
      await at.call(
        '/User/phone-number/send-code',
        { id, phoneNumber: newPhone() },
        { headers: { 'x-forwarded-for': '198.51.100.23' } },
      )
    ).status,
  ).toBe(429);
  await at.record([row(id)]);
  // The decisions and the trail are written after the answers.
  await until(async () => (await at.sql`select from guard_decisions where user_id = ${id}`).length > 0);
  await until(async () => (await at.sql`select from messages where user_id = ${id}`).length === 2);
  return id;
}

it('gives the content of every column that src/privacy/personal-data.ts lists for a user, unless it says why not', async () => {
  const at = await serviceForTest({
    LEDGERLINE_RULES: '*=off,user-sends=enforce,user-phones=enforce,user-failures=enforce',
    LEDGERLINE_LIMITS: 'user-sends=2/10m',
    LEDGERLINE_TRUSTED_PROXIES: '127.0.0.1',
  });
  const id = await leaveTraces(at);
  // An earlier code stays only while a later text is in flight, and a link only of a verified phone.
  await at.sql`
    update verifications set earlier_codes = array[row((latest_code).number - 1, '+447400555001', null, null, 'unknown', 1, now(), now(), 3, null, now(), null, null)::issued_code],
      verified_phone = '+447400555002', verified_at = now() where user_id = ${id}`;
  await at.sql`insert into phone_links (phone, user_id, linked_at) values ('+447400555002', ${id}, now())`;
  const { json } = await at.call(`/User/${id}/data`, undefined, { method: 'GET' });
  const given = new Set(leavesOf(json));
  const missing: string[] = [];
  const seen = new Set<string>();
  for (const [table, { user, personal, notShown }] of Object.entries<TableEntry>(tables)) {
    if (user === undefined || typeof notShown === 'string') continue;
    for (const column of Object.keys(personal).filter((each) => each !== user && !(notShown && each in notShown))) {
      const rows = await at.sql.unsafe(
        `select to_jsonb(${column}) as value from ledgerline.${table} where ${user} = ${id}`,
      );
      const leaves = rows
        .flatMap(({ value }) => leavesOf(value))
        .filter((leaf) => !leaf.startsWith('\\x') && leaf !== '');
      if (leaves.length > 0) seen.add(`${table}.${column}`);
      // Of a code, its digest and the number of its texts in flight are not given.
      missing.push(...leaves.filter((leaf) => !given.has(leaf)).map((leaf) => `${table}.${column}: ${leaf}`));
    }
  }
  expect(missing).toEqual([]);
  for (const column of [
    'verifications.phones',
    'verifications.earlier_codes',
    'verifications.latest_code',
    'guard_decisions.source',
    'phone_links.phone',
    'verifications.failures',
  ])
    expect(seen).toContain(column);
  expect([...given]).toEqual(expect.arrayContaining(['198.51.100.23', '+447400555001', '+447400555002']));
});
