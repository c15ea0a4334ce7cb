/** The text of a verification message. Brand, template and host come from settings, and nothing comes from a request. */
import { encodingOf, type Encoding } from './encoding.ts';

export interface MessageSettings {
  brand: string;
  /** By country. */
  brands: ReadonlyMap<string, string>;
  /** By locale, or by locale and correlationType: `de`, `de/1`. */
  templates: ReadonlyMap<string, string>;
  /** The locale if neither the request nor the country has one. */
  locale: string;
  /** By country. */
  locales: ReadonlyMap<string, string>;
  /** For WebOTP: browsers fill in the code on pages of this host. */
  webOtpHost: string | undefined;
  /** For Android's SMS Retriever: the hash of the app. */
  androidHash: string | undefined;
  codeSeconds: number;
  codeDigits: number;
}

export interface TextRequest {
  locale: string | undefined;
  country: string | undefined;
  correlationType: number;
  code: string;
}

export interface MessageText extends Encoding {
  text: string;
  locale: string;
}

/** Each fits one segment, with a brand of usual length. */
const builtInTemplates: Record<string, string> = {
  en: '{brand}: {code} is your verification code. It is valid for {minutes} min.',
  de: '{brand}: {code} ist Ihr Bestätigungscode. Er gilt {minutes} Min.',
  es: '{brand}: {code} es tu código de verificación. Vale {minutes} min.',
  fr: '{brand} : {code} est votre code de vérification. Il est valable {minutes} min.',
  it: '{brand}: {code} è il tuo codice di verifica. Vale {minutes} min.',
  nl: '{brand}: {code} is je verificatiecode. Hij is {minutes} min. geldig.',
  pt: '{brand}: {code} é o seu código de verificação. Válido por {minutes} min.',
};

export type WriteMessage = (request: TextRequest) => MessageText;

export function createMessages(settings: MessageSettings) {
  const configured = new Map([...settings.templates].map(([name, template]) => [name.toLowerCase(), template]));
  const templates = new Map([...Object.entries(builtInTemplates), ...configured]);
  const minutes = String(Math.max(1, Math.round(settings.codeSeconds / 60)));

  /** `de-AT/1`, `de-AT`, `de/1`, `de`, then the same for the default locale, then English. */
  function findTemplate(locale: string, correlationType: number): { locale: string; template: string } {
    for (const wanted of [locale, settings.locale, 'en']) {
      const parts = wanted.toLowerCase().split('-');
      for (let length = parts.length; length > 0; length -= 1) {
        const name = parts.slice(0, length).join('-');
        const template = templates.get(`${name}/${correlationType}`) ?? templates.get(name);
        if (template !== undefined) return { locale: name, template };
      }
    }
    throw new Error('The English template is missing.');
  }

  function fill(template: string, brand: string, code: string): string {
    const values: Record<string, string> = { brand, code, minutes };
    const filled = template.replaceAll(/\{(brand|code|minutes)\}/g, (_, name: string) => values[name]!);
    const { webOtpHost, androidHash } = settings;
    // Browsers read the last line. Android's hash may follow the code on it.
    if (webOtpHost) return `${filled}\n\n@${webOtpHost} #${code}${androidHash ? ` ${androidHash}` : ''}`;
    return androidHash ? `${filled}\n\n${androidHash}` : filled;
  }

  function write({ locale, country = '', correlationType, code }: TextRequest): MessageText {
    const found = findTemplate(locale ?? settings.locales.get(country) ?? settings.locale, correlationType);
    const text = fill(found.template, settings.brands.get(country) ?? settings.brand, code);
    return { text, locale: found.locale, ...encodingOf(text) };
  }

  /** The templates in use that take more than one segment, each with the longest brand. */
  function findLongTemplates(): { template: string; alphabet: string; segments: number }[] {
    const brands = [settings.brand, ...settings.brands.values()];
    const longestBrand = brands.reduce((a, b) => (encodingOf(b).units >= encodingOf(a).units ? b : a));
    const code = '0'.repeat(settings.codeDigits);
    return [...templates]
      .filter(([name]) => configured.has(name) || isConfiguredLocale(name))
      .map(([name, template]) => {
        const { alphabet, segments } = encodingOf(fill(template, longestBrand, code));
        return { template: name, alphabet, segments };
      })
      .filter(({ segments }) => segments > 1);
  }

  function isConfiguredLocale(name: string): boolean {
    const locales = [settings.locale, ...settings.locales.values()];
    return locales.some((locale) => locale.toLowerCase().split('-')[0] === name);
  }

  return { write, findLongTemplates };
}
