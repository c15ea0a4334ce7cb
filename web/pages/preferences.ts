/** What a reader chose for all pages: the language and the colours. Kept by the browser. */
import { readStored, store } from '../data/storage.ts';
import { usableLocale } from '../intl/locale.ts';
import { hasTexts, languages, type Language } from '../intl/languages/languages.ts';

const languageKey = 'ledgerline-language';
const themeKey = 'ledgerline-theme';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export function chosenTheme(): Theme {
  return themes.find((theme) => theme === readStored(themeKey)) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  store(themeKey, theme);
  applyTheme();
}

/** The style sheet sets the color scheme by this attribute. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = chosenTheme();
}

/**
 * The reader's locale: the chosen language, in the browser's spelling if it has one, otherwise the first language with
 * texts.
 */
export function readerLocale(): string {
  const chosen = languages.find((language) => language === readStored(languageKey));
  const own = navigator.languages.filter((locale) => hasTexts(locale));
  if (chosen === undefined) return own[0] ?? usableLocale(navigator.language);
  return own.find((locale) => locale.split('-')[0] === chosen) ?? chosen;
}

/** Everything is drawn in the new language, from the start. */
export function chooseLanguage(language: Language): void {
  store(languageKey, language);
  const address = new URL(location.href);
  address.searchParams.delete('locale');
  // An address that differs only after the # would not load the page again.
  history.replaceState(null, '', address);
  location.reload();
}
