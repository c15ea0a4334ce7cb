/** What a call says: the words of the text, with the digits of the code one by one. */
import type { Message } from './gateway.ts';

/** The regions of a language that gateways have voices for. The first is used for other countries. */
const regions: Readonly<Record<string, readonly string[]>> = {
  ar: ['AE'],
  cs: ['CZ'],
  da: ['DK'],
  el: ['GR'],
  en: ['US', 'GB', 'AU', 'IN'],
  es: ['ES', 'MX', 'US'],
  fr: ['FR', 'CA'],
  he: ['IL'],
  hi: ['IN'],
  ja: ['JP'],
  ko: ['KR'],
  nb: ['NO'],
  pt: ['PT', 'BR'],
  sv: ['SE'],
  uk: ['UA'],
  vi: ['VN'],
};

/** WebOTP and the SMS Retriever: lines that only a phone reads. */
const machineLines = /\n\n(?:@\S+ #\d+(?: [A-Za-z0-9+/]{11})?|[A-Za-z0-9+/]{11})$/;

export interface SpokenText {
  /** A language with its region, such as pt-BR. */
  language: string;
  text: string;
}

export function speak({ text, code, locale, country }: Pick<Message, 'text' | 'code' | 'locale' | 'country'>) {
  const words = text.replace(machineLines, '');
  const spoken = code === null ? words : words.replaceAll(code, code.split('').join(', '));
  return { language: languageOf(locale, country), text: spoken } satisfies SpokenText;
}

function languageOf(locale: string, country = ''): string {
  const [language = 'en', region] = locale.toLowerCase().split('-');
  if (region !== undefined) return `${language}-${region.toUpperCase()}`;
  const known = regions[language] ?? [language.toUpperCase()];
  return `${language}-${known.includes(country) ? country : known[0]}`;
}
