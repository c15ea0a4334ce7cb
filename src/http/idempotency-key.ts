/** The header by which a caller may ask twice and be served once. */
import type { IncomingHttpHeaders } from 'node:http';
import { invalidFields } from '../errors.ts';

export function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalidFields({ 'Idempotency-Key': ['The Idempotency-Key must be 1 to 255 printable characters.'] });
}

export const idempotencyAbout =
  'With the header Idempotency-Key a repeated request gets the first one’s answer and no second text goes out, for 24 hours; after a 429 or 503 it tries again.';
