/** Ranges of numbers under attack, in memory: what the attacker gets, and which honest users are refused. */
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { readLimits } from '../../src/guard/limits.ts';
import { RangeBook, type RangeChange, type RangeSums } from '../../src/guard/ranges/range-book.ts';
import {
  attackSends,
  createRandom,
  honestDay,
  honestPhone,
  honestSends,
  phoneOfHundredPrefixes,
  play,
  thinPhone,
} from '../../attack/range-world.js';
import {
  emptyState,
  excessFailures,
  fade,
  isGoodAddress,
  objectTo,
  rangesOf,
  recover,
  sums,
  type RangeState,
  type Rank,
} from '../../src/guard/ranges/ranges.ts';
import type { RangeLimits } from '../../src/guard/ranges/range-limits.ts';
import { isFull, sized } from '../harness/size.ts';

const { ranges: limits } = readLimits(loadConfig({ MODE: 'production', LEDGERLINE_COUNTRIES: 'GB' }));
const hour = 3_600_000;
const day = 24 * hour;
const start = Date.UTC(2026, 0, 5);

const random = createRandom();
const honest = (from: number, count: number, hours = 24, percent = 80) =>
  honestSends(random, from, count, { hours, percent });
const attack = (from: number, count: number, hours: number, percent: number, phoneOf: (index: number) => string) =>
  attackSends(random, from, count, { hours, percent, phoneOf });

const inMemory: RangeSums = { exchange: async () => new Map(), readWeeks: async () => new Map() };
const bookInMemory = (changed: Partial<RangeLimits> = {}) => new RangeBook({ ...limits, ...changed }, 1, inMemory);
const numberOf = (phone: string) => ({ e164: phone, country: 'GB' as const });

/** Two weeks of honest users. */
function knownCountry(usersOfDay: number) {
  const book = bookInMemory();
  const sends = Array.from({ length: 14 }, (_, index) => honest(start + index * day, usersOfDay)).flat();
  const { refused } = play(book, sends);
  expect(refused.honest).toBe(0);
  return { book, now: start + 14 * day, usersOfDay };
}

describe.each(sized([200], [50, 200]))('a country with %d honest users a day', (usersOfDay) => {
  it('loses at most 300 texts to thin pumping, and no honest user', () => {
    const { book, now } = knownCountry(usersOfDay);
    const { texts, refused } = play(book, [...attack(now, 10_000, 1, 0, thinPhone), ...honest(now, usersOfDay)]);
    expect(texts.attacker).toBeGreaterThan(0);
    expect(texts.attacker).toBeLessThanOrEqual(300);
    expect(refused.honest).toBe(0);
  });

  it.each([[10, 500], ...sized<[number, number][]>([], [[25, 500]]), [50, 1000]] as const)(
    'gives a pump of 5,000 sends that verifies %d percent at most %d texts',
    (percent, limit) => {
      for (const phoneOf of [thinPhone, phoneOfHundredPrefixes]) {
        const { book, now } = knownCountry(usersOfDay);
        const attempts = attack(now, 5000, 4, percent, phoneOf);
        const { texts, refused } = play(book, [...attempts, ...honest(now, usersOfDay)]);
        expect(texts.attacker).toBeGreaterThan(0);
        expect(texts.attacker).toBeLessThanOrEqual(limit);
        expect(refused.honest).toBe(0);
      }
    },
  );

  it('bounds a range also when its codes are verified', () => {
    const { book, now } = knownCountry(usersOfDay);
    const { texts } = play(book, attack(now, 5000, 24, 90, phoneOfHundredPrefixes));
    // 500 in a day, and what fades while the attack goes on.
    expect(texts.attacker).toBeGreaterThanOrEqual(500);
    expect(texts.attacker).toBeLessThanOrEqual(1000);
  });

  it('serves a flash crowd of ten times the usual hour', () => {
    const { book, now } = knownCountry(usersOfDay);
    const crowd = honest(now + 8 * hour, Math.round((usersOfDay / 24) * 10), 1, 75);
    const { refused } = play(book, [...crowd, ...honest(now, usersOfDay)]);
    expect(refused.honest).toBe(0);
  });
});

it('a slow ramp over two weeks gets at most three times the normal day', () => {
  const { book, now, usersOfDay } = knownCountry(200);
  const sends = Array.from({ length: 14 }, (_, index) => {
    const from = now + index * day;
    const count = Math.round((usersOfDay * 2 * (index + 1)) / 14);
    return [...attack(from, count, 24, 0, thinPhone), ...honest(from, usersOfDay)];
  }).flat();
  const { texts, refused } = play(book, sends);
  expect(texts.attacker).toBeGreaterThan(0);
  expect(texts.attacker).toBeLessThanOrEqual(3 * usersOfDay);
  expect(refused.honest).toBe(0);
});

it('a new installation serves its first 5,000 users, and is not pumped', () => {
  const attempts = attack(start + 6 * hour, 10_000, 1, 0, thinPhone);
  const { texts, refused } = play(bookInMemory(), [...attempts, ...honest(start, 5000, 24, 75)]);
  expect(refused.honest).toBe(0);
  expect(texts.attacker).toBeGreaterThan(0);
  expect(texts.attacker).toBeLessThanOrEqual(300);
});

it('a range that was pumped is open again for honest users a day later', () => {
  const { book, now } = knownCountry(200);
  play(
    book,
    attack(now, 10_000, 1, 0, () => honestPhone(random)),
  );
  const { refused } = play(book, honest(now + day, 200));
  expect(refused.honest).toBeLessThanOrEqual(20);
});

describe('a country whose users follow the hours of the week', () => {
  const usersOfDay = 3000;
  const evenWeek = { hourCodes: 1_000_000, hourPercent: 100_000 };
  /** A pump inside the ranges of the honest users, for an hour, after two weeks and so many hours more. */
  function pumpAt(hours: number, changed: Partial<RangeLimits> = {}) {
    const own = createRandom();
    const book = bookInMemory(changed);
    play(book, Array.from({ length: 14 }, (_, index) => honestDay(own, start + index * day, usersOfDay)).flat());
    const monday = start + 14 * day;
    const attempts = attackSends(own, monday + hours * hour, 5000, { hours: 1, phoneOf: () => honestPhone(own) });
    return play(book, [...attempts, ...honestDay(own, monday, usersOfDay)]);
  }

  it.runIf(isFull)('sends less to a pump at night than with equal hours, and refuses fewer honest users', () => {
    const learned = pumpAt(3);
    const even = pumpAt(3, evenWeek);
    expect(learned.texts.attacker).toBeLessThan(even.texts.attacker / 1.5);
    expect(learned.refused.honest).toBeLessThan(even.refused.honest / 1.5);
  });

  it('refuses no code at the peak hour of the week', () => {
    const own = createRandom();
    const book = bookInMemory();
    const days = Array.from({ length: 20 }, (_, index) => honestDay(own, start + index * day, usersOfDay / 3));
    const friday = honestDay(own, start + 18 * day, usersOfDay / 6);
    expect(play(book, [...days.flat(), ...friday]).refused.honest).toBe(0);
  });
});

it('newcomers with a proof have as much again as those without, and established users more', () => {
  const book = bookInMemory();
  const least = limits.unverified['4'];
  for (let index = 0; index < 4 * least; index += 1) {
    const phone = `+44740011${String(index).padStart(4, '0')}`;
    const { objection, isOpenToProven, isOpenToEstablished } = book.judge(numberOf(phone), new Date(start));
    expect(objection === undefined).toBe(index < least);
    expect(isOpenToProven).toBe(index < 2 * least);
    expect(isOpenToEstablished).toBe(index < 3 * least);
  }
});

describe('processes', () => {
  /** A database in memory: adds the changes as `exchange_ranges` does. */
  function sharedSums(): RangeSums {
    const stored = new Map<string, RangeState>();
    const exchange = async (changes: RangeChange[], now: Date) => {
      for (const change of changes) {
        const state = stored.get(change.name) ?? emptyState(now.getTime());
        fade(state, now.getTime());
        for (const sum of sums) state[sum] = Math.max(0, state[sum] + change[sum]);
        stored.set(change.name, state);
      }
      return new Map(changes.map(({ name }) => [name, { ...stored.get(name)! }]));
    };
    return { exchange, readWeeks: inMemory.readWeeks };
  }

  it('share what a range may have', async () => {
    const shared = sharedSums();
    const books = [new RangeBook(limits, 2, shared), new RangeBook(limits, 2, shared)];
    let sent = 0;
    for (let index = 0; index < 200; index += 1) {
      const phone = `+44740011${String(index).padStart(4, '0')}`;
      const verdict = books[index % 2]!.judge(numberOf(phone), new Date(start));
      if (verdict.objection) verdict.giveBack();
      else sent += 1;
      if (index % 10 === 0) for (const book of books) await book.exchange(new Date(start));
    }
    // What one process has not yet told the other comes on top.
    expect(sent).toBeLessThanOrEqual(limits.unverified['4'] + 5);
    expect(sent).toBeGreaterThanOrEqual(limits.unverified['4'] - 2);
  });

  it('keep what they could not write', async () => {
    const { exchange, readWeeks } = sharedSums();
    let isReachable = false;
    const book = new RangeBook(limits, 1, {
      readWeeks,
      async exchange(changes, now) {
        if (!isReachable) throw new Error('not reachable');
        return exchange(changes, now);
      },
    });
    const judge = () => book.judge(numberOf('+447400110000'), new Date(start));
    judge();
    await expect(book.exchange(new Date(start))).rejects.toThrow('not reachable');
    judge();
    isReachable = true;
    await book.exchange(new Date(start));
    const [sum] = await exchange([{ ...emptyState(start), name: '+44740011', refusal: undefined }], new Date(start));
    expect(sum![1].hourSends).toBe(2);
  });
});

it('an hour that is verified as usual takes a halving back, and one that is not does not', () => {
  const halved = (hourSends: number, hourVerified: number) => ({
    ...emptyState(start),
    ...{ hourSends, hourVerified, shrinks: 2 },
  });
  const recovering = halved(10, 7);
  expect(recover(recovering, 0.8, limits)).toBe(true);
  expect(recovering.shrinks).toBe(1);
  expect(recover(halved(10, 4), 0.8, limits)).toBe(false);
  expect(recover(halved(2, 2), 0.8, limits)).toBe(false);
  expect(recover({ ...recovering, shrinks: 0 }, 0.8, limits)).toBe(false);
});

it('failed texts count where the rest of the country has fewer, and not where a gateway fails everywhere', () => {
  const receipts = (delivered: number, failed: number) => ({ ...emptyState(start), delivered, failed });
  expect(excessFailures(receipts(9, 11), receipts(109, 11), limits)).toBeCloseTo(10, 9);
  expect(excessFailures(receipts(9, 1), receipts(109, 1), limits)).toBe(0);
  expect(excessFailures(receipts(10, 10), receipts(60, 60), limits)).toBe(0);
  // Nothing to compare it with.
  expect(excessFailures(receipts(0, 20), receipts(5, 20), limits)).toBe(0);
  expect(excessFailures(receipts(100, 50), receipts(100, 50), limits)).toBe(0);
});

it('an address is trusted by the number and share of its verified codes', () => {
  expect(isGoodAddress({ sends: 8, verified: 5 }, limits)).toBe(true);
  expect(isGoodAddress({ sends: 9, verified: 5 }, limits)).toBe(false);
  expect(isGoodAddress({ sends: 4, verified: 4 }, limits)).toBe(false);
  // Where sends are not counted nothing is known.
  expect(isGoodAddress({ sends: 0, verified: 50 }, limits)).toBe(false);
});

it('likely senders have a quarter more than newcomers, and are halved one step later', () => {
  const ask = (rank: Rank, unverified: number, shrinks: number) =>
    objectTo({
      range: { name: '+44740011', level: '4' },
      state: { ...emptyState(start), hourSends: 4, unverified, shrinks },
      country: emptyState(start),
      ...{ rhythm: { hour: 1, day: 1 }, limits, rank, unseen: 0, countsUnverified: true },
    }) === undefined;
  const least = limits.unverified['4'];
  expect([ask('newcomer', least - 1, 0), ask('newcomer', least, 0)]).toEqual([true, false]);
  expect([ask('likely', 1.25 * least - 1, 1), ask('likely', 1.25 * least, 1)]).toEqual([true, false]);
  expect([ask('newcomer', least / 2, 1), ask('likely', (1.25 / 2) * least, 2)]).toEqual([false, false]);
  expect(ask('proven', 2 * least - 1, 3)).toBe(true);
});

it('a range leaves 4 to 7 of the last digits open, or is a country', () => {
  expect(rangesOf({ e164: '+447400123456', country: 'GB' }).map(({ name }) => name)).toEqual([
    '+44740012',
    '+4474001',
    '+447400',
    '+44740',
    'GB',
  ]);
  expect(rangesOf({ e164: '+2901234', country: undefined }).map(({ name }) => name)).toEqual(['+290', 'unknown']);
});
