/**
 * One part of the texts in every language. English is in the script that asks for it; any other language is a file of its
 * own, of which only that of the reader is loaded.
 */
import { findLanguage, type Language } from './languages.ts';

export interface TextTable<Texts> {
  /** The texts in the language of a locale once they are loaded, otherwise in English. */
  of(locale: string): Texts;
  /** Whether `of` gives the language of the locale. */
  has(locale: string): boolean;
  /** Whether nothing has to be waited for: the texts are there, or there are none, or they could not be loaded. */
  isReady(locale: string): boolean;
  /** Never fails: without the file of the language the texts are English. */
  load(locale: string): Promise<void>;
}

type Translated = Exclude<Language, 'en'>;

/** Each file is named in an `import` of its own, so that the bundler keeps only the part that is read from it. */
export function textTable<Texts>(english: Texts, files: Record<Translated, () => Promise<Texts>>): TextTable<Texts> {
  const loaded = new Map<Language, Texts>([['en', english]]);
  const loading = new Map<Language, Promise<void>>();
  const failed = new Set<Language>();

  async function read(language: Translated): Promise<void> {
    try {
      loaded.set(language, await files[language]());
      failed.delete(language);
    } catch (error) {
      failed.add(language);
      console.warn(`Ledgerline: the texts for "${language}" could not be loaded, so they are English.`, error);
    } finally {
      loading.delete(language);
    }
  }

  return {
    of: (locale) => loaded.get(findLanguage(locale) ?? 'en') ?? english,

    has(locale) {
      const language = findLanguage(locale);
      return language !== undefined && loaded.has(language);
    },

    isReady(locale) {
      const language = findLanguage(locale) ?? 'en';
      return loaded.has(language) || failed.has(language);
    },

    async load(locale) {
      const language = findLanguage(locale) ?? 'en';
      if (language === 'en' || loaded.has(language)) return;
      if (!loading.has(language)) loading.set(language, read(language));
      await loading.get(language);
    },
  };
}
