/**
 * The position of every row. The totals of the days say how many rows each day has, so the whole list can be laid out
 * before its rows are read: the scroll bar is correct, and the viewer can jump to any date.
 */
import type { TransactionPeriod } from '../../../client/index.ts';
import { addMonths } from '../../intl/dates.ts';
import { addDecimals } from '../../intl/money.ts';

export interface CurrencyTotal {
  currency: string;
  moneyIn: string;
  moneyOut: string;
}

export interface Day {
  day: string;
  totals: CurrencyTotal[];
  /** The number of rows before this day. */
  firstRow: number;
  rows: number;
  /** In pixels from the top of the list. */
  top: number;
  height: number;
}

export interface Layout {
  days: Day[];
  rows: number;
  height: number;
  headingHeight: number;
  rowHeight: number;
}

/** In pixels. */
export interface Sizes {
  headingHeight: number;
  rowHeight: number;
  gap: number;
}

/** Everything grows with the viewer's text size. */
export function sizesOf({ remPixels, layout }: { remPixels: number; layout: 'full' | 'list' | 'compact' }): Sizes {
  const pixels = (rem: number) => Math.round(rem * remPixels);
  const isCompact = layout === 'compact';
  return {
    headingHeight: pixels(2.75),
    rowHeight: pixels(isCompact ? 3.25 : 4.5),
    gap: pixels(isCompact ? 0.25 : 0.75),
  };
}

/** The number of rows of a day, and its sums once they are known. */
export type LaidOutPeriod =
  | Pick<TransactionPeriod, 'from' | 'count' | 'currency' | 'moneyInText' | 'moneyOutText'>
  | { from: string; count: number };

export function layOut(periods: readonly LaidOutPeriod[], { headingHeight, rowHeight, gap }: Sizes): Layout {
  const days: Day[] = [];
  let rows = 0;
  let top = 0;
  for (const period of periods) {
    const { from, count } = period;
    let day = days.at(-1);
    if (day?.day !== from) {
      if (day) top = day.top + day.height;
      day = { day: from, totals: [], firstRow: rows, rows: 0, top, height: headingHeight + gap };
      days.push(day);
    }
    if ('currency' in period) {
      const { currency, moneyInText, moneyOutText } = period;
      day.totals.push({ currency, moneyIn: moneyInText, moneyOut: moneyOutText });
    }
    day.rows += count;
    day.height += count * rowHeight;
    rows += count;
  }
  const last = days.at(-1);
  return { days, rows, height: last ? last.top + last.height : 0, headingHeight, rowHeight };
}

/** The last day that begins at or above a position. */
export function dayAt({ days }: Layout, position: number): number {
  return lastWhere(days, ({ top }) => top <= position);
}

export function dayOfRow({ days }: Layout, row: number): number {
  return lastWhere(days, ({ firstRow }) => firstRow <= row);
}

/** The newest day that is not after a date; days run from the newest to the oldest. */
export function dayNotAfter({ days }: Layout, date: string): number {
  const newer = lastWhere(days, ({ day }) => day > date, -1);
  return Math.min(newer + 1, days.length - 1);
}

function lastWhere(days: readonly Day[], isTrueFor: (day: Day) => boolean, none = 0): number {
  let [low, high] = [0, days.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isTrueFor(days[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? none : low - 1;
}

export interface VisibleDay extends Day {
  /** The rows of the day that are drawn, counted within the day. */
  shownFrom: number;
  shownTo: number;
}

/** A day's box reaches no further than this beyond the drawn rows: browsers limit the height of an element. */
const boxReach = 100_000;

/** What is drawn between two positions. */
export function visibleDays(layout: Layout, from: number, to: number): VisibleDay[] {
  const visible: VisibleDay[] = [];
  const { days, headingHeight, rowHeight } = layout;
  for (let index = dayAt(layout, from); index < days.length; index += 1) {
    const day = days[index]!;
    if (day.top > to) break;
    const body = day.top + headingHeight;
    const shownFrom = clamp(Math.floor((from - body) / rowHeight), 0, day.rows);
    const shownTo = clamp(Math.ceil((to - body) / rowHeight), 0, day.rows);
    visible.push({ ...day, shownFrom, shownTo });
  }
  return visible;
}

export interface DayBox {
  top: number;
  height: number;
  /** The number of the day's rows above the first position of its list. */
  hiddenRows: number;
  listHeight: number;
}

/** The box that is drawn for a visible day: all of it, or the part around the drawn rows if the day is very long. */
export function boxOf(day: VisibleDay, { headingHeight, rowHeight }: Layout): DayBox {
  const reach = Math.ceil(boxReach / rowHeight);
  const hiddenRows = Math.max(0, day.shownFrom - reach);
  const lastRow = Math.min(day.rows, day.shownTo + reach);
  const gap = day.height - headingHeight - day.rows * rowHeight;
  const listHeight = (lastRow - hiddenRows) * rowHeight;
  return { top: day.top + hiddenRows * rowHeight, height: headingHeight + listHeight + gap, hiddenRows, listHeight };
}

function clamp(value: number, lowest: number, highest: number): number {
  return Math.min(Math.max(value, lowest), highest);
}

export interface Month extends CurrencyTotal {
  month: string;
}

/** The sums of every month that has rows in one currency. */
export function monthSums({ days }: Layout, currency: string): Map<string, Month> {
  const sums = new Map<string, Month>();
  for (const { day, totals } of days) {
    const month = day.slice(0, 7);
    for (const total of totals) {
      if (total.currency !== currency) continue;
      const sum = sums.get(month) ?? { month, currency, moneyIn: '0', moneyOut: '0' };
      sum.moneyIn = addDecimals(sum.moneyIn, total.moneyIn);
      sum.moneyOut = addDecimals(sum.moneyOut, total.moneyOut);
      sums.set(month, sum);
    }
  }
  return sums;
}

/** The sums of all days, by currency; the currency with the most days first. */
export function sumsOf(layout: Layout): CurrencyTotal[] {
  return currenciesOf(layout).map((currency) => {
    const sum = { currency, moneyIn: '0', moneyOut: '0' };
    for (const month of monthSums(layout, currency).values()) {
      sum.moneyIn = addDecimals(sum.moneyIn, month.moneyIn);
      sum.moneyOut = addDecimals(sum.moneyOut, month.moneyOut);
    }
    return sum;
  });
}

/** Months without a gap up to `last`, the oldest first. None is older than `oldest`. */
export function monthsUpTo(sums: ReadonlyMap<string, Month>, last: string, oldest: string, limit: number): Month[] {
  const months: Month[] = [];
  for (let month = last; month >= oldest && months.length < limit; month = addMonths(month, -1)) {
    months.unshift(sums.get(month) ?? { month, currency: '', moneyIn: '0', moneyOut: '0' });
  }
  return months;
}

/** All currencies of the list, the one with the most days first. */
export function currenciesOf({ days }: Layout): string[] {
  const counts = new Map<string, number>();
  for (const { totals } of days)
    for (const { currency } of totals) counts.set(currency, (counts.get(currency) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([currency]) => currency);
}
