/** Locales and time zones that a page or an address gives, and that the browser may not know. */

/** The first of several locales that is usable. */
export function usableLocale(...tags: (string | null | undefined)[]): string {
  return tags.find((tag) => tag && isLocale(tag)) ?? 'en';
}

/** A browser may name what Intl refuses: `en-US@posix`, where the system has no language. */
export function isLocale(tag: string): boolean {
  return isKnown(() => Intl.getCanonicalLocales(tag));
}

export function usableTimeZone(timeZone: string | null): string {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return timeZone && isKnown(() => new Intl.DateTimeFormat('en', { timeZone })) ? timeZone : own;
}

/** Intl throws a RangeError for an unknown value. */
function isKnown(make: () => unknown): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}

/** Calendars whose months are the Gregorian ones. */
const gregorianMonths = new Set(['gregory', 'buddhist', 'japanese', 'roc', 'iso8601']);

/**
 * The locale with a calendar whose months are those of the chart and of the API. Without this, Persian would show
 * Gregorian months under the names of Persian ones, which begin on other days.
 */
export function withGregorianMonths(locale: string): string {
  const { calendar } = new Intl.DateTimeFormat(locale).resolvedOptions();
  return gregorianMonths.has(calendar) ? locale : new Intl.Locale(locale, { calendar: 'gregory' }).toString();
}

/** Languages that are written from right to left, for browsers that do not provide this. */
const rightToLeft = new Set(['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi']);

export function directionOf(locale: string): 'rtl' | 'ltr' {
  return rightToLeft.has(new Intl.Locale(locale).language) ? 'rtl' : 'ltr';
}

export interface LanguageAttributes {
  lang: string;
  dir?: 'rtl' | 'ltr';
}

/** For the element around texts in the language of a locale. */
export function languageAttributes(locale: string): LanguageAttributes {
  return { lang: locale, dir: directionOf(locale) };
}
