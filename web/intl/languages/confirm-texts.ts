/**
 * The texts of the form that confirms a payment or another act in every language. A separate table, so that nothing else is
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

export type ConfirmFormTexts = en.CodeTexts & en.ConfirmTexts;

const texts: Record<Language, ConfirmFormTexts> = {
  en: { ...en.code, ...en.confirm },
  de: { ...de.code, ...de.confirm },
  fr: { ...fr.code, ...fr.confirm },
  es: { ...es.code, ...es.confirm },
  pt: { ...pt.code, ...pt.confirm },
  it: { ...it.code, ...it.confirm },
  ar: { ...ar.code, ...ar.confirm },
  ja: { ...ja.code, ...ja.confirm },
};

export function confirmTextsOf(locale: string): ConfirmFormTexts {
  return texts[languageOf(locale)];
}
