/** The texts of the pages in every language. A separate table, so that nothing else is loaded with it. */
import { page as ar } from './ar.ts';
import { page as de } from './de.ts';
import { page as en, type PageTexts } from './en.ts';
import { page as es } from './es.ts';
import { page as fr } from './fr.ts';
import { page as it } from './it.ts';
import { page as ja } from './ja.ts';
import { page as pt } from './pt.ts';
import { languageOf, type Language } from './languages.ts';

export type { PageTexts } from './en.ts';

const texts: Record<Language, PageTexts> = { en, de, fr, es, pt, it, ar, ja };

export function pageTextsOf(locale: string): PageTexts {
  return texts[languageOf(locale)];
}
