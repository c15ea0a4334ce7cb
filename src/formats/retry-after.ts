/** Seconds of a Retry-After header (RFC 9110, 10.2.3): a number, or a date. Undefined if it is neither. */
export function parseRetryAfter(header: string | undefined): number | undefined {
  const value = header?.trim() ?? '';
  // Some gateways write fractions, which Date.parse takes for a year.
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value));
  const milliseconds = Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.ceil(milliseconds / 1000));
}
