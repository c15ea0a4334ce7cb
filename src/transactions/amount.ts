/** Exact decimals, as text. They are never converted to a double. */

/** Non-negative, at most 20 digits before the point and 6 after. The scale is kept as it was sent. */
export type Amount = string & { readonly _: 'Amount' };

/** A bound of a range: any sign, any scale. */
export type AmountBound = string & { readonly _: 'AmountBound' };

const plain = /^(\d+)(?:\.(\d+))?$/;
const scientific = /^(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,3})$/;

/** Amounts that need no change. */
const usual = /^(?:0|[1-9]\d{0,19})(?:\.\d{1,6})?$/;

/** From a decimal string, or from the text of a JSON number. Only the latter may have an exponent. */
export function parseAmount(text: string, mayHaveExponent: boolean): Amount | undefined {
  if (usual.test(text)) return text as Amount;
  const match = plain.exec(mayHaveExponent ? expand(text) : text);
  if (!match) return undefined;
  const whole = match[1]!.replace(/^0+(?=\d)/, '');
  const fraction = match[2] ?? '';
  if (whole.length > 20 || fraction.length > 6) return undefined;
  return (fraction === '' ? whole : `${whole}.${fraction}`) as Amount;
}

/** 1.5e3 as 1500: the exponent moves the point, and no digit is lost. */
function expand(text: string): string {
  const match = scientific.exec(text);
  if (!match) return text;
  const [, whole, fraction = '', exponent] = match;
  const point = whole!.length + Number(exponent);
  const digits = whole! + fraction;
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return digits + '0'.repeat(point - digits.length);
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Equal by value, whatever the scale: 10 is 10.00. */
export function sameAmount(a: string, b: string): boolean {
  return a === b || withoutScale(a) === withoutScale(b);
}

/** The same value in its shortest form. */
export function withoutScale(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}

const bound = /^-?\d{1,20}(?:\.\d{1,1000})?$/;

export function parseAmountBound(text: string): AmountBound | undefined {
  return bound.test(text) ? (text as AmountBound) : undefined;
}

const minBigint = -(2n ** 63n) + 1n;
const maxBigint = 2n ** 63n - 1n;

/** An amount in millionths, as digits; null if it is too large for a bigint. */
export function inMillionths(amount: Amount): string | null {
  const point = amount.indexOf('.');
  const digits = point < 0 ? `${amount}000000` : amount.slice(0, point) + amount.slice(point + 1).padEnd(6, '0');
  return digits.length < 19 || BigInt(digits) < maxBigint ? digits : null;
}

/** The smallest whole number of millionths within a lower bound. */
export function minMillionths(bound: AmountBound | undefined): string {
  return bound === undefined ? String(minBigint) : clamped(-floorMillionths(negated(bound)));
}

/** The largest one within an upper bound. */
export function maxMillionths(bound: AmountBound | undefined): string {
  return bound === undefined ? String(maxBigint) : clamped(floorMillionths(bound));
}

function negated(bound: AmountBound): AmountBound {
  return (bound.startsWith('-') ? bound.slice(1) : `-${bound}`) as AmountBound;
}

function floorMillionths(bound: AmountBound): bigint {
  const scale = Math.max(6, fractionOf(bound).length);
  const value = scaled(bound, scale);
  const unit = 10n ** BigInt(scale - 6);
  return value < 0n && value % unit !== 0n ? value / unit - 1n : value / unit;
}

function clamped(value: bigint): string {
  return String(value < minBigint ? minBigint : value > maxBigint ? maxBigint : value);
}

/** Whether a is greater than b, compared exactly. */
export function isAbove(a: AmountBound, b: AmountBound): boolean {
  const scale = Math.max(fractionOf(a).length, fractionOf(b).length);
  return scaled(a, scale) > scaled(b, scale);
}

function fractionOf(amount: string): string {
  return amount.split('.')[1] ?? '';
}

/** The sign is part of the joined text, so -0.5 keeps it. */
function scaled(amount: string, scale: number): bigint {
  return BigInt(amount.split('.')[0] + fractionOf(amount).padEnd(scale, '0'));
}

/** The exact sum of two decimals with at most six digits after the point. */
export function addAmounts(a: string, b: string): string {
  const sum = scaled(a, 6) + scaled(b, 6);
  const digits = String(sum < 0n ? -sum : sum).padStart(7, '0');
  return withoutScale(`${sum < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`);
}
