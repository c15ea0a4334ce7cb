/** What create and resend-code of a confirmation have in common: their headers and errors. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorReason } from '../../../errors.ts';
import { idempotencyKeyAbout, idempotencyKeyOf } from '../idempotency-key.ts';

export const confirmationCommon = {
  tag: 'Confirmations',
  scopes: ['phone'],
  requestHeaders: { 'Idempotency-Key': idempotencyKeyAbout },
  checkHeaders: (headers: IncomingHttpHeaders) => void idempotencyKeyOf(headers),
} as const;

export const confirmationErrors = [
  'phone-not-supported',
  'idempotency-conflict',
  'too-many-sends',
  'send-failed',
  'send-outcome-unknown',
  'send-in-progress',
] as const satisfies ErrorReason[];
