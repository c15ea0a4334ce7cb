/** Numbers and dates of the console, in the locale of its texts. All digits on a page have one script. */
import { directionOf, withGregorianMonths } from '../activity/locale.ts';
import { t } from './texts.ts';

function formatsOf(given: string) {
  // Rule names, ids and phone numbers have Latin digits, so all numbers use them.
  const locale = new Intl.Locale(withGregorianMonths(given), { numberingSystem: 'latn' }).toString();
  return {
    locale,
    isRightToLeft: directionOf(locale) === 'rtl',
    number: new Intl.NumberFormat(locale),
    short: new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }),
    percent: new Intl.NumberFormat(locale, { style: 'percent' }),
    money: new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
    time: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }),
    clock: new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }),
    day: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
    regions: new Intl.DisplayNames(locale, { type: 'region' }),
  };
}

let formats = formatsOf('en-GB');

export function setLocale(locale: string): void {
  formats = formatsOf(locale);
}

export const currentLocale = () => formats.locale;
export const formatNumber = (value: number) => formats.number.format(value);
export const formatShort = (value: number) => formats.short.format(value);
/** Prices are in the operator's own currency, which the service does not know. */
export const formatMoney = (value: number) => formats.money.format(value);
export const formatTime = (instant: string) => formats.time.format(new Date(instant));
export const formatClock = (instant: Date) => formats.clock.format(instant);
export const formatDay = (day: string) => formats.day.format(new Date(day));

/** A phone number, or English text, between words that are written from right to left: it keeps its own direction. */
export const leftToRight = (text: string) => (formats.isRightToLeft ? `\u2066${text}\u2069` : text);

export function formatShare(part: number, whole: number): string {
  return whole === 0 ? '–' : formats.percent.format(part / whole);
}

export function countryName(code: string | null): string {
  return code === null ? t.common.unknownCountry : (formats.regions.of(code) ?? code);
}

const minuteSeconds = 60;
const hourSeconds = 3600;
const daySeconds = 86_400;

/** In the largest unit that is not too coarse. */
export function formatSpan(seconds: number): string {
  if (seconds < 10) return t.common.seconds(formatNumber(Math.round(seconds * 10) / 10));
  if (seconds < 2 * minuteSeconds) return t.common.seconds(formatNumber(Math.round(seconds)));
  if (seconds < 2 * hourSeconds) return t.common.minutes(formatNumber(Math.round(seconds / minuteSeconds)));
  if (seconds < 2 * daySeconds) return t.common.hours(formatNumber(Math.round(seconds / hourSeconds)));
  return t.common.days(formatNumber(Math.round(seconds / daySeconds)));
}
