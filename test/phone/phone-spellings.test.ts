/** One phone has one key, also where libphonenumber knows it by two numbers: in Argentina and in Mexico. */
import fc from 'fast-check';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { canonicalSpelling, parsePhoneNumber } from '../../src/values/phone-number.ts';
import { cloneDatabase, refusal, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe('a phone number', () => {
  it.each([
    ['+5491123456789', '+5491123456789', 'AR', 'MOBILE'],
    ['+541123456789', '+5491123456789', 'AR', 'MOBILE'],
    ['+54111523456789', '+5491123456789', 'AR', 'MOBILE'],
    ['+543514123456', '+5493514123456', 'AR', 'MOBILE'],
    ['+548001234567', '+548001234567', 'AR', 'TOLL_FREE'],
    ['+546001234567', '+546001234567', 'AR', 'PREMIUM_RATE'],
    ['+525512345678', '+525512345678', 'MX', 'FIXED_LINE_OR_MOBILE'],
    ['+5215512345678', '+525512345678', 'MX', 'FIXED_LINE_OR_MOBILE'],
    ['+5218001234567', '+528001234567', 'MX', 'TOLL_FREE'],
    ['+521551234567', '+521551234567', undefined, undefined],
    ['+4407400123456', '+447400123456', 'GB', 'MOBILE'],
  ])('%s is %s', (text, e164, country, type) => {
    expect(parsePhoneNumber(text)).toEqual({ e164, country, type });
  });

  it('has the same key in the database, and its key is its own', async () => {
    const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`));
    const prefix = fc.constantFrom('+54', '+549', '+5411', '+5491', '+52', '+521', '+44');
    const number = fc.tuple(prefix, fc.integer({ min: 6, max: 12 }).chain(digits)).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(number, { minLength: 50, maxLength: 200 }), async (numbers) => {
        const rows = await service.sql`
          select canonical_phone(n) as canonical from unnest(${numbers}::text[]) with ordinality t (n, i) order by i`;
        const expected = numbers.map(canonicalSpelling);
        expect(rows.map(({ canonical }) => canonical)).toEqual(expected);
        expect(expected.map(canonicalSpelling)).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });
});

describe.each([
  ['Argentina', '+5491123450001', '+541123450001'],
  ['Argentina', '+541123450002', '+5491123450002'],
  ['Mexico', '+525512340001', '+5215512340001'],
  ['Mexico', '+5215512340002', '+525512340002'],
])('in %s %s and %s are one phone', (_country, first, second) => {
  it('which one user can have', async () => {
    const id = await service.verifiedUser(first);
    const other = await service.createUser();
    const answer = await service.sendCode(other, second);
    expect(answer.json).toEqual(refusal(400, 'Bad Request', 'Phone already registered'));
    const status = await service.call(`/User/${id}/status`, undefined, { method: 'GET' });
    expect(status.json).toMatchObject({ isPhoneNumberVerified: true, phoneNumber: parsePhoneNumber(first)!.e164 });
    expect(await service.messages(first)).toEqual(await service.messages(second));
  });
});

describe('links of an earlier release', () => {
  /** A service on a database in which these links were made before it started. */
  async function startWithLinks(...links: { userId: number; phone: string; linkedAt: string }[]) {
    const database = await cloneDatabase();
    onTestFinished(() => database.drop());
    const sql = postgres(database.url, { max: 1, connection: { search_path: 'ledgerline' } });
    for (const { userId, phone, linkedAt } of links) {
      await sql`insert into users (id, created_at) values (${userId}, ${linkedAt})`;
      await sql`insert into phone_links (phone, user_id, linked_at) values (${phone}, ${userId}, ${linkedAt})`;
      await sql`
        insert into verifications (user_id, sent_phone, verified_phone, verified_at)
        values (${userId}, ${phone}, ${phone}, ${linkedAt})`;
    }
    await sql.end();
    const started = await startService({ DATABASE_URL: database.url });
    onTestFinished(() => started.stop());
    return started;
  }

  const verifiedPhone = async (from: Service, userId: number) =>
    (await from.call(`/User/${userId}/status`, undefined, { method: 'GET' })).json.phoneNumber;

  it('move to the key of this one, and are found by either number', async () => {
    const started = await startWithLinks(
      { userId: 11, phone: '+541123456789', linkedAt: '2025-01-01T00:00:00Z' },
      { userId: 12, phone: '+5215512345678', linkedAt: '2025-01-01T00:00:00Z' },
      { userId: 13, phone: '+447911123456', linkedAt: '2025-01-01T00:00:00Z' },
    );
    expect(await verifiedPhone(started, 11)).toBe('+5491123456789');
    expect(await verifiedPhone(started, 12)).toBe('+525512345678');
    expect(await verifiedPhone(started, 13)).toBe('+447911123456');
    const other = await started.createUser();
    for (const phone of ['+541123456789', '+5491123456789', '+525512345678', '+5215512345678']) {
      expect((await started.sendCode(other, phone)).json.errors).toEqual({ Error: ['Phone already registered'] });
    }
    const rows = await started.sql`select sent_phone from verifications where user_id in (11, 12) order by user_id`;
    expect(rows.map(({ sent_phone }) => sent_phone)).toEqual(['+5491123456789', '+525512345678']);
  });

  it.each([
    ['the one without the mark', '2025-01-01T00:00:00Z', '2025-02-01T00:00:00Z', 21],
    ['the one with the mark', '2025-02-01T00:00:00Z', '2025-01-01T00:00:00Z', 22],
    ['the lower id, made at the same time', '2025-01-01T00:00:00Z', '2025-01-01T00:00:00Z', 21],
  ])('to one phone: the older wins, %s', async (_which, plainAt, markedAt, winner) => {
    const started = await startWithLinks(
      { userId: 21, phone: '+541123456789', linkedAt: plainAt },
      { userId: 22, phone: '+5491123456789', linkedAt: markedAt },
    );
    const loser = winner === 21 ? 22 : 21;
    expect(await verifiedPhone(started, winner)).toBe('+5491123456789');
    expect(await verifiedPhone(started, loser)).toBeNull();
    const links = await started.sql`select phone, user_id from phone_links`;
    expect(links.map(({ phone, user_id }) => [phone, user_id])).toEqual([['+5491123456789', winner]]);
    expect(started.logLines.join('')).toContain(`"userId":${loser},"msg":"phone-unlinked"`);
    const events = await started.call('/events?type=phone.unlinked', undefined, { method: 'GET' });
    expect(events.json.events).toMatchObject([{ data: { userId: loser, country: 'AR', by: 'operator' } }]);
    // The one who lost the link can verify another number.
    expect((await started.sendCode(loser, '+447911123457')).status).toBe(204);
  });
});
