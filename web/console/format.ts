/** Numbers and dates of the console. */
import { t } from './texts.ts';

/** The console is in English, with dates that cannot be misread. */
export const consoleLocale = 'en-GB';

const formats = {
  number: new Intl.NumberFormat(consoleLocale),
  short: new Intl.NumberFormat(consoleLocale, { notation: 'compact', maximumFractionDigits: 1 }),
  percent: new Intl.NumberFormat(consoleLocale, { style: 'percent' }),
  money: new Intl.NumberFormat(consoleLocale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
  time: new Intl.DateTimeFormat(consoleLocale, { dateStyle: 'medium', timeStyle: 'medium' }),
  date: new Intl.DateTimeFormat(consoleLocale, { dateStyle: 'medium' }),
  clock: new Intl.DateTimeFormat(consoleLocale, { timeStyle: 'medium' }),
  day: new Intl.DateTimeFormat(consoleLocale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  regions: new Intl.DisplayNames(consoleLocale, { type: 'region' }),
};

export const formatNumber = (value: number) => formats.number.format(value);
export const formatShort = (value: number) => formats.short.format(value);
/** Prices are in the operator's own currency, which the service does not know. */
export const formatMoney = (value: number) => formats.money.format(value);
export const formatTime = (instant: string) => formats.time.format(new Date(instant));
export const formatDate = (instant: string) => formats.date.format(new Date(instant));
export const formatClock = (instant: Date) => formats.clock.format(instant);
export const formatDay = (day: string) => formats.day.format(new Date(day));

export function formatShare(part: number, whole: number): string {
  return whole === 0 ? '–' : formats.percent.format(part / whole);
}

export function countryName(code: string | null): string {
  // A spend limit may be of numbers without a country.
  return code !== null && /^[A-Z]{2}$/.test(code) ? (formats.regions.of(code) ?? code) : t.common.unknownCountry;
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
