/** What the activity screen computes before it draws: days, sums, positions. */
import { describe, expect, it } from 'vitest';
import type { Transaction, TransactionPeriod } from '../../client/index.ts';
import { addMonths, dayOf, firstMoment, lastDayOf, lastMoment } from '../../web/intl/dates.ts';
import { noFilter, readAddress, writeAddress } from '../../web/elements/activity/filter.ts';
import {
  boxOf,
  dayNotAfter,
  dayOfRow,
  layOut,
  sizesOf,
  monthsUpTo,
  monthSums,
  visibleDays,
} from '../../web/elements/activity/layout.ts';
import { boxLimit, ScrollRange } from '../../web/elements/activity/scroll-range.ts';
import { isVoid, statusKindOf } from '../../web/elements/activity/status.ts';
import { addDecimals, formatMoney, isGreater, parseAmount } from '../../web/intl/money.ts';

describe('a day', () => {
  it.each([
    ['UTC', '2026-03-29', '2026-03-29T00:00:00.000Z', '2026-03-29T23:59:59.999999Z'],
    // 23 hours, since clocks go forward; and 25.
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999999Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999999Z'],
    // Midnight itself is left out.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z', '2018-11-05T01:59:59.999999Z'],
    // It comes twice.
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T04:59:59.999999Z'],
    ['Asia/Amman', '2021-10-29', '2021-10-28T21:00:00.000Z', '2021-10-29T21:59:59.999999Z'],
    ['Asia/Amman', '2021-10-28', '2021-10-27T21:00:00.000Z', '2021-10-28T20:59:59.999999Z'],
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00.000Z', '2026-01-01T18:14:59.999999Z'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z', '2026-01-01T09:59:59.999999Z'],
    // The ends of the calendar, and a year with two digits.
    ['America/New_York', '0001-01-01', '0001-01-01T00:00:00.000Z', '0001-01-02T04:56:01.999999Z'],
    ['Asia/Tokyo', '0001-01-01', '0001-01-01T00:00:00.000Z', '0001-01-01T14:41:00.999999Z'],
    ['Asia/Tokyo', '9999-12-31', '9999-12-30T15:00:00.000Z', '9999-12-31T23:59:59.999999Z'],
    ['UTC', '0099-05-01', '0099-05-01T00:00:00.000Z', '0099-05-01T23:59:59.999999Z'],
  ])('in %s, %s, begins and ends where its clocks say', (zone, day, first, last) => {
    expect([firstMoment(day, zone), lastMoment(day, zone)]).toEqual([first, last]);
    expect([first, last].map((moment) => dayOf(new Date(moment), zone))).toEqual([day, day]);
  });
});

it('months have their last day, and another month after them, in every year', () => {
  expect(['0001-01', '0099-12', '2024-02', '9999-12'].map(lastDayOf)).toEqual([
    '0001-01-31',
    '0099-12-31',
    '2024-02-29',
    '9999-12-31',
  ]);
  expect([addMonths('0001-12', 1), addMonths('0100-01', -1), addMonths('2026-11', 14)]).toEqual([
    '0002-01',
    '0099-12',
    '2028-01',
  ]);
});

describe('money', () => {
  it('adds exactly', () => {
    expect(addDecimals('0.1', '0.2')).toBe('0.3');
    expect(addDecimals('9007199254740993.17', '0.005')).toBe('9007199254740993.175');
    expect(addDecimals('-5', '4.99')).toBe('-0.01');
    expect(addDecimals('0', '7')).toBe('7');
  });

  it.each([
    ['en-GB', '1,000.50', '1000.50'],
    ['en-GB', '1,000', '1000'],
    ['en-GB', '1,50', '1.50'],
    ['en-GB', '£ 12', '12'],
    ['en-GB', '1,000,000', '1000000'],
    ['de-DE', '1.000,50', '1000.50'],
    ['de-DE', '1.000', '1000'],
    ['de-DE', '10.5', '10.5'],
    ['fr-FR', '1 000,50 €', '1000.50'],
    ['de-CH', "1'000.50", '1000.50'],
    ['ar-EG', '١٬٠٠٠٫٥٠', '1000.50'],
    // Its own decimal mark is never one that groups thousands.
    ['ar-KW', '١٫٢٣٤', '1.234'],
    ['en-GB', '١٫٢٣٤', '1.234'],
    ['ar-KW', '٠٫٢٥٠', '0.250'],
    ['ar-KW', '١٬٢٣٤', '1234'],
    ['ar-KW', '١٬٢٣٤٫٥٦٧', '1234.567'],
    ['ar-KW', '1,234٫567', '1234.567'],
    ['ar-KW', '1.234٫567', '1234.567'],
    ['ar-KW', '١٫٢٫٣', undefined],
    ['ar-KW', '1٫234.567', undefined],
    ['fa-IR', '۱۲٫۵۰۰', '12.500'],
    ['fa-IR', '۱۲۳', '123'],
    ['en-GB', '0.125', '0.125'],
    ['en-GB', '1e3', undefined],
    ['en-GB', '1,00,0', undefined],
    ['en-GB', '1.2.3', undefined],
    ['en-GB', '-5', undefined],
    ['en-GB', 'b-00012', undefined],
    ['en-GB', '', undefined],
  ])('in %s, %s is read as %s', (locale, text, amount) => {
    expect(parseAmount(text, locale)).toBe(amount);
  });

  it('compares exactly', () => {
    expect(isGreater('9007199254740993', '9007199254740992')).toBe(true);
    expect(isGreater('10.0', '10')).toBe(false);
    expect(isGreater('2', '10')).toBe(false);
  });

  it('shows every digit that counts, in the currency’s manner', () => {
    expect(formatMoney('en-GB', '1234.5', 'EUR', '−')).toBe('−€1,234.50');
    expect(formatMoney('en-GB', '0.0025', 'EUR', '+')).toBe('+€0.0025');
    expect(formatMoney('en-GB', '500', 'JPY')).toBe('JP¥500');
    expect(formatMoney('en-GB', '9007199254740993.17', 'USD')).toBe('US$9,007,199,254,740,993.17');
  });
});

it('only a status that is known as a failure looks like one, and only rows that no sum has are struck out', () => {
  const looks = ['Accepted', 'PENDING', 'Rejected', 'cancelled', 'Reversed', 'OnHold', ''].map((transactionStatus) => {
    const transaction = { transactionStatus } as Transaction;
    return [statusKindOf(transaction), isVoid(transaction)];
  });
  expect(looks).toEqual([
    ['good', false],
    ['warn', false],
    ['bad', true],
    ['bad', true],
    ['bad', false],
    ['', false],
    ['', false],
  ]);
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

const sizes = sizesOf({ remPixels: 16, layout: 'full' });

describe('the layout', () => {
  const layout = layOut(
    [period('2026-03-05', 2), period('2026-03-05', 1, 'USD'), period('2026-03-01', 1), period('2026-01-31', 200)],
    sizes,
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

  it('finds a date, or the next older one that has rows', () => {
    const at = (date: string) => layout.days[dayNotAfter(layout, date)]!.day;
    expect(at('2026-03-05')).toBe('2026-03-05');
    expect(at('2026-03-04')).toBe('2026-03-01');
    expect(at('2030-01-01')).toBe('2026-03-05');
    expect(at('2020-01-01')).toBe('2026-01-31');
  });

  it('sums up months without a gap, each currency for itself', () => {
    const euros = monthSums(layout, 'EUR');
    expect(monthsUpTo(euros, '2026-03', '2026-01', 12).map(({ month, moneyIn }) => [month, moneyIn])).toEqual([
      ['2026-01', '200.10'],
      ['2026-02', '0'],
      ['2026-03', '3.20'],
    ]);
    expect([...monthSums(layout, 'USD').keys()]).toEqual(['2026-03']);
    expect(monthsUpTo(euros, '2026-03', '2026-01', 2).map(({ month }) => month)).toEqual(['2026-02', '2026-03']);
  });

  it('keeps the box of a very long day small, with each row where it was', () => {
    const long = layOut([period('2026-03-05', 2_000_000)], sizes);
    for (const from of [0, 1_000_000, 72_000_000, long.height - 800]) {
      const [day] = visibleDays(long, from, from + 800);
      const { top, height, hiddenRows, listHeight } = boxOf(day!, long);
      expect(height).toBeLessThan(300_000);
      const firstRow = day!.shownFrom;
      expect(top + long.headingHeight + (firstRow - hiddenRows) * long.rowHeight).toBe(
        long.headingHeight + firstRow * long.rowHeight,
      );
      expect((day!.shownTo - hiddenRows) * long.rowHeight).toBeLessThanOrEqual(listHeight);
    }
  });
});

describe('a range that is taller than a browser allows', () => {
  const [listHeight, screenHeight] = [72_000_000, 800];
  const end = listHeight - screenHeight;

  it('passes short movements on pixel by pixel, and reaches both ends', () => {
    const range = new ScrollRange(listHeight, screenHeight);
    let box = range.moveTo(30_000_000);
    for (let step = 1; step <= 500; step += 1) expect(range.scrolledTo((box += 100))).toBe(30_000_000 + step * 100);
    const settled = range.settle()!;
    expect(settled).toBeLessThan(boxLimit);
    expect(range.scrolledTo(settled)).toBeCloseTo(30_050_000, 3);
    expect(range.moveTo(end)).toBe(boxLimit - screenHeight);
    expect(range.scrolledTo(boxLimit - screenHeight)).toBe(end);
    expect(range.moveTo(0)).toBe(0);
  });

  it('maps the whole scroll bar to the whole list', () => {
    const range = new ScrollRange(listHeight, screenHeight);
    expect(range.scrolledTo((boxLimit - screenHeight) / 2)).toBeCloseTo(end / 2, 3);
    expect(range.scrolledTo(boxLimit - screenHeight)).toBe(end);
    expect(range.isStuck).toBe(false);
    expect(range.scrolledTo(0)).toBe(0);
  });

  it('makes room when the box is at its end and the list is not', () => {
    const range = new ScrollRange(listHeight, screenHeight);
    let box = range.moveTo(60_000_000);
    let list = 60_000_000;
    while (!range.isStuck) {
      box = Math.min(box + 2000, boxLimit - screenHeight);
      list = range.scrolledTo(box);
    }
    expect(list).toBeLessThan(end);
    box = range.settle()!;
    expect(box).toBeLessThan(boxLimit - screenHeight - 1_000_000);
    expect([range.scrolledTo(box), range.isStuck]).toEqual([list, false]);
  });

  it('does not change lists that fit', () => {
    const range = new ScrollRange(1_000_000, screenHeight);
    expect([range.scrolledTo(900_000), range.offset, range.moveTo(500_000), range.settle()]).toEqual([
      900_000,
      0,
      500_000,
      undefined,
    ]);
  });
});

it('a filter goes into the address and back, and leaves the rest of it alone', () => {
  const filter = { ...noFilter, search: '50% & more', from: '2026-01-01', amountTo: '10.50' };
  const address = writeAddress(new URL('http://host/wallet?individual=7&activity-status=Pending'), filter, 'activity-');
  expect(readAddress(address, 'activity-')).toEqual(filter);
  expect(address.searchParams.get('individual')).toBe('7');
});
