/** The texts of the activity screen in every language. A separate table, so that nothing else is loaded with it. */
import { activity as ar } from './ar.ts';
import { activity as de } from './de.ts';
import { activity as en, type ActivityTexts } from './en.ts';
import { activity as es } from './es.ts';
import { activity as fr } from './fr.ts';
import { activity as it } from './it.ts';
import { activity as ja } from './ja.ts';
import { activity as pt } from './pt.ts';
import { languageOf, type Language } from './languages.ts';

export type { ActivityTexts } from './en.ts';

const texts: Record<Language, ActivityTexts> = { en, de, fr, es, pt, it, ar, ja };

export function activityTextsOf(locale: string): ActivityTexts {
  return texts[languageOf(locale)];
}
