/** What the activity screen reckons before it draws: days, sums, places. */
import { describe, expect, it } from 'vitest';
import type { TransactionPeriod } from '../../client/index.ts';
import { dayOf, firstMoment, lastMoment } from '../../web/activity/dates.ts';
import { noFilter, readAddress, writeAddress } from '../../web/activity/filter.ts';
import { dayNotAfter, dayOfRow, layOut, monthsOf, visibleDays } from '../../web/activity/layout.ts';
import { addDecimals, formatMoney } from '../../web/activity/money.ts';

describe('a day', () => {
  it.each([
    ['UTC', '2026-03-29', '2026-03-29T00:00:00.000Z', '2026-03-29T23:59:59.999999Z'],
    // 23 hours, since clocks go forward; and 25.
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999999Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999999Z'],
    // Midnight itself is left out.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z', '2018-11-05T01:59:59.999999Z'],
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00.000Z', '2026-01-01T18:14:59.999999Z'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z', '2026-01-01T09:59:59.999999Z'],
  ])('in %s, %s, begins and ends where its clocks say', (zone, day, first, last) => {
    expect([firstMoment(day, zone), lastMoment(day, zone)]).toEqual([first, last]);
    expect([first, last].map((moment) => dayOf(new Date(moment), zone))).toEqual([day, day]);
  });
});

describe('money', () => {
  it('adds exactly', () => {
    expect(addDecimals('0.1', '0.2')).toBe('0.3');
    expect(addDecimals('9007199254740993.17', '0.005')).toBe('9007199254740993.175');
    expect(addDecimals('-5', '4.99')).toBe('-0.01');
    expect(addDecimals('0', '7')).toBe('7');
  });

  it('shows every digit that counts, in the currency’s manner', () => {
    expect(formatMoney('en-GB', '1234.5', 'EUR', '−')).toBe('−€1,234.50');
    expect(formatMoney('en-GB', '0.0025', 'EUR', '+')).toBe('+€0.0025');
    expect(formatMoney('en-GB', '500', 'JPY')).toBe('JP¥500');
    expect(formatMoney('en-GB', '9007199254740993.17', 'USD')).toBe('US$9,007,199,254,740,993.17');
  });
});

const period = (from: string, count: number, currency = 'EUR'): TransactionPeriod => ({
  from,
  currency,
  count,
  moneyIn: count,
  moneyOut: 0,
  other: 0,
  moneyInText: `${count}.10`,
  moneyOutText: '0',
  otherText: '0',
});

describe('the layout', () => {
  const layout = layOut(
    [period('2026-03-05', 2), period('2026-03-05', 1, 'USD'), period('2026-03-01', 1), period('2026-01-31', 200)],
    16,
  );

  it('gives each row one place, one after another', () => {
    expect(layout.rows).toBe(204);
    expect(layout.days.map(({ day, firstRow, rows }) => [day, firstRow, rows])).toEqual([
      ['2026-03-05', 0, 3],
      ['2026-03-01', 3, 1],
      ['2026-01-31', 4, 200],
    ]);
    for (const [index, day] of layout.days.entries()) {
      expect(day.top).toBe(layout.days.slice(0, index).reduce((sum, { height }) => sum + height, 0));
    }
    expect([0, 2, 3, 4, 203].map((row) => dayOfRow(layout, row))).toEqual([0, 0, 1, 2, 2]);
  });

  it('draws what is between two places, and nothing else', () => {
    for (let from = -500; from < layout.height; from += 97) {
      const to = from + 700;
      const drawn = new Set(
        visibleDays(layout, from, to).flatMap(({ firstRow, shownFrom, shownTo }) =>
          Array.from({ length: shownTo - shownFrom }, (_, index) => firstRow + shownFrom + index),
        ),
      );
      for (let row = 0; row < layout.rows; row += 1) {
        const day = layout.days[dayOfRow(layout, row)]!;
        const top = day.top + layout.headingHeight + (row - day.firstRow) * layout.rowHeight;
        const overlaps = top < to && top + layout.rowHeight > from;
        expect([from, row, drawn.has(row)]).toEqual([from, row, overlaps]);
      }
    }
  });

  it('finds a date, or the next older one', () => {
    const at = (date: string) => layout.days[dayNotAfter(layout, date)]!.day;
    expect(at('2026-03-05')).toBe('2026-03-05');
    expect(at('2026-03-04')).toBe('2026-03-01');
    expect(at('2030-01-01')).toBe('2026-03-05');
    expect(at('2020-01-01')).toBe('2026-01-31');
  });

  it('sums up months without a gap, each currency for itself', () => {
    expect(monthsOf(layout, 'EUR', 12).map(({ month, moneyIn }) => [month, moneyIn])).toEqual([
      ['2026-01', '200.10'],
      ['2026-02', '0'],
      ['2026-03', '3.20'],
    ]);
    expect(monthsOf(layout, 'USD', 12)).toHaveLength(1);
    expect(monthsOf(layout, 'EUR', 2).map(({ month }) => month)).toEqual(['2026-02', '2026-03']);
  });
});

it('a filter goes into the address and back, and leaves the rest of it alone', () => {
  const filter = { ...noFilter, search: '50% & more', from: '2026-01-01', amountTo: '10.50' };
  const address = writeAddress(new URL('http://host/wallet?individual=7&status=Pending'), filter);
  expect(readAddress(address)).toEqual(filter);
  expect(address.searchParams.get('individual')).toBe('7');
});
