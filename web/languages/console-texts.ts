/** The texts of the console in every language. Only the one that is used is loaded. */
import { console as en, type ConsoleTexts } from './console/en.ts';
import { languageOf, type Language } from './languages.ts';

export type { ConsoleTexts } from './console/en.ts';

const loaders: Record<Language, () => Promise<ConsoleTexts>> = {
  en: async () => en,
  de: async () => (await import('./console/de.ts')).console,
  fr: async () => (await import('./console/fr.ts')).console,
  es: async () => (await import('./console/es.ts')).console,
  pt: async () => (await import('./console/pt.ts')).console,
  it: async () => (await import('./console/it.ts')).console,
  ar: async () => (await import('./console/ar.ts')).console,
  ja: async () => (await import('./console/ja.ts')).console,
};

export function loadConsoleTexts(locale: string): Promise<ConsoleTexts> {
  return loaders[languageOf(locale)]();
}
