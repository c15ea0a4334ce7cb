/** A phone number, parsed once when the request is read. */
import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';

export interface PhoneNumber {
  /** The canonical spelling, which is the key of links and counters and the destination of messages. */
  readonly e164: string;
  /** ISO 3166 code; undefined if the number is not valid. */
  readonly country: string | undefined;
  /** The type by the names of libphonenumber; undefined if it is not known. */
  readonly type: string | undefined;
}

/** E.164, as the specification defines it. Only this decides whether the format is accepted. */
const format = /^\+[1-9]\d{6,14}$/;

/** Spellings that reach the same phone but that libphonenumber treats as different, and the canonical one. */
const spellings: readonly (readonly [spelling: RegExp, canonical: string])[] = [
  // Argentina: callers from abroad dial a 9 before a mobile number. The ten digits alone identify the subscriber.
  [/^\+54((?:11|[23]\d)\d{8})$/, '+549$1'],
  // Mexico: the 1 before mobile numbers was abolished in 2019, and many phones still have numbers with it.
  [/^\+521(\d{10})$/, '+52$1'],
];

export function parsePhoneNumber(text: string): PhoneNumber | undefined {
  if (!format.test(text)) return undefined;
  const parsed = recognise(text);
  const e164 = canonicalSpelling(parsed.e164);
  if (e164 === parsed.e164) return parsed;
  const { country = parsed.country, type = parsed.type } = recognise(e164);
  return { e164, country, type };
}

function recognise(text: string): PhoneNumber {
  const parsed = parsePhoneNumberFromString(text);
  // With the complete metadata a number is valid if it has a type; isValid() would look up the type again.
  const type = parsed?.getType();
  return type === undefined
    ? { e164: text, country: undefined, type: undefined }
    : { e164: parsed!.number, country: parsed!.country, type };
}

/** The ISO 3166 code of a number's country; null if unknown. */
export function countryOf(e164: string): string | null {
  return parsePhoneNumber(e164)?.country ?? null;
}

/** Whether phone numbers can have this ISO 3166 code. */
export const hasPhoneNumbers = (code: string): boolean => isSupportedCountry(code);

export function canonicalSpelling(e164: string): string {
  for (const [spelling, canonical] of spellings) {
    if (spelling.test(e164)) return e164.replace(spelling, canonical);
  }
  return e164;
}

/** Enough digits for a person to recognise a number, but too few to call it. */
export function maskPhone(e164: string): string {
  return `${e164.slice(0, 3)}…${e164.slice(-2)}`;
}
