/** Dates and amounts of a statement, in the format of its locale. Digits are always Latin: the fonts have those. */
import { isolateLeftToRight, withoutMarks } from './direction.ts';

export interface Formats {
  /** A day and the time on it. */
  moment(instant: string): string;
  /** The start and the end of a period: a day, or a moment if it is not the first or the last of its day. */
  first(instant: string): string;
  last(instant: string): string;
  /** An exact decimal of any length, after its sign. */
  amount(decimal: string, currency: string, sign?: string): string;
  count(value: number): string;
}

/** Amounts have up to six decimals, and show at least two. */
const decimals = { minimumFractionDigits: 2, maximumFractionDigits: 6 };

const gregorianMonths = new Set(['gregory', 'buddhist', 'japanese', 'roc', 'iso8601']);

/** As in the wallet, the calendar is always Gregorian, like in the API, even for Persian or for Saudi Arabia. */
function withGregorianMonths(locale: string): string {
  const { calendar } = new Intl.DateTimeFormat(locale).resolvedOptions();
  return gregorianMonths.has(calendar) ? locale : new Intl.Locale(locale, { calendar: 'gregory' }).toString();
}

export function createFormats(askedLocale: string, timeZone: string): Formats {
  const locale = withGregorianMonths(askedLocale);
  const numbering = { numberingSystem: 'latn' } as const;
  const moments = new Intl.DateTimeFormat(locale, { ...numbering, timeZone, dateStyle: 'medium', timeStyle: 'short' });
  const days = new Intl.DateTimeFormat(locale, { ...numbering, timeZone, dateStyle: 'medium' });
  const numbers = new Intl.NumberFormat(locale, { ...numbering, ...decimals });
  const counts = new Intl.NumberFormat(locale, numbering);
  /** A second further, outside the period, is another day if the period has this day whole. */
  const bound = (instant: string, stepMilliseconds: number) => {
    const day = days.format(new Date(instant));
    const isWhole = days.format(Date.parse(instant) + stepMilliseconds) !== day;
    return isWhole ? day : moments.format(new Date(instant));
  };
  return {
    moment: (instant) => moments.format(new Date(instant)),
    first: (instant) => bound(instant, -1000),
    last: (instant) => bound(instant, 1000),
    // A string keeps all its digits; a number would be rounded to about 16.
    amount: (decimal, currency, sign = '') =>
      isolateLeftToRight(`${sign}${numbers.format(decimal as Intl.StringNumericLiteral)} ${currency}`),
    count: (value) => counts.format(value),
  };
}

/** An IBAN in groups of four, as people read it. */
export function groupIban(iban: string): string {
  return iban.replaceAll(/.{4}(?=.)/g, '$& ');
}

/** Sample times: every month, at night and in the afternoon. */
const sampleTimes = Array.from({ length: 24 }, (_, half) =>
  new Date(Date.UTC(2026, Math.floor(half / 2), 15, half % 2 === 0 ? 3 : 15)).toISOString(),
);

/** Whether the fonts have all characters of dates in a locale. */
export function canDrawDates(locale: string, canDraw: (text: string) => boolean): boolean {
  const { moment } = createFormats(locale, 'UTC');
  return sampleTimes.every((time) => canDraw(withoutMarks(moment(time))));
}
