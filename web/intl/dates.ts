/** Days of the viewer's time zone. A day is written 2026-03-31. */
import { withGregorianMonths } from './locale.ts';

const hour = 3_600_000;

/** A time zone may move an instant of the service to the day before or after these. It belongs to them then. */
const [firstDay, lastDay] = ['0001-01-01', '9999-12-31'];

/** Whether the text is a day that exists, such as 2026-03-31. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  // 2026-02-30 would be a day of March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const dayFormats = new Map<string, Intl.DateTimeFormat>();

export function dayOf(instant: Date, timeZone: string): string {
  let format = dayFormats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    dayFormats.set(timeZone, format);
  }
  const day = format.format(instant).padStart(10, '0');
  if (day.length > 10) return lastDay;
  // Days of the year before the first have the number 1, too.
  return day > '0001-01-02' && instant.getTime() < Date.parse('0001-01-02T00:00:00Z') ? firstDay : day;
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 24 * hour).toISOString().slice(0, 10);
}

export function addMonths(month: string, months: number): string {
  const first = new Date(`${month}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() + months);
  return first.toISOString().slice(0, 7);
}

/** How many months lie between two months. */
export function monthsBetween(earlier: string, later: string): number {
  const count = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7));
  return count(later) - count(earlier);
}

/** The last day of a month. */
export function lastDayOf(month: string): string {
  const day = new Date(`${month}-01T00:00:00Z`);
  day.setUTCMonth(day.getUTCMonth() + 1, 0);
  return day.toISOString().slice(0, 10);
}

/**
 * The first instant of a day. Where clocks go forward at midnight, the day begins an hour late; where they go back to
 * midnight, it begins at the first of two.
 */
function startOfDay(day: string, timeZone: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  let start = midnight - offsetAt(midnight, timeZone);
  start = midnight - offsetAt(start, timeZone);
  while (dayOf(new Date(start), timeZone) < day) start += hour / 2;
  while (dayOf(new Date(start - 1), timeZone) >= day) start -= hour / 2;
  return new Date(start);
}

export function firstMoment(day: string, timeZone: string): string {
  return day === firstDay ? `${firstDay}T00:00:00.000Z` : startOfDay(day, timeZone).toISOString();
}

/** The service keeps microseconds, so the day ends at the last microsecond. */
export function lastMoment(day: string, timeZone: string): string {
  if (day === lastDay) return `${lastDay}T23:59:59.999999Z`;
  const next = startOfDay(addDays(day, 1), timeZone);
  return new Date(next.getTime() - 1000).toISOString().replace('.000Z', '.999999Z');
}

function offsetAt(instant: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const part: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(instant)) part[type] = Number(value);
  // Date.UTC would take the years 1 to 99 for those of the twentieth century.
  const local = new Date(0);
  local.setUTCFullYear(part.year!, part.month! - 1, part.day);
  local.setUTCHours(part.hour!, part.minute, part.second);
  return local.getTime() - Math.floor(instant / 1000) * 1000;
}

/** Formats of one viewer. Each takes milliseconds to make, so it is made once, when it is first needed. */
export function dateFormats(viewerLocale: string, timeZone: string) {
  const locale = withGregorianMonths(viewerLocale);
  function of(options: Intl.DateTimeFormatOptions, zone = timeZone): (instant: Date) => string {
    let format: Intl.DateTimeFormat | undefined;
    return (instant) => (format ??= new Intl.DateTimeFormat(locale, { ...options, timeZone: zone })).format(instant);
  }
  const time = of({ hour: 'numeric', minute: '2-digit' });
  const full = of({ dateStyle: 'full', timeStyle: 'medium' });
  // A day is a date without a time, so no zone may move it.
  const thisYear = of({ weekday: 'long', day: 'numeric', month: 'long' }, 'UTC');
  const otherYear = of({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }, 'UTC');
  const shortMoment = of({ dateStyle: 'medium', timeStyle: 'short' });
  const short = of({ dateStyle: 'medium' }, 'UTC');
  const month = of({ month: 'long', year: 'numeric' }, 'UTC');
  const monthLetter = of({ month: 'narrow' }, 'UTC');
  const at = (day: string) => new Date(`${day}T00:00:00Z`);
  return {
    time: (timeStamp: string) => time(new Date(timeStamp)),
    full: (timeStamp: string) => full(new Date(timeStamp)),
    shortMoment: (timeStamp: string) => shortMoment(new Date(timeStamp)),
    shortDay: (day: string) => short(at(day)),
    month: (yearMonth: string) => month(at(`${yearMonth}-01`)),
    /** Fits under a column. Some languages have no short name: for 12月, 12월 and ม.ค. the number is shown alone. */
    monthLetter(yearMonth: string): string {
      const letter = monthLetter(at(`${yearMonth}-01`));
      const isShort = Array.from(letter).length <= 2 && !/\p{Nd}/u.test(letter);
      return isShort ? letter : Number(yearMonth.slice(5)).toLocaleString(locale);
    },
    /** Today and yesterday by name, others by date. */
    day(day: string, today: string): string {
      const back = Math.round((Date.parse(today) - Date.parse(day)) / (24 * hour));
      if (back === 0 || back === 1) {
        return capital(new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-back, 'day'), locale);
      }
      return (day.slice(0, 4) === today.slice(0, 4) ? thisYear : otherYear)(at(day));
    },
  };
}

export type DateFormats = ReturnType<typeof dateFormats>;

function capital(text: string, locale: string): string {
  const [first = '', ...rest] = text;
  return first.toLocaleUpperCase(locale) + rest.join('');
}
