/** The words of a verification message. Brand, code and host come from configuration: nothing of a request stands in it. */
import { encodingOf, type Encoding } from './encoding.ts';

export interface MessageSettings {
  brand: string;
  brands: ReadonlyMap<string, string>;
  /** By locale, or by locale and correlationType: `de`, `de/1`. */
  templates: ReadonlyMap<string, string>;
  /** The locale where nothing says another. */
  locale: string;
  /** By country. */
  locales: ReadonlyMap<string, string>;
  /** For WebOTP: browsers fill the code in on pages of this host. */
  webOtpHost: string | undefined;
  /** For Android's SMS Retriever: the app's hash. */
  androidHash: string | undefined;
  codeSeconds: number;
  codeDigits: number;
}

export interface Wanted {
  locale: string | undefined;
  country: string | undefined;
  correlationType: number;
  code: string;
}

export interface Written extends Encoding {
  text: string;
  locale: string;
}

/** Each fits one segment, with a brand of usual length. */
const builtIn: Record<string, string> = {
  en: '{brand}: {code} is your verification code. It is valid for {minutes} min.',
  de: '{brand}: {code} ist Ihr Bestätigungscode. Er gilt {minutes} Min.',
  es: '{brand}: {code} es tu código de verificación. Vale {minutes} min.',
  fr: '{brand} : {code} est votre code de vérification. Il est valable {minutes} min.',
  it: '{brand}: {code} è il tuo codice di verifica. Vale {minutes} min.',
  nl: '{brand}: {code} is je verificatiecode. Hij is {minutes} min. geldig.',
  pt: '{brand}: {code} é o seu código de verificação. Válido por {minutes} min.',
};

export type WriteMessage = (wanted: Wanted) => Written;

export function createMessages(settings: MessageSettings) {
  const own = new Map([...settings.templates].map(([name, template]) => [name.toLowerCase(), template]));
  const templates = new Map([...Object.entries(builtIn), ...own]);
  const locales = settings.locales;
  const minutes = String(Math.max(1, Math.round(settings.codeSeconds / 60)));

  /** `de-AT/1`, `de-AT`, `de/1`, `de`, then the same for the default locale, then English. */
  function find(locale: string, correlationType: number): [locale: string, template: string] {
    for (const wanted of [locale, settings.locale, 'en']) {
      const parts = wanted.toLowerCase().split('-');
      for (let length = parts.length; length > 0; length -= 1) {
        const name = parts.slice(0, length).join('-');
        const template = templates.get(`${name}/${correlationType}`) ?? templates.get(name);
        if (template !== undefined) return [name, template];
      }
    }
    throw new Error('There is always English.');
  }

  function fill(template: string, brand: string, code: string): string {
    const values: Record<string, string> = { brand, code, minutes };
    const words = template.replaceAll(/\{(brand|code|minutes)\}/g, (_, name: string) => values[name]!);
    const { webOtpHost, androidHash } = settings;
    // The browser reads the last line, and Android's hash may stand behind the code on it.
    if (webOtpHost) return `${words}\n\n@${webOtpHost} #${code}${androidHash ? ` ${androidHash}` : ''}`;
    return androidHash ? `${words}\n\n${androidHash}` : words;
  }

  function write({ locale, country = '', correlationType, code }: Wanted): Written {
    const [found, template] = find(locale ?? locales.get(country) ?? settings.locale, correlationType);
    const text = fill(template, settings.brands.get(country) ?? settings.brand, code);
    return { text, locale: found, ...encodingOf(text) };
  }

  /** Templates that would take more than one segment, with the longest brand they may carry. */
  function tooLong(): { template: string; alphabet: string; segments: number }[] {
    const brands = [settings.brand, ...settings.brands.values()];
    const brand = brands.reduce((a, b) => (encodingOf(b).units >= encodingOf(a).units ? b : a));
    const used = [...templates].filter(([name]) => own.has(name) || isUsed(name));
    return used
      .map(([template, words]) => ({ template, ...encodingOf(fill(words, brand, '0'.repeat(settings.codeDigits))) }))
      .filter(({ segments }) => segments > 1)
      .map(({ template, alphabet, segments }) => ({ template, alphabet, segments }));
  }

  /** Any locale may be asked for, but what comes with the product is only told of where it is configured. */
  function isUsed(name: string): boolean {
    return [settings.locale, ...locales.values()].some((locale) => locale.toLowerCase().split('-')[0] === name);
  }

  return { write, tooLong };
}
