/** Dates and amounts of a statement, in the form of its locale. Digits are always Latin: the fonts have those. */

export interface Formats {
  /** A day and the time on it. */
  moment(instant: string): string;
  day(instant: string): string;
  /** An exact decimal of any length. */
  amount(decimal: string, currency: string): string;
  count(value: number): string;
}

/** Amounts have up to six decimals, and show at least two. */
const decimals = { minimumFractionDigits: 2, maximumFractionDigits: 6 };

export function createFormats(locale: string, timeZone: string): Formats {
  const numbering = { numberingSystem: 'latn' } as const;
  const moments = new Intl.DateTimeFormat(locale, { ...numbering, timeZone, dateStyle: 'medium', timeStyle: 'short' });
  const days = new Intl.DateTimeFormat(locale, { ...numbering, timeZone, dateStyle: 'medium' });
  const numbers = new Intl.NumberFormat(locale, { ...numbering, ...decimals });
  const counts = new Intl.NumberFormat(locale, numbering);
  return {
    moment: (instant) => moments.format(new Date(instant)),
    day: (instant) => days.format(new Date(instant)),
    // A string keeps all its digits; a number would be rounded to about 16.
    amount: (decimal, currency) => `${numbers.format(decimal as Intl.StringNumericLiteral)} ${currency}`,
    count: (value) => counts.format(value),
  };
}
