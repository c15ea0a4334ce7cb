/** A phone number, made once at the door. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

export interface PhoneNumber {
  /** What links and counters are keyed by and messages are sent to: one spelling for each valid number. */
  readonly key: string;
  /** ISO 3166 code, where the number is valid. */
  readonly country: string | undefined;
  /** As libphonenumber names it, where it can tell. */
  readonly type: string | undefined;
}

/** E.164, as the specification has it. It alone decides about the format. */
const format = /^\+[1-9]\d{6,14}$/;

export function parsePhoneNumber(text: string): PhoneNumber | undefined {
  if (!format.test(text)) return undefined;
  const parsed = parsePhoneNumberFromString(text);
  // With all of the metadata a number is valid when it is of some type; isValid() would look for the type once more.
  const type = parsed?.getType();
  return type === undefined
    ? { key: text, country: undefined, type: undefined }
    : { key: parsed!.number, country: parsed!.country, type };
}

/** Enough for a person to recognise a number by, and too little to call it. */
export function maskPhone(key: string): string {
  return `${key.slice(0, 3)}…${key.slice(-2)}`;
}
