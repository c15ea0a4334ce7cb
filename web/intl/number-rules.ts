/** Everything that needs the metadata of phone numbers. Loaded when it is first needed: see load-number-rules.ts. */
import { AsYouType, getExampleNumber, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';

export interface TypedNumber {
  /** The text in the country's format. */
  text: string;
  /** The country, if the text begins with a calling code that identifies it. */
  country: string | undefined;
}

/** Formats a number while it is typed: national numbers in the country's format, others with their calling code. */
export function formatAsTyped(typed: string, country: string): TypedNumber {
  const formatter = new AsYouType(country as CountryCode);
  const text = formatter.input(typed.replace(/^\s*00/, '+'));
  return { text, country: text.startsWith('+') ? formatter.getCountry() : undefined };
}

export interface KnownNumber {
  /** E.164. */
  phoneNumber: string;
  /** With spaces, and the calling code. */
  display: string;
  country: string | undefined;
}

/** A number in any spelling that people use in a country; undefined if it cannot be one. */
export function parseNumber(typed: string, country: string | undefined): KnownNumber | undefined {
  const text = typed.trim().replace(/^00/, '+');
  const parsed = parsePhoneNumberFromString(text, country as CountryCode | undefined);
  if (!parsed?.isPossible()) return undefined;
  return { phoneNumber: parsed.number, display: parsed.formatInternational(), country: parsed.country };
}

/** A mobile number that looks like one of the country, as people write it there. */
export function exampleOf(country: string): string {
  return getExampleNumber(country as CountryCode, examples)?.formatNational() ?? '';
}

/** Another mobile number of the country each time, in E.164, for trying things out. */
export function randomNumberOf(country: string): string {
  const example = getExampleNumber(country as CountryCode, examples)?.number ?? '';
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const digits = String(Math.floor(Math.random() * 10_000)).padStart(4, '0');
    const parsed = parsePhoneNumberFromString(example.slice(0, -4) + digits);
    if (parsed?.isValid() && parsed.country === country) return parsed.number;
  }
  return example;
}
