/** The words in every language that documents have. The pages load the file of one language only. */
import { arabic } from './ar.ts';
import { german } from './de.ts';
import { english } from './en.ts';
import { spanish } from './es.ts';
import { french } from './fr.ts';
import { italian } from './it.ts';
import { japanese } from './ja.ts';
import { portuguese } from './pt.ts';
import type { Words } from './words.ts';

export const wordsByLanguage: Readonly<Record<string, Words>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  pt: portuguese,
  it: italian,
  ar: arabic,
  ja: japanese,
};
