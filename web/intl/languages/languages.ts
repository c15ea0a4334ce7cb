/** The languages of pages and elements. Each has a file, and one line here and in the tables beside it. */

import { isLocale } from '../locale.ts';

/** The name of each language in that language. */
export const languageNames = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
  it: 'Italiano',
  ar: 'العربية',
  ja: '日本語',
};

export type Language = keyof typeof languageNames;

export const languages = Object.keys(languageNames) as Language[];

/** The language of a locale, or English if there are no texts in it. */
export function languageOf(locale: string): Language {
  return findLanguage(locale) ?? 'en';
}

export function hasTexts(locale: string): boolean {
  return findLanguage(locale) !== undefined;
}

/** The language of a locale, if there are texts in it. */
export function findLanguage(locale: string): Language | undefined {
  if (!isLocale(locale)) return undefined;
  const { language } = new Intl.Locale(locale);
  return languages.find((known) => known === language);
}
