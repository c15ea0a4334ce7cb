/** The locale of a page that has texts in all languages: the one in the address, otherwise the reader's. */
import { directionOf, usableLocale } from '../intl/locale.ts';
import { languageOf } from '../intl/languages/languages.ts';
import { pageTexts } from '../intl/languages/page-texts.ts';
import { readerLocale } from './preferences.ts';

export const pageLocale = usableLocale(new URL(location.href).searchParams.get('locale'), readerLocale());

/** Tells the browser the language, the direction and the title of the page. */
export function describePage(title: string): void {
  const language = pageTexts.has(pageLocale) ? languageOf(pageLocale) : 'en';
  document.documentElement.lang = language;
  document.documentElement.dir = directionOf(language);
  document.title = `${title} · Ledgerline`;
}
