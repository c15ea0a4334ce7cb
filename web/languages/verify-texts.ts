/**
 * The texts of the form that verifies a phone number in every language. A separate table, so that nothing else is
 * loaded with it.
 */
import { verify as ar } from './ar.ts';
import { verify as de } from './de.ts';
import { verify as en, type VerifyTexts } from './en.ts';
import { verify as es } from './es.ts';
import { verify as fr } from './fr.ts';
import { verify as it } from './it.ts';
import { verify as ja } from './ja.ts';
import { verify as pt } from './pt.ts';
import { languageOf, type Language } from './languages.ts';

export type { VerifyTexts } from './en.ts';

const texts: Record<Language, VerifyTexts> = { en, de, fr, es, pt, it, ar, ja };

export function verifyTextsOf(locale: string): VerifyTexts {
  return texts[languageOf(locale)];
}
