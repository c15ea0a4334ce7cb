/** The texts of the sandbox page in every language. A separate table, so that nothing else is loaded with it. */
import { sandbox as ar } from './ar.ts';
import { sandbox as de } from './de.ts';
import { sandbox as en, type SandboxTexts } from './en.ts';
import { sandbox as es } from './es.ts';
import { sandbox as fr } from './fr.ts';
import { sandbox as it } from './it.ts';
import { sandbox as ja } from './ja.ts';
import { sandbox as pt } from './pt.ts';
import { languageOf, type Language } from './languages.ts';

export type { SandboxTexts } from './en.ts';

const texts: Record<Language, SandboxTexts> = { en, de, fr, es, pt, it, ar, ja };

export function sandboxTextsOf(locale: string): SandboxTexts {
  return texts[languageOf(locale)];
}
