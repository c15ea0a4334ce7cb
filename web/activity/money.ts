/** Decimals that stay exact: sums by whole numbers, and Intl on the digits rather than on a double. */

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

export type Sign = '+' | '−' | '';

/** Shows no fewer digits than there are: 0.0025 is not 0.00. */
export function formatMoney(locale: string, text: string, currency: string, sign: Sign = ''): string {
  const scale = (text.split('.')[1] ?? '').replace(/0+$/, '').length;
  const formatter = formatterOf(locale, currency, scale, sign);
  // Intl takes decimal strings exactly; the type knows only of literals.
  const value = (sign === '−' ? `-${text}` : text) as `${number}`;
  // Beside figures a hyphen is too short for a minus.
  return formatter.format(value).replace('-', '−');
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
