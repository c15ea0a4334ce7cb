/**
 * A moment in UTC, to the microsecond, as text of one width: `2024-05-01T10:00:00.000000Z`. The text sorts in time
 * order, PostgreSQL accepts it unchanged, and no Date rounds it.
 */
export type Instant = string & { readonly _: 'Instant' };

export const firstInstant = '0001-01-01T00:00:00.000000Z' as Instant;
export const lastInstant = '9999-12-31T23:59:59.999999Z' as Instant;

const format =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:([Zz])|([+-])(\d\d):?(\d\d)?)?)?$/;

/** ISO 8601: no offset is UTC, digits past microseconds are cut, a date alone is its first moment. */
export function parseInstant(text: string): Instant | undefined {
  const parsed = parse(text);
  return parsed === undefined || parsed === 'before' || parsed === 'after' ? undefined : parsed;
}

/** The offset can move a bound a few hours outside the supported years; then the first or last instant is used. */
export function parseFrom(text: string): Instant | undefined {
  return clamp(parse(text));
}

/** A date alone covers its whole day. */
export function parseTo(text: string): Instant | undefined {
  return clamp(parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T23:59:59.999999Z` : text));
}

function clamp(parsed: ReturnType<typeof parse>): Instant | undefined {
  return parsed === 'before' ? firstInstant : parsed === 'after' ? lastInstant : parsed;
}

/** The format that nearly every program writes: UTC, to the second or with a fraction. */
const usual = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/;

function parse(text: string): Instant | 'before' | 'after' | undefined {
  if (usual.test(text)) return isMoment(text) ? widened(text) : undefined;
  const match = format.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', , sign, hours, minutes = '00'] =
    match;
  if (!isDate(Number(year), Number(month), Number(day))) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const micros = fraction.slice(0, 6).padEnd(6, '0');
  const seconds = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  if (!sign) return `${seconds}.${micros}Z` as Instant;
  const offset = Number(hours) * 60 + Number(minutes);
  if (offset > 14 * 60 || Number(minutes) > 59) return undefined;
  const shifted = new Date(Date.parse(`${seconds}Z`) + (sign === '-' ? offset : -offset) * 60_000);
  if (shifted.getUTCFullYear() < 1) return 'before';
  if (shifted.getUTCFullYear() > 9999) return 'after';
  return `${shifted.toISOString().slice(0, 19)}.${micros}Z` as Instant;
}

function isMoment(text: string): boolean {
  const number = (from: number) => Number(text.slice(from, from + 2));
  // Compared as text: numbers of two digits sort in the order of their values.
  if (text.slice(11, 13) > '23' || text[14]! > '5' || text[17]! > '5') return false;
  return isDate(Number(text.slice(0, 4)), number(5), number(8));
}

function widened(text: string): Instant {
  const seconds = text.slice(0, 19);
  return `${seconds}.${text.slice(20, -1).padEnd(6, '0')}Z` as Instant;
}

function isDate(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day <= days;
}

/** The format of the API: no trailing zeros in the fraction. */
export function writeInstant(instant: Instant): string {
  let end = 26;
  while (instant[end - 1] === '0') end -= 1;
  return `${instant.slice(0, end === 20 ? 19 : end)}Z`;
}

/** A time of the clock, in the format of the API. */
export function writeTime(time: Date): string {
  return writeInstant(widened(time.toISOString()));
}

/** The next microsecond, in a form that PostgreSQL accepts; infinity after the last one. */
export function instantAfter(instant: Instant): string {
  const micros = Number(instant.slice(20, 26)) + 1;
  if (micros < 1_000_000) return `${instant.slice(0, 20)}${String(micros).padStart(6, '0')}Z`;
  const next = new Date(Date.parse(`${instant.slice(0, 19)}Z`) + 1000);
  return next.getUTCFullYear() > 9999 ? 'infinity' : `${next.toISOString().slice(0, 19)}.000000Z`;
}
