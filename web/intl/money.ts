/** Exact decimals: sums of whole numbers, and Intl on the digits instead of on a double. */
import { westernDigits } from './western-digits.ts';
import { directionOf } from './locale.ts';

function parts(text: string): { units: bigint; scale: number } {
  const [whole = '0', fraction = ''] = text.split('.');
  return { units: BigInt(whole + fraction), scale: fraction.length };
}

export function addDecimals(a: string, b: string): string {
  const [left, right] = [parts(a), parts(b)];
  const scale = Math.max(left.scale, right.scale);
  const raised = ({ units, scale: own }: { units: bigint; scale: number }) => units * 10n ** BigInt(scale - own);
  const sum = raised(left) + raised(right);
  const digits = (sum < 0n ? -sum : sum).toString().padStart(scale + 1, '0');
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return sum < 0n ? `-${text}` : text;
}

export function isZero(text: string): boolean {
  return !/[1-9]/.test(text);
}

export function isGreater(a: string, b: string): boolean {
  return addDecimals(b, `-${a}`).startsWith('-');
}

/**
 * Converts an amount that a person has typed to the format of the API; undefined if it is not an amount. Accepts the
 * digits of any script, currency signs, and separators of thousands: `1,000.50`, `1.000,50`, `1 000,50`, `1'000.50`.
 */
export function parseAmount(text: string, locale: string): string | undefined {
  const typed = westernDigits(text).replace(/[\s\u00a0\u202f'’٬_]|\p{Sc}/gu, '');
  // The Arabic decimal mark is never a separator of thousands. A point or a comma beside it separates thousands.
  const arabicMark = typed.includes('.') ? ',' : '.';
  const plain = typed.replaceAll('٫', arabicMark);
  const decimalMark = typed.includes('٫') ? arabicMark : decimalMarkOf(plain, locale);
  const groupMark = decimalMark === '.' ? ',' : '.';
  const [whole = '', fraction, ...rest] = plain.split(decimalMark);
  if (rest.length > 0 || fraction?.includes(groupMark)) return undefined;
  const groups = whole.split(groupMark);
  if (groups.length > 1 && groups.slice(1).some((group) => group.length !== 3)) return undefined;
  const joined = groups.join('') + (fraction === undefined ? '' : `.${fraction}`);
  return /^\d{1,20}(\.\d+)?$/.test(joined) ? joined : undefined;
}

/**
 * If there are two different marks, the last one is the decimal mark. A single mark is the decimal mark unless it
 * groups thousands.
 */
function decimalMarkOf(plain: string, locale: string): string {
  const separators = plain.match(/[.,]/g) ?? [];
  const last = separators.at(-1);
  const ofLocale = new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value;
  const usual = ofLocale === ',' || ofLocale === '٫' ? ',' : '.';
  if (last === undefined) return usual;
  const other = last === '.' ? ',' : '.';
  if (new Set(separators).size > 1) return last;
  if (separators.length > 1) return other;
  const isThousands = /^[1-9]\d{0,2}[.,]\d{3}$/.test(plain);
  return isThousands && last !== usual ? other : last;
}

export type Sign = '+' | '−' | '';

/** Shows all digits of the amount: 0.0025 is not 0.00. */
export function formatMoney(locale: string, text: string, currency: string, sign: Sign = ''): string {
  // A filter may have any text as its currency.
  const isRightToLeft = directionOf(locale) === 'rtl';
  if (!/^[A-Za-z]{3}$/.test(currency)) {
    return isRightToLeft ? isolatedAmount(sign + text, currency) : `${sign}${text} ${currency}`;
  }
  const scale = (text.split('.')[1] ?? '').replace(/0+$/, '').length;
  const formatter = formatterOf(locale, currency, scale, sign);
  // Intl formats decimal strings exactly, but the type allows only literals.
  const value = (sign === '−' ? `-${text}` : text) as `${number}`;
  // A hyphen is too short for a minus sign beside figures.
  if (!isRightToLeft) return formatter.format(value).replace('-', '−');
  const parts = formatter.formatToParts(value);
  const digits = parts.filter(({ type }) => type !== 'currency' && type !== 'literal').map((part) => part.value);
  const symbol = parts.find(({ type }) => type === 'currency')?.value ?? currency;
  return isolatedAmount(digits.join('').replace('-', '−'), symbol);
}

/** A round amount in few characters, for a scale: €5K. */
export function formatRoundMoney(locale: string, value: number, currency: string): string {
  const isCode = /^[A-Za-z]{3}$/.test(currency);
  const style = isCode ? ({ style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const) : {};
  return new Intl.NumberFormat(locale, { ...style, notation: 'compact', maximumSignificantDigits: 2 }).format(value);
}

/**
 * An amount in a language from right to left, whatever the direction of the text around it. Its digits run from left to
 * right, and its currency in the direction of its own letters: JP¥, but د.إ. from right to left. U+2066, U+2067 and
 * U+2068 begin an isolate from left to right, from right to left, and by its first letter; U+2069 ends it.
 */
function isolatedAmount(digits: string, currency: string): string {
  return `\u2067\u2066${digits}\u2069\u00a0\u2068${currency}\u2069\u2069`;
}

/** The characters of a shown amount that take up space. */
export function visibleLength(amount: string): number {
  return amount.replaceAll(/[\u2066-\u2069]/g, '').length;
}

const formatters = new Map<string, Intl.NumberFormat>();

function formatterOf(locale: string, currency: string, scale: number, sign: Sign): Intl.NumberFormat {
  const key = `${locale} ${currency} ${scale} ${sign}`;
  let formatter = formatters.get(key);
  if (!formatter) {
    const signDisplay = sign === '' ? 'auto' : 'exceptZero';
    formatter = new Intl.NumberFormat(locale, { style: 'currency', currency, signDisplay });
    const usual = formatter.resolvedOptions().maximumFractionDigits ?? 2;
    if (scale > usual) {
      const maximumFractionDigits = scale;
      formatter = new Intl.NumberFormat(locale, { style: 'currency', currency, signDisplay, maximumFractionDigits });
    }
    formatters.set(key, formatter);
  }
  return formatter;
}
