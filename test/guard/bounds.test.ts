/** What must hold by arithmetic, and what must stay bounded. */
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { openDetected } from '../../src/db/citus/citus.ts';
import { DecisionLog } from '../../src/guard/decisions.ts';
import { readLimits } from '../../src/guard/limits.ts';
import { configuredModes } from '../../src/guard/rules.ts';
import { createGuardStore } from '../../src/guard/guard.store.ts';
import { createSweeper } from '../../src/guard/sweeper.ts';
import { serviceForTest } from '../harness/service.ts';
import { isFull, sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

const production = loadConfig({ MODE: 'production', LEDGERLINE_COUNTRIES: 'GB' });
const limits = readLimits(production);

describe('the odds of guessing one phone’s code in 24 hours', () => {
  it('are at most 0.002 %, by the limits of production', () => {
    // A user has the failures that the longest window allows; each attempt is counted before it is compared.
    const perUser = Math.max(...limits.rates['user-failures'].map(({ count }) => count));
    // The window of the users is longer than a day and a code's life, so that in 24 hours only those of one window
    // can try: so many newcomers, and as many established users.
    const { count, seconds } = limits.rates['phone-users'][0]!;
    expect(seconds).toBeGreaterThanOrEqual(86_400 + production.codeSeconds);
    const usersInReach = 2 * count;
    // Once the phone's cap is reached, a user who has not failed there yet has one attempt.
    const perPhone = limits.rates['phone-failures'][0]!.count + usersInReach - 1;
    const odds = Math.max(perUser, perPhone) / 10 ** production.codeDigits;
    expect(odds).toBeLessThanOrEqual(0.00002);
    expect(configuredModes(true, production.rules)['phone-failures']).toBe('enforce');
  });

  it.runIf(isFull)(
    'are as low in a day of guessing, with as many users and fresh codes as the rules allow',
    async () => {
      const service = await serviceForTest({
        LEDGERLINE_RULES: '*=enforce',
        LEDGERLINE_LIMITS: 'user-sends=5/10m,10/1d; phone-sends=5/10m,10/1d; user-failures=10/1h/1h,20/1d/1d',
        LEDGERLINE_TOKEN_SECONDS: '2592000',
      });
      const phone = '+447400123456';
      const users = await Promise.all(Array.from({ length: 8 }, () => service.createUser()));
      let guesses = 0;
      // Every half hour everybody asks for a code and guesses at once until refused, each time another code.
      for (let half = 0; half < 48; half += 1) {
        for (const id of users) {
          await service.sendCode(id, phone);
          for (let attempt = 0; attempt < 6; attempt += 1) {
            const live = await service.sql`
            select from verifications where user_id = ${id} and (latest_code).digest is not null and (latest_code).attempts < 5`;
            const code = String(100_000 + guesses * 7).slice(-6);
            const { status } = await service.verify(id, code);
            if (status === 400 && live.length > 0) guesses += 1;
            if (status !== 400 || live.length === 0) break;
          }
        }
        await service.advance(1800);
      }
      expect(guesses).toBeGreaterThan(0);
      expect(guesses / 1_000_000).toBeLessThanOrEqual(0.00002);
    },
    180_000,
  );
});

it('expired counters are removed by a job: the tables stay bounded over weeks', async () => {
  const service = await serviceForTest({
    LEDGERLINE_RULES: '*=enforce',
    LEDGERLINE_TRUSTED_PROXIES: '127.0.0.1',
    LEDGERLINE_TOKEN_SECONDS: '2592000',
  });
  const db = await openDetected({ url: service.databaseUrl, connections: 3, statementSeconds: 5 });
  let now = new Date();
  const sweep = createSweeper(createGuardStore(db), limits, { now: () => now });
  const tables = ['phone_sends', 'guard_sources', 'guard_codes', 'guard_ranges', 'guard_budgets'];
  const sizes = async () => {
    const counts: number[] = [];
    for (const table of [...tables, 'verifications']) {
      const [row] = await service.sql.unsafe(`select count(*)::int as count from ${table}`);
      counts.push(row!.count);
    }
    return counts;
  };
  const afterDay: number[][] = [];
  const days = sized(10, 31);
  const callsOfDay = sized(4, 10);
  for (let day = 0; day < days; day += 1) {
    for (let call = 0; call < callsOfDay; call += 1) {
      const headers = { 'x-forwarded-for': `10.0.${day}.${call}` };
      const id = await service.createUser();
      const number = `+4474${String(day).padStart(2, '0')}${String(call).padStart(2, '0')}0000`;
      const sent = await service.call('/User/phone-number/send-code', { id, phoneNumber: number }, { headers });
      expect(sent.status).toBe(204);
      const code = `${String(day).padStart(3, '0')}${String(call).padStart(3, '0')}`;
      await service.call('/User/phone-number/verify', { id, code }, { headers });
      // And guesses at ids that nobody has.
      await service.call('/User/phone-number/verify', { id: 1_000_000 + day * 100 + call, code }, { headers });
    }
    now = new Date(Date.parse((await service.advance(86_400)).json.now));
    service.forgetTokens();
    while (await sweep());
    afterDay.push(await sizes());
  }
  await db.close();
  // Two days of counters, a week of budgets; the codes and sends of real users are theirs to keep.
  for (const [phones, sources, codes, ranges, budgets] of afterDay) {
    expect(Math.max(phones!, sources!, codes!)).toBeLessThanOrEqual(2 * callsOfDay);
    // Ranges are written once a second, but a day takes less than that here. So rows of a few more days may be left.
    expect(ranges).toBeLessThanOrEqual(8 * 15);
    expect(budgets).toBeLessThanOrEqual(3 * 9);
  }
  const [unknown] = await service.sql`select count(*)::int as count from verifications where user_id >= 1000000`;
  expect(unknown!.count).toBeLessThanOrEqual(2 * callsOfDay);
  expect(afterDay.at(-1)![5]).toBeLessThanOrEqual((days + 2) * callsOfDay);
}, 120_000);

it('a flood of refusals is counted exactly', async () => {
  const service = await serviceForTest({ LEDGERLINE_LIMITS: 'user-sends=1/1d' });
  const id = await service.createUser();
  const statuses: number[] = [];
  const rounds = sized(4, 10);
  for (let round = 0; round < rounds; round += 1) {
    const answers = await Promise.all(Array.from({ length: 60 }, () => service.sendCode(id, '+447400123456')));
    statuses.push(...answers.map(({ status }) => status));
  }
  const refused = rounds * 60 - 1;
  expect(statuses.filter((status) => status === 429)).toHaveLength(refused);
  const total = await until(async () => {
    const [row] = await service.sql`select coalesce(sum(decisions), 0)::int as total from guard_totals`;
    return row!.total >= refused && row!.total;
  });
  expect(total).toBe(refused);
});

it('of the refusals between two writes 100 are kept one by one, and all are counted, also if a write fails', async () => {
  const written: { decisions: number; total: number }[] = [];
  let isAway = true;
  const log = new DecisionLog(
    async (decisions, totals) => {
      if (isAway) {
        await log.note(decision);
        throw new Error('away');
      }
      written.push({
        decisions: decisions.length,
        total: totals.reduce((sum, total) => sum + total.decisions, 0),
      });
    },
    async () => {},
  );
  const decision = {
    at: new Date('2026-03-08T12:00:00Z'),
    rule: 'user-sends',
    action: 'refused',
    operation: 'send-code',
    userId: 1,
    maskedPhone: undefined,
    phoneKey: undefined,
    country: undefined,
    source: undefined,
  } as const;
  for (let count = 0; count < 600; count += 1) await log.note(decision);
  await expect(log.flush()).rejects.toThrow('away');
  isAway = false;
  await log.flush();
  await log.note(decision);
  await log.flush();
  expect(written).toEqual([
    { decisions: 100, total: 601 },
    { decisions: 1, total: 1 },
  ]);
});
