/** Why a step failed, and what the person can do about it. The service gives the reason in Error-Reason. */
import { LedgerlineError } from '../../client/errors.ts';
import { formatDuration } from './duration.ts';
import type { VerifyTexts } from '../languages/verify-texts.ts';

export type FailureKind =
  | 'invalidNumber'
  | 'notSupported'
  | 'taken'
  | 'unconfirmed'
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

export interface Failure {
  kind: FailureKind;
  /** The time of the failure, in milliseconds. */
  at: number;
  /** The reason for the host page: the Error-Reason, or the kind if the service did not answer. */
  reason: string;
  /** When it ends, in milliseconds; undefined if waiting does not help. */
  endsAt: number | undefined;
  retryAfterSeconds: number | undefined;
}

const kinds: Partial<Record<string, FailureKind>> = {
  'invalid-request': 'invalidNumber',
  'phone-not-supported': 'notSupported',
  'phone-taken': 'taken',
  'confirmation-required': 'unconfirmed',
  'invalid-code': 'invalidCode',
  'too-many-failures': 'blocked',
  'too-many-sends': 'throttled',
  'challenge-required': 'challenge',
  'send-failed': 'sendFailed',
  'send-in-progress': 'sendFailed',
  'send-outcome-unknown': 'sendUnknown',
  'invalid-token': 'sessionExpired',
};

export function failureOf(error: unknown, now: number): Failure {
  if (!(error instanceof LedgerlineError)) {
    // A failed fetch of the host page's own callback is a TypeError.
    const kind = error instanceof TypeError ? unreachableKind() : 'failed';
    return { kind, at: now, reason: kind, endsAt: undefined, retryAfterSeconds: undefined };
  }
  const kind = kinds[error.reason ?? ''] ?? kindWithoutReason(error);
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

function unreachableKind(): FailureKind {
  return navigator.onLine ? 'unreachable' : 'offline';
}

export function sentenceOf({ kind, endsAt }: Failure, texts: VerifyTexts, now: number): string {
  const time = formatDuration(Math.max(0, Math.ceil(((endsAt ?? now) - now) / 1000)));
  switch (kind) {
    case 'blocked':
      return texts.blocked(time);
    case 'throttled':
      return texts.throttled(time);
    case 'paused':
      return texts.paused(time);
    case 'notAllowed':
      return texts.notAllowed(location.origin);
    case 'sendUnknown':
      return texts.sendFailed;
    default:
      return texts[kind];
  }
}
