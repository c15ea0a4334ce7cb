/** What create and resend-code of a confirmation have in common: their headers and errors. */
import type { ErrorReason } from '../../../errors.ts';

export const confirmationHeaders = { 'Idempotency-Key': 'At most 255 characters. The same key means the same send.' };

export const confirmationErrors = [
  'invalid-request',
  'phone-not-supported',
  'idempotency-conflict',
  'too-many-sends',
  'send-failed',
  'send-outcome-unknown',
  'send-in-progress',
] as const satisfies ErrorReason[];
