/** The text of a verification message. Brand, template and host come from settings, and nothing comes from a request. */
import type { WithExceptions } from '../formats/setting-kinds.ts';
import type { DltIds, DltRegistrations } from './dlt.ts';
import { encodingOf, type Encoding } from './encoding.ts';

export interface MessageSettings {
  /** With exceptions by country. */
  brand: WithExceptions<string>;
  /**
   * By locale, or by locale and correlationType: `de`, `de/1`. Those of confirmations: `de/confirmation`,
   * `de/confirmation/payment`.
   */
  templates: ReadonlyMap<string, string>;
  /** The locale if the request has none, with exceptions by country. */
  locale: WithExceptions<string>;
  /** The ids of the templates that are registered with a country's operators. */
  dlt: DltRegistrations;
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
  /** How long the code can still be used. */
  validSeconds: number;
}

export interface MessageText extends Encoding {
  text: string;
  locale: string;
  dlt: DltIds | undefined;
}

/** A template that could be used, under its name in the settings. */
export interface Candidate {
  name: string;
  locale: string;
  template: string;
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

export type MessageWriter = ReturnType<typeof createMessages>;
export type WriteMessage = (request: TextRequest) => MessageText;

export function createMessages(settings: MessageSettings) {
  const configured = withLowerCaseNames(settings.templates);
  const ours = [...configured].filter(([name]) => !name.includes('/confirmation'));
  const templates = new Map([...Object.entries(builtInTemplates), ...ours]);
  const registrations = new Map(
    [...settings.dlt].map(([country, each]) => [country, { ...each, templates: withLowerCaseNames(each.templates) }]),
  );

  const brandOf = (country: string) => valueFor(country, settings.brand);
  const localeOf = (country: string) => valueFor(country, settings.locale);

  /** The languages of a text, best first: `de-AT`, `de`, then those of the default, then English. */
  function localesFor(locale: string | undefined, country: string): string[] {
    const wanted = [locale ?? localeOf(country), settings.locale.value, 'en'];
    return wanted.flatMap(localeChain);
  }

  /** In each language the template of the type, then the one of all types. */
  function findCandidates(locales: readonly string[], correlationType: number): Candidate[] {
    return locales.flatMap((each) =>
      [`${each}/${correlationType}`, each].flatMap((name) => {
        const template = templates.get(name);
        return template === undefined ? [] : [{ name, locale: each, template }];
      }),
    );
  }

  /** Where texts must be registered, a registered one in another language is better than one that is not delivered. */
  function findTemplate(locale: string | undefined, country: string, correlationType: number): Candidate {
    const candidates = findCandidates(localesFor(locale, country), correlationType);
    const registered = registrations.get(country)?.templates;
    return candidates.find(({ name }) => registered?.has(name)) ?? candidates[0]!;
  }

  function idsOf(country: string, name: string): DltIds | undefined {
    const registration = registrations.get(country);
    if (!registration) return undefined;
    const { entity, telemarketer, templates: registered } = registration;
    return { entity, template: registered.get(name), telemarketer };
  }

  /** Whether the default text for a country has an id of its operators. */
  function isRegistered(country: string): boolean {
    return idsOf(country, findTemplate(undefined, country, 0).name)?.template !== undefined;
  }

  function fill(template: string, brand: string, code: string, validSeconds: number): string {
    return appendCodeLines(settings, fillTemplate(template, { brand, code, minutes: minutesOf(validSeconds) }), code);
  }

  function write({ locale, country = '', correlationType, code, validSeconds }: TextRequest): MessageText {
    const found = findTemplate(locale, country, correlationType);
    const text = fill(found.template, brandOf(country), code, validSeconds);
    return { text, locale: found.locale, dlt: idsOf(country, found.name), ...encodingOf(text) };
  }

  /** The templates in use that take more than one segment, each with the longest brand. */
  function findLongTemplates(): { template: string; alphabet: string; segments: number }[] {
    const brands = valuesOf(settings.brand);
    const longestBrand = brands.reduce((a, b) => (encodingOf(b).units >= encodingOf(a).units ? b : a));
    const code = '0'.repeat(settings.codeDigits);
    return [...templates]
      .filter(([name]) => configured.has(name) || isConfiguredLocale(name))
      .map(([name, template]) => {
        const { alphabet, segments } = encodingOf(fill(template, longestBrand, code, settings.codeSeconds));
        return { template: name, alphabet, segments };
      })
      .filter(({ segments }) => segments > 1);
  }

  function isConfiguredLocale(name: string): boolean {
    return valuesOf(settings.locale).some((locale) => locale.toLowerCase().split('-')[0] === name);
  }

  return { write, isRegistered, findLongTemplates, brandOf, localesFor, idsOf };
}

/** The names of templates are compared without regard to case, as locales are. */
export function withLowerCaseNames(byName: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...byName].map(([name, value]) => [name.toLowerCase(), value]));
}

/** In one pass, so that what looks like a placeholder in a value stays as it is. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([a-z]+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? values[name]! : placeholder,
  );
}

/** As texts say it. */
export function minutesOf(seconds: number): string {
  return String(Math.max(1, Math.round(seconds / 60)));
}

/** `de-AT`, `de`. */
function localeChain(locale: string): string[] {
  const parts = locale.toLowerCase().split('-');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
}

/** Browsers read the last line. Android's hash may follow the code on it. */
export function appendCodeLines(
  { webOtpHost, androidHash }: Pick<MessageSettings, 'webOtpHost' | 'androidHash'>,
  text: string,
  code: string,
): string {
  if (webOtpHost) return `${text}\n\n@${webOtpHost} #${code}${androidHash ? ` ${androidHash}` : ''}`;
  return androidHash ? `${text}\n\n${androidHash}` : text;
}

function valueFor(country: string, { value, exceptions }: WithExceptions<string>): string {
  return exceptions.get(country) ?? value;
}

function valuesOf({ value, exceptions }: WithExceptions<string>): string[] {
  return [value, ...exceptions.values()];
}
