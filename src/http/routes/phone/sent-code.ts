/** What the operations have in common that send a code to a phone: their headers, errors and answer. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorReason } from '../../../errors.ts';
import type { ResendRequest } from '../../../phone/send-code.ts';
import type { SentCode } from '../../../codes/idempotent-send.ts';
import { callOrigin } from '../call-origin.ts';
import { idempotencyKeyAbout, idempotencyKeyOf } from '../idempotency-key.ts';
import type { Context, Reply } from '../../operation.ts';

export const sendCommon = {
  tag: 'Phone verification',
  scopes: ['phone'],
  responses: {
    204: {
      about: 'The code was sent, or the user is verified already. Without the headers, nothing was sent.',
      headers: {
        'Code-Length': 'Number of digits of the code.',
        'Code-Expires-In': 'Seconds for which the code can be used.',
      },
    },
  },
  requestHeaders: {
    'Idempotency-Key': idempotencyKeyAbout,
    'Challenge-Solution': 'The solution of the challenge of an earlier answer, valid for one send.',
    Attestation: 'An attestation of your back end that it trusts this send, valid for one send.',
  },
  checkHeaders: (headers: IncomingHttpHeaders) => void idempotencyKeyOf(headers),
} as const;

type SendDetails = Pick<ResendRequest, 'origin' | 'owner' | 'idempotencyKey' | 'proof'>;

/** A proof that is not valid counts as no proof. It is not an error. */
export function sendDetails({ caller, owner, request }: Omit<Context<unknown>, 'body'>): SendDetails {
  const { headers } = request;
  const textOf = (name: string) => [headers[name]].flat()[0];
  return {
    origin: callOrigin(caller, request),
    owner,
    idempotencyKey: idempotencyKeyOf(headers),
    proof: { solution: textOf('challenge-solution'), attestation: textOf('attestation') },
  };
}

export const sendErrors = [
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
  if (!sent) return { status: 204 };
  const { codeLength, expiresInSeconds } = sent;
  return { status: 204, headers: { 'code-length': String(codeLength), 'code-expires-in': String(expiresInSeconds) } };
}
