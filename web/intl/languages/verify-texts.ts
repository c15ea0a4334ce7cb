/**
 * The texts of the form that verifies a phone number in every language. A separate table, so that nothing else is
 * loaded with it.
 */
import * as ar from './ar.ts';
import * as de from './de.ts';
import * as en from './en.ts';
import * as es from './es.ts';
import * as fr from './fr.ts';
import * as it from './it.ts';
import * as ja from './ja.ts';
import * as pt from './pt.ts';
import { languageOf, type Language } from './languages.ts';

export type VerifyFormTexts = en.CodeTexts & en.VerifyTexts;

const texts: Record<Language, VerifyFormTexts> = {
  en: { ...en.code, ...en.verify },
  de: { ...de.code, ...de.verify },
  fr: { ...fr.code, ...fr.verify },
  es: { ...es.code, ...es.verify },
  pt: { ...pt.code, ...pt.verify },
  it: { ...it.code, ...it.verify },
  ar: { ...ar.code, ...ar.verify },
  ja: { ...ja.code, ...ja.verify },
};

export function verifyTextsOf(locale: string): VerifyFormTexts {
  return texts[languageOf(locale)];
}
