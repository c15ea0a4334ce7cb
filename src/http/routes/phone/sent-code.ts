/** What send-code and resend-code have in common: their headers, errors and answer. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorReason } from '../../../errors.ts';
import type { GivenProof } from '../../../guard/challenge.ts';
import type { SentCode } from '../../../codes/idempotent-send.ts';
import { idempotencyKeyOf } from '../idempotency-key.ts';
import { empty, type Reply, type ResponseDoc } from '../../operation.ts';

export const sentResponse: ResponseDoc = {
  about: 'The code was sent, or the user is verified already. Without the headers, nothing was sent.',
  headers: {
    'Code-Length': 'Number of digits of the code.',
    'Code-Expires-In': 'Seconds for which the code can be used.',
  },
};

export const sendHeaders = {
  'Idempotency-Key': 'At most 255 characters. The same key means the same send.',
  'Challenge-Solution': 'The solution of the challenge of an earlier answer, valid for one send.',
  Attestation: 'An attestation of your back end that it trusts this send, valid for one send.',
};

export interface SendHeaders {
  idempotencyKey: string | undefined;
  proof: GivenProof;
}

/** A proof that is not valid counts as no proof. It is not an error. */
export function sendHeadersOf(headers: IncomingHttpHeaders): SendHeaders {
  const textOf = (name: string) => [headers[name]].flat()[0];
  return {
    idempotencyKey: idempotencyKeyOf(headers),
    proof: { solution: textOf('challenge-solution'), attestation: textOf('attestation') },
  };
}

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
