/** Why a step failed, and what the person can do about it. The service gives the reason in Error-Reason. */
import { LedgerlineError } from '../../../client/errors.ts';
import { codeKinds, sentenceOf, unreachableKind, type Failure } from '../code/failures.ts';
import type { VerifyFormTexts } from '../../intl/languages/verify-texts.ts';

export type FailureKind =
  | 'invalidNumber'
  | 'notSupported'
  | 'taken'
  | 'unconfirmed'
  | 'wrongChannel'
  | 'invalidCode'
  | 'blocked'
  | 'throttled'
  | 'paused'
  | 'challenge'
  | 'sendFailed'
  | 'sendUnknown'
  | 'offline'
  | 'unreachable'
  | 'notAllowed'
  | 'sessionExpired'
  | 'failed';

export type VerifyFailure = Failure<FailureKind>;

const kinds: Partial<Record<string, FailureKind>> = {
  ...codeKinds,
  'invalid-request': 'invalidNumber',
  'phone-not-supported': 'notSupported',
  'phone-taken': 'taken',
  'confirmation-required': 'unconfirmed',
  'challenge-required': 'challenge',
  'send-outcome-unknown': 'sendUnknown',
};

export function failureOf(error: unknown, now: number): VerifyFailure {
  if (!(error instanceof LedgerlineError)) {
    // A failed fetch of the host page's own callback is a TypeError.
    const kind = error instanceof TypeError ? unreachableKind() : 'failed';
    return { kind, at: now, reason: kind, endsAt: undefined, retryAfterSeconds: undefined };
  }
  const kind = error.errors.Channel ? 'wrongChannel' : (kinds[error.reason ?? ''] ?? kindWithoutReason(error));
  const seconds = error.retryAfterSeconds;
  const isTimed = kind === 'blocked' || kind === 'throttled' || kind === 'paused';
  return {
    kind,
    at: now,
    reason: error.reason ?? error.kind,
    endsAt: isTimed && seconds !== undefined ? now + seconds * 1000 : undefined,
    retryAfterSeconds: seconds,
  };
}

function kindWithoutReason({ kind }: LedgerlineError): FailureKind {
  if (kind === 'offline') return unreachableKind();
  if (kind === 'unauthorized') return 'sessionExpired';
  // The client's own pause between two codes.
  if (kind === 'too-many') return 'paused';
  return 'failed';
}

export function verifySentence(failure: VerifyFailure, texts: VerifyFormTexts, now: number): string {
  return sentenceOf(
    failure,
    { ...texts, sendUnknown: texts.sendFailed, notAllowed: texts.notAllowed(location.origin) },
    now,
  );
}
