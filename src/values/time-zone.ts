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

export const timeZoneMessage = 'The field {0} must be the name of an IANA time zone.';
