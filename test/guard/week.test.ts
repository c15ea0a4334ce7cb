/** What is normal at each hour of the week: learned by country, and shared by all processes. */
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { openDetected } from '../../src/db/citus/citus.ts';
import { createGuardStore } from '../../src/guard/guard.store.ts';
import { readLimits } from '../../src/guard/limits.ts';
import { RangeBook } from '../../src/guard/ranges/range-book.ts';
import { hourOfWeek, hoursOfWeek, Week } from '../../src/guard/ranges/week.ts';
import { serviceForTest } from '../harness/service.ts';

const hour = 3_600_000;
const sunday = Date.UTC(2026, 0, 4);
const at = (hours: number) => new Date(sunday + hours * hour);
const priorCodes = 5;

/** Codes of three weeks, by hour of the day. */
function weekOf(codesAt: (hourOfDay: number) => number): Week {
  const week = new Week(at(0));
  for (let hours = 0; hours < 3 * hoursOfWeek; hours += 1) {
    for (let index = 0; index < codesAt(hours % 24); index += 1) week.noteVerified(at(hours));
  }
  return week;
}

const nextWeek = (hours: number) => at(3 * hoursOfWeek + hours);

describe('the rhythm of a country', () => {
  it('numbers the hours from Sunday at midnight, in UTC', () => {
    expect([at(0), at(23.9), at(24), at(167), at(168)].map(hourOfWeek)).toEqual([0, 23, 24, 167, 0]);
  });

  it('is even before anything is known', () => {
    expect(new Week(at(0)).rhythmAt(at(5.5), priorCodes)).toEqual({ hour: 1, day: expect.closeTo(1, 9) });
  });

  it('is nearly even where little is known', () => {
    const { hour: ofHour } = weekOf((hourOfDay) => (hourOfDay === 12 ? 1 : 0)).rhythmAt(nextWeek(3), priorCodes);
    expect(ofHour).toBeGreaterThan(0.95);
  });

  it('is low at night and high by day, and moves less for a whole day', () => {
    const week = weekOf((hourOfDay) => (hourOfDay >= 8 && hourOfDay < 20 ? 40 : 2));
    const night = week.rhythmAt(nextWeek(4), priorCodes);
    const evening = week.rhythmAt(nextWeek(19.9), priorCodes);
    expect(night.hour).toBeLessThan(0.3);
    expect(evening.hour).toBeGreaterThan(1.4);
    expect(night.day).toBeGreaterThan(0.7);
    expect(evening.day).toBeLessThan(1.3);
  });

  it('has a mean of one over the week', () => {
    const week = weekOf((hourOfDay) => hourOfDay);
    const rhythms = Array.from({ length: hoursOfWeek }, (_, hours) => week.rhythmAt(nextWeek(hours), priorCodes));
    for (const part of ['hour', 'day'] as const) {
      const mean = rhythms.reduce((sum, rhythm) => sum + rhythm[part], 0) / hoursOfWeek;
      expect(mean).toBeCloseTo(1, 1);
    }
  });
});

it('processes count each code and each receipt once, and have one row for each hour of the week', async () => {
  const service = await serviceForTest({});
  const { ranges: limits } = readLimits(loadConfig({ MODE: 'production', LEDGERLINE_COUNTRIES: 'GB' }));
  const db = await openDetected({ url: service.databaseUrl, connections: 4, statementSeconds: 5 });
  try {
    const store = createGuardStore(db);
    const open = () => new RangeBook(limits, 2, { exchange: store.exchangeRanges, readWeeks: store.readWeeks });
    const books = [open(), open()];
    for (let round = 0; round < 20; round += 1) {
      // In ranges of their own, but in one country.
      for (const [index, book] of books.entries()) {
        const number = { e164: `+4474001${index}${1000 + round}`, country: 'GB' };
        book.noteVerified(number, at(37));
        book.noteReceipt(number, index === 0 ? 'delivered' : 'failed', at(37));
      }
      await Promise.all(books.map((book) => book.exchange(at(37))));
    }
    const weeks = await store.readWeeks(['GB', 'DE'], at(37));
    expect([...weeks.get('GB')!]).toEqual([[37, expect.closeTo(40, 6)]]);
    expect(weeks.get('DE')!.size).toBe(0);
    const [sums] = await service.sql`select delivered, failed from guard_ranges where name = 'GB'`;
    expect(sums).toEqual({ delivered: 20, failed: 20 });
    const rows = await service.sql`select name from guard_ranges where name like 'GB %'`;
    expect(rows.map(({ name }) => name)).toEqual(['GB 37']);
  } finally {
    await db.close();
  }
});
