/** The header Idempotency-Key of a send. */
import type { IncomingHttpHeaders } from 'node:http';
import { invalidFields } from '../../errors.ts';

const maxLength = 255;

export function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && key.length >= 1 && key.length <= maxLength) return key;
  throw invalidFields({ IdempotencyKey: [`The Idempotency-Key must have 1 to ${maxLength} characters.`] });
}

export const idempotencyKeyAbout = 'At most 255 characters. The same key means the same send.';

export const idempotencyAbout =
  'With the header Idempotency-Key, a repeated request gets the first answer again and nothing is sent twice, for 24 hours. After a 429 or 503 the request is processed again.';
