/**
 * The text with the code of a confirmation. It names what the person agrees to, as far as the request gave it: amount,
 * currency and payee.
 */
import { encodingOf } from './encoding.ts';
import {
  appendCodeLines,
  fillTemplate,
  minutesOf,
  withLowerCaseNames,
  type Candidate,
  type MessageSettings,
  type MessageText,
  type MessageWriter,
} from './message.ts';
import { safePayee } from './safe-payee.ts';

/** What the text names. */
interface Named {
  amount: string | undefined;
  currency: string | undefined;
  payee: string | undefined;
}

export interface ConfirmationTextRequest extends Named {
  locale: string | undefined;
  country: string | undefined;
  code: string;
  /** How long the code can still be used. */
  validSeconds: number;
  purpose: string;
}

export type WriteConfirmation = (request: ConfirmationTextRequest) => MessageText;

interface BuiltIn {
  /** If the text names something: {terms} is the amount, the payee, or the `payment` if both are named. */
  terms: string;
  payment: string;
  plain: string;
  /** For the purpose `change-phone`. What else was agreed to follows it. */
  changePhone: string;
}

const builtIn: Readonly<Record<string, BuiltIn>> = {
  en: {
    terms: '{brand}: {code} confirms {terms}. Valid for {minutes} min. Share it with nobody.',
    payment: '{amount} {currency} to {payee}',
    plain: '{brand}: {code} is your confirmation code. Valid for {minutes} min. Share it with nobody.',
    changePhone: '{brand}: {code} confirms that your phone number is to be changed. Valid for {minutes} min.',
  },
  de: {
    terms: '{brand}: {code} bestätigt {terms}. Gilt {minutes} Min. Geben Sie ihn niemandem weiter.',
    payment: '{amount} {currency} an {payee}',
    plain: '{brand}: {code} ist Ihr Code zur Bestätigung. Gilt {minutes} Min. Geben Sie ihn niemandem weiter.',
    changePhone: '{brand}: {code} bestätigt, dass Ihre Telefonnummer geändert werden soll. Gilt {minutes} Min.',
  },
  es: {
    terms: '{brand}: {code} confirma {terms}. Vale {minutes} min. No lo compartas con nadie.',
    payment: '{amount} {currency} a {payee}',
    plain: '{brand}: {code} es tu código de confirmación. Vale {minutes} min. No lo compartas con nadie.',
    changePhone: '{brand}: {code} confirma que se va a cambiar tu número de teléfono. Vale {minutes} min.',
  },
  fr: {
    terms: '{brand} : {code} confirme {terms}. Valable {minutes} min. Ne le donnez à personne.',
    payment: '{amount} {currency} à {payee}',
    plain: '{brand} : {code} est votre code de confirmation. Valable {minutes} min. Ne le donnez à personne.',
    changePhone: '{brand} : {code} confirme le changement de votre numéro de téléphone. Valable {minutes} min.',
  },
  it: {
    terms: '{brand}: {code} conferma {terms}. Vale {minutes} min. Non darlo a nessuno.',
    payment: '{amount} {currency} a {payee}',
    plain: '{brand}: {code} è il tuo codice di conferma. Vale {minutes} min. Non darlo a nessuno.',
    changePhone: '{brand}: {code} conferma il cambio del tuo numero di telefono. Vale {minutes} min.',
  },
  nl: {
    terms: '{brand}: {code} bevestigt {terms}. {minutes} min. geldig. Deel hem met niemand.',
    payment: '{amount} {currency} aan {payee}',
    plain: '{brand}: {code} is je bevestigingscode. {minutes} min. geldig. Deel hem met niemand.',
    changePhone: '{brand}: {code} bevestigt dat je telefoonnummer wordt gewijzigd. {minutes} min. geldig.',
  },
  pt: {
    terms: '{brand}: {code} confirma {terms}. Válido por {minutes} min. Não o partilhe.',
    payment: '{amount} {currency} para {payee}',
    plain: '{brand}: {code} é o seu código de confirmação. Válido por {minutes} min. Não o partilhe.',
    changePhone: '{brand}: {code} confirma a alteração do seu número de telefone. Válido por {minutes} min.',
  },
  ar: {
    terms: '{brand}: {code} لتأكيد {terms}. صالح {minutes} دقائق. لا تشاركه.',
    payment: 'دفع {amount} {currency} إلى {payee}',
    plain: '{brand}: {code} هو رمز التأكيد. صالح {minutes} دقائق. لا تشاركه.',
    changePhone: '{brand}: {code} لتأكيد تغيير رقم هاتفك. صالح {minutes} دقائق. لا تشاركه.',
  },
  ja: {
    terms: '{brand}: 確認コード {code}。{terms}。有効 {minutes} 分。他人に教えないでください。',
    payment: '{payee} へ {amount} {currency}',
    plain: '{brand}: 確認コード {code}。有効 {minutes} 分。他人に教えないでください。',
    changePhone: '{brand}: 確認コード {code}。電話番号の変更を確認します。有効 {minutes} 分。',
  },
};

export const confirmationLanguages = Object.keys(builtIn);

/** A text with more segments loses the end of the payee. */
const segmentLimit = 2;

export function createConfirmationTexts(settings: MessageSettings, { brandOf, localesFor, idsOf }: MessageWriter) {
  const configured = withLowerCaseNames(settings.templates);

  /**
   * In each language the template of the purpose, then that of all confirmations, then the built-in text. A configured
   * template is used only if it names exactly what was agreed to.
   */
  function findTemplate(locales: readonly string[], purpose: string, named: Named): Candidate {
    const candidates = locales.flatMap((each): Candidate[] => {
      const ours = builtIn[each];
      return [
        ...[`${each}/confirmation/${purpose}`, `${each}/confirmation`].flatMap((name) => {
          const template = configured.get(name);
          return template !== undefined && namesExactly(template, named) ? [{ name, locale: each, template }] : [];
        }),
        ...(ours
          ? [{ name: `${each}/confirmation`, locale: each, template: chooseBuiltIn(ours, purpose, named) }]
          : []),
      ];
    });
    return candidates[0]!;
  }

  return function writeConfirmation(request: ConfirmationTextRequest): MessageText {
    const { country = '', code, purpose } = request;
    const brand = brandOf(country);
    const locales = localesFor(request.locale, country);
    let payee = request.payee === undefined ? '' : safePayee(request.payee);
    for (;;) {
      const named = { amount: request.amount, currency: request.currency, payee: payee || undefined };
      const found = findTemplate(locales, purpose, named);
      const text = appendCodeLines(
        settings,
        fillTemplate(found.template, {
          brand,
          code,
          minutes: minutesOf(request.validSeconds),
          amount: named.amount === undefined ? '' : formatAmount(named.amount, named.currency!, found.locale),
          currency: named.currency ?? '',
          payee,
        }),
        code,
      );
      const encoding = encodingOf(text);
      if (encoding.segments <= segmentLimit || payee === '') {
        return { text, locale: found.locale, dlt: idsOf(country, found.name), ...encoding };
      }
      payee = Array.from(payee).slice(0, -1).join('').trimEnd();
    }
  };
}

function namesExactly(template: string, { amount, currency, payee }: Named): boolean {
  const terms = Object.entries({ amount, currency, payee });
  return terms.every(([name, value]) => template.includes(`{${name}}`) === (value !== undefined));
}

function chooseBuiltIn(texts: BuiltIn, purpose: string, { amount, payee }: Named): string {
  const named = [...(amount === undefined ? [] : ['{amount} {currency}']), ...(payee === undefined ? [] : ['{payee}'])];
  if (purpose === 'change-phone') return [texts.changePhone, named.join(', ')].join(' ').trim();
  if (named.length === 0) return texts.plain;
  return texts.terms.replace('{terms}', named.length > 1 ? texts.payment : named[0]!);
}

/** By language and currency. Making one takes as long as a tenth of a send. Callers choose the currencies. */
const formats = new Map<string, Intl.NumberFormat>();
const maxFormats = 1000;

function formatOf(currency: string, locale: string): Intl.NumberFormat {
  const key = `${locale} ${currency}`;
  const known = formats.get(key);
  if (known) return known;
  const { minimumFractionDigits } = new Intl.NumberFormat(locale, { style: 'currency', currency }).resolvedOptions();
  const format = new Intl.NumberFormat(locale, {
    minimumFractionDigits: minimumFractionDigits!,
    maximumFractionDigits: Math.max(6, minimumFractionDigits!),
    numberingSystem: 'latn',
  });
  if (formats.size < maxFormats) formats.set(key, format);
  return format;
}

/**
 * In the language's own format, with the digits of the currency at least, and all that were given. Other spaces than the
 * usual one, and other digits than the code's, would double the length of the text or confuse.
 */
export function formatAmount(amount: string, currency: string, locale: string): string {
  // As text, so that no digit is lost.
  return formatOf(currency, locale)
    .format(amount as `${number}`)
    .replaceAll(/[\u00a0\u202f]/g, ' ');
}
