/** The name of a time zone, parsed once when it is read. */

const longestZoneName = 64;

/** IANA names of three letters. The runtime also knows others, such as BST or CTT, that mean different things elsewhere. */
const shortNames = new Set('CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'.split(' '));

/**
 * The name of an IANA time zone, in the spelling that is common to this runtime and PostgreSQL. PostgreSQL would treat
 * CET as a fixed offset; here it is replaced by a place with daylight saving time. Offsets are refused, since the
 * runtime and PostgreSQL interpret them differently.
 */
export function parseTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name) || name.length > longestZoneName) return undefined;
  if (/^systemv\//i.test(name) || (name.length === 3 && !shortNames.has(name.toUpperCase()))) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

const dayMilliseconds = 86_400_000;

/** The first and the last moment of a date (`2026-11-30`) in a time zone. */
export function momentsOfDay(date: string, timeZone: string): { first: string; last: string } {
  return { first: firstMoment(date, timeZone), last: lastMoment(date, timeZone) };
}

function firstMoment(date: string, timeZone: string): string {
  // It may begin before the first year, which no row does.
  return date === '0001-01-01' ? '0001-01-01T00:00:00.000Z' : startOfDay(date, timeZone).toISOString();
}

function lastMoment(date: string, timeZone: string): string {
  if (date === '9999-12-31') return '9999-12-31T23:59:59.999999Z';
  const next = new Date(Date.parse(date) + dayMilliseconds).toISOString().slice(0, 10);
  return new Date(startOfDay(next, timeZone).getTime() - 1).toISOString().replace('Z', '999Z');
}

/** It is searched for, to the second: clocks may change at midnight, and early offsets have seconds. */
function startOfDay(date: string, timeZone: string): Date {
  const days = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' });
  const midnight = Date.parse(date) / 1000;
  // No offset is as long as a day.
  let before = midnight - dayMilliseconds / 1000;
  let start = midnight + dayMilliseconds / 1000;
  while (start - before > 1) {
    const middle = Math.floor((before + start) / 2);
    if (days.format(middle * 1000).padStart(10, '0') < date) before = middle;
    else start = middle;
  }
  return new Date(start * 1000);
}

export const timeZoneMessage = 'The field {0} must be the name of an IANA time zone.';
