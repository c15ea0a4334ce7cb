/** What send-code and resend-code answer. */
import type { ErrorReason } from '../../errors.ts';
import type { SentCode } from '../../phone/send-once.ts';
import { empty, type Reply, type ResponseDoc } from '../operation.ts';

export const sentResponse: ResponseDoc = {
  about: 'The code was sent, or the user is verified already. Without the headers, nothing was sent.',
  headers: {
    'Code-Length': 'Number of digits of the code.',
    'Code-Expires-In': 'Seconds for which the code can be used.',
  },
};

/** The errors that send-code and resend-code have in common. */
export const sendErrors = [
  'invalid-request',
  'phone-taken',
  'phone-not-supported',
  'idempotency-conflict',
  'too-many-sends',
  'challenge-required',
  'send-failed',
  'send-outcome-unknown',
  'send-in-progress',
] as const satisfies ErrorReason[];

export function sentReply(sent: SentCode | undefined): Reply {
  if (!sent) return empty(204);
  const { codeLength, expiresInSeconds } = sent;
  return { status: 204, headers: { 'code-length': String(codeLength), 'code-expires-in': String(expiresInSeconds) } };
}
