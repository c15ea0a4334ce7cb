/** Digits of any script as 0 to 9: people type Arabic, Persian, Devanagari and full-width ones too. */

/** Unicode keeps the ten digits of every script in a row, the zero first. */
export function westernDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => {
    let zero = digit.codePointAt(0)!;
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && digit.codePointAt(0)! - zero < 9) zero -= 1;
    return String((digit.codePointAt(0)! - zero) % 10);
  });
}
