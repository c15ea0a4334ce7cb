/** The forms of account and card numbers. */

const ibanForm = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;
const ibanModulus = 97;

/** An IBAN (ISO 13616) without white space and in upper case; undefined if its form or its check digits are wrong. */
export function parseIban(text: string): string | undefined {
  const iban = text.replaceAll(/\s/g, '').toUpperCase();
  if (!ibanForm.test(iban)) return undefined;
  const checkDigits = Number(iban.slice(2, 4));
  // The check digits are 98 minus a remainder of 97, so they are between 02 and 98.
  if (checkDigits < 2 || checkDigits > 98) return undefined;
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    // A letter stands for two digits: A for 10, Z for 35.
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % ibanModulus;
  }
  return remainder === 1 ? iban : undefined;
}

/** Business party, country, location and, if given, branch (ISO 9362:2022). */
const bicForm = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/;

export function parseBic(text: string): string | undefined {
  const bic = text.trim().toUpperCase();
  return bicForm.test(bic) ? bic : undefined;
}

/** At most the first six and the last four digits, as PCI DSS allows, and at least one mask character between them. */
const maskedForm = /^\d{0,6}[*x•]+\d{0,4}$/;

/** A masked card number as it was given; undefined for anything else, a full number above all. */
export function parseMaskedPan(text: string): string | undefined {
  return maskedForm.test(text.replaceAll(/[ -]/g, '')) ? text : undefined;
}

/** Long runs of digits, such as a card number, replaced: for messages that repeat text of a file. */
export function withoutLongNumbers(text: string): string {
  return text.replaceAll(/\d(?:[ -]?\d){11,}/g, '…');
}
