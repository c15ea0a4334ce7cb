/**
 * Where everything stands. The totals of the days say how many rows each day has, so the whole list can be laid
 * out before a single row is read: the scroll bar is true, and any date is one jump away.
 */
import type { TransactionPeriod } from '../../client/index.ts';
import { addDecimals } from './money.ts';

export interface CurrencyTotal {
  currency: string;
  moneyIn: string;
  moneyOut: string;
}

export interface Day {
  day: string;
  totals: CurrencyTotal[];
  /** Rows before this day, and of it. */
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

const headingRem = 2.75;
const rowRem = 4.5;
const gapRem = 0.75;

/** How many rows a day has, and what they sum up to, once that is known. */
export type LaidOutPeriod =
  | Pick<TransactionPeriod, 'from' | 'count' | 'currency' | 'moneyInText' | 'moneyOutText'>
  | { from: string; count: number };

export function layOut(periods: readonly LaidOutPeriod[], remPixels: number): Layout {
  const [headingHeight, rowHeight, gap] = [headingRem, rowRem, gapRem].map((rem) => Math.round(rem * remPixels)) as [
    number,
    number,
    number,
  ];
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

/** The last day that begins at or above a place. */
export function dayAt({ days }: Layout, place: number): number {
  return lastWhere(days, ({ top }) => top <= place);
}

export function dayOfRow({ days }: Layout, row: number): number {
  return lastWhere(days, ({ firstRow }) => firstRow <= row);
}

/** The newest day that is not after a date; days run from the newest to the oldest. */
export function dayNotAfter({ days }: Layout, date: string): number {
  const newer = lastWhere(days, ({ day }) => day > date, -1);
  return Math.min(newer + 1, days.length - 1);
}

function lastWhere(days: readonly Day[], holds: (day: Day) => boolean, none = 0): number {
  let [low, high] = [0, days.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(days[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? none : low - 1;
}

export interface VisibleDay extends Day {
  /** The rows of the day that are to be drawn, counted within it. */
  shownFrom: number;
  shownTo: number;
}

/** What is to be drawn between two places. */
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

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

export interface Month extends CurrencyTotal {
  month: string;
}

/** Months without a gap, the oldest first, in one currency. */
export function monthsOf({ days }: Layout, currency: string, most: number): Month[] {
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
  const known = [...sums.keys()].sort();
  const months: Month[] = [];
  for (let month = known.at(-1); month && month >= known[0]! && months.length < most; month = monthBefore(month)) {
    months.unshift(sums.get(month) ?? { month, currency, moneyIn: '0', moneyOut: '0' });
  }
  return months;
}

function monthBefore(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return number === 1 ? `${year - 1}-12` : `${year}-${String(number - 1).padStart(2, '0')}`;
}

/** The currencies there are, the one with the most days first. */
export function currenciesOf({ days }: Layout): string[] {
  const counts = new Map<string, number>();
  for (const { totals } of days)
    for (const { currency } of totals) counts.set(currency, (counts.get(currency) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([currency]) => currency);
}
