/** The text to a number that was replaced. It has no code, no link and no number to call. */
import { encodingOf } from './encoding.ts';
import type { MessageText, MessageWriter } from './message.ts';

/** Each fits one segment of its alphabet, with a brand of usual length. */
const notices: Readonly<Record<string, string>> = {
  en: '{brand}: the phone number of your account was changed. If it was not you, contact us at once.',
  de: '{brand}: Die Telefonnummer Ihres Kontos wurde geändert. Waren Sie das nicht, melden Sie sich sofort bei uns.',
  es: '{brand}: se ha cambiado el teléfono de tu cuenta. Si no has sido tú, contacta con nosotros enseguida.',
  fr: "{brand} : le numéro de téléphone de votre compte a été changé. Si ce n'est pas vous, contactez-nous vite.",
  it: '{brand}: il numero di telefono del tuo conto è stato cambiato. Se non sei stato tu, contattaci subito.',
  nl: '{brand}: het telefoonnummer van je account is gewijzigd. Was jij dat niet? Neem direct contact met ons op.',
  pt: '{brand}: o telefone da sua conta foi alterado. Se não foi você, fale connosco de imediato.',
};

export interface NoticeRequest {
  locale: string | undefined;
  country: string | undefined;
}

export type WriteNotice = (request: NoticeRequest) => Pick<MessageText, 'text' | 'locale' | 'dlt' | 'segments'>;

export function createNotices({ brandOf, localesFor, idsOf }: MessageWriter): WriteNotice {
  return ({ locale, country = '' }) => {
    const languages = localesFor(locale, country).filter((each) => notices[each] !== undefined);
    // As for codes: where texts must be registered, a registered one in another language is better.
    const isRegistered = (each: string) => idsOf(country, `${each}/notice`)?.template !== undefined;
    const language = languages.find(isRegistered) ?? languages[0]!;
    const text = notices[language]!.replaceAll('{brand}', () => brandOf(country));
    return { text, locale: language, dlt: idsOf(country, `${language}/notice`), segments: encodingOf(text).segments };
  };
}
