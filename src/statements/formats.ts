/** Dates and amounts of a statement, in the format of its locale. Digits are always Latin: the fonts have those. */
import { isolateLeftToRight, withoutMarks } from './direction.ts';

/** Amounts have up to six decimals. */
const maximumFractionDigits = 6;

/** The usual decimals of a currency: none for JPY, three for BHD. */
function decimalsOf(currency: string): number {
  if (!/^[A-Za-z]{3}$/.test(currency)) return 2;
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** Shows the usual decimals of the currency at least, and all that the amount has: 0.0025 is not 0.00. */
function createAmounts(locale: string): (decimal: string, currency: string) => string {
  const byCurrency = new Map<string, Intl.NumberFormat>();
  return (decimal, currency) => {
    let format = byCurrency.get(currency);
    if (!format) {
      const minimumFractionDigits = decimalsOf(currency);
      format = new Intl.NumberFormat(locale, { numberingSystem: 'latn', minimumFractionDigits, maximumFractionDigits });
      byCurrency.set(currency, format);
    }
    // A string keeps all its digits; a number would be rounded to about 16.
    return format.format(decimal as Intl.StringNumericLiteral);
  };
}

const gregorianMonths = new Set(['gregory', 'buddhist', 'japanese', 'roc', 'iso8601']);

/** As in the wallet, the calendar is always Gregorian, like in the API, even for Persian or for Saudi Arabia. */
function withGregorianMonths(locale: string): string {
  const { calendar } = new Intl.DateTimeFormat(locale).resolvedOptions();
  return gregorianMonths.has(calendar) ? locale : new Intl.Locale(locale, { calendar: 'gregory' }).toString();
}

export type Formats = ReturnType<typeof createFormats>;

export function createFormats(askedLocale: string, timeZone: string) {
  const locale = withGregorianMonths(askedLocale);
  const numbering = { numberingSystem: 'latn' } as const;
  const moments = new Intl.DateTimeFormat(locale, { ...numbering, timeZone, dateStyle: 'medium', timeStyle: 'short' });
  const days = new Intl.DateTimeFormat(locale, { ...numbering, timeZone, dateStyle: 'medium' });
  const months = new Intl.DateTimeFormat(locale, { ...numbering, timeZone: 'UTC', year: 'numeric', month: 'long' });
  const writeAmount = createAmounts(locale);
  const counts = new Intl.NumberFormat(locale, numbering);
  /** A second further, outside the period, is another day if the period has this day whole. */
  const bound = (instant: string, stepMilliseconds: number) => {
    const day = days.format(new Date(instant));
    const isWhole = days.format(Date.parse(instant) + stepMilliseconds) !== day;
    return isWhole ? day : moments.format(new Date(instant));
  };
  return {
    /** A day and the time on it. */
    moment: (instant: string) => moments.format(new Date(instant)),
    /** The start and the end of a period: a day, or a moment if it is not the first or the last of its day. */
    first: (instant: string) => bound(instant, -1000),
    last: (instant: string) => bound(instant, 1000),
    /** An exact decimal of any length, after its sign. Zero has none. */
    amount: (decimal: string, currency: string, sign = '') =>
      isolateLeftToRight(`${/[1-9]/.test(decimal) ? sign : ''}${writeAmount(decimal, currency)} ${currency}`),
    count: (value: number) => counts.format(value),
    /** The month of an instant, in the time zone of the document, such as `2026-11`. */
    monthOf: createMonthOf(timeZone),
    /** Its name and year. */
    month: (month: string) => months.format(new Date(`${month}-01T00:00:00Z`)),
  };
}

/** The month of an instant, such as `2026-11`. */
export function createMonthOf(timeZone: string): (instant: string) => string {
  const months = new Intl.DateTimeFormat('sv', { timeZone, year: 'numeric', month: '2-digit' });
  return (instant) => (isAtEnd(instant) ? instant.slice(0, 7) : months.format(new Date(instant)).padStart(7, '0'));
}

/** The first and the last day of the calendar: in some time zones they are in a year that it does not have. */
function isAtEnd(instant: string): boolean {
  return instant < '0001-01-02' || instant >= '9999-12-31';
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
