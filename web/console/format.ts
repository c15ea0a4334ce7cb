/** Numbers and dates of the console. Its texts are English, so these are too, in one script of digits. */
const { navigator } = globalThis as { navigator?: { languages?: readonly string[] } };
const locale = navigator?.languages?.find((language) => /^en\b/i.test(language)) ?? 'en-GB';

const numberFormat = new Intl.NumberFormat(locale);
const shortFormat = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const percentFormat = new Intl.NumberFormat(locale, { style: 'percent' });
const timeFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const clockFormat = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
const dayFormat = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const regionNames = new Intl.DisplayNames(locale, { type: 'region' });

export const formatNumber = (value: number) => numberFormat.format(value);
export const formatShort = (value: number) => shortFormat.format(value);
export const formatTime = (instant: string) => timeFormat.format(new Date(instant));
export const formatClock = (instant: Date) => clockFormat.format(instant);
export const formatDay = (day: string) => dayFormat.format(new Date(day));

export function formatShare(part: number, whole: number): string {
  return whole === 0 ? '–' : percentFormat.format(part / whole);
}

export function countryName(code: string | null): string {
  return code === null ? 'Unknown' : (regionNames.of(code) ?? code);
}
