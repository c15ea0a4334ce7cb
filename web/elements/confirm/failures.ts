/** Why the host page could not confirm or send again, as far as it says. */
import { retryAfterSeconds as secondsOf } from '../../../client/errors.ts';
import { codeKinds, sentenceOf, unreachableKind, type Failure } from '../code/failures.ts';
import type { ConfirmFormTexts } from '../../intl/languages/confirm-texts.ts';

/** After one of these nothing can be approved any more. */
const endings = {
  expired: 'expired',
  failed: 'attemptsUsed',
  void: 'voided',
  'nothing-to-resend': 'over',
} as const;

const kinds = { ...codeKinds, ...endings, 'send-outcome-unknown': 'sendFailed' } as const;

type Reason = keyof typeof kinds;
export type EndingKind = (typeof endings)[keyof typeof endings];
type FailureKind = (typeof kinds)[Reason] | 'wrongChannel' | 'offline' | 'unreachable' | 'problem';

export interface ConfirmFailure extends Failure<FailureKind> {
  /** The host page's own sentence. */
  text: string | undefined;
}

/** What a host page may reject with; errors of the client have these members. */
interface Rejection {
  reason?: unknown;
  kind?: unknown;
  retryAfterSeconds?: unknown;
  text?: unknown;
}

/** Throws for an answer that refuses: a `fetch` of the host page succeeds for it, and it must not pass for approval. */
export function requireAccepted(answer: unknown): void {
  if (!(answer instanceof Response) || answer.ok) return;
  const { headers } = answer;
  throw { reason: headers.get('error-reason'), retryAfterSeconds: secondsOf(headers) } satisfies Rejection;
}

export function failureOf(error: unknown, now: number, isChannelChosen: boolean): ConfirmFailure {
  const { reason, kind, retryAfterSeconds, text } = Object(error) as Rejection;
  const met = kindOf(error, reason, isChannelChosen);
  const seconds = typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined;
  const isTimed = met === 'blocked' || met === 'throttled';
  return {
    kind: met,
    at: now,
    reason: [reason, kind, met].find((word) => typeof word === 'string')!,
    endsAt: isTimed && seconds !== undefined ? now + seconds * 1000 : undefined,
    retryAfterSeconds: seconds,
    text: typeof text === 'string' ? text : undefined,
  };
}

function kindOf(error: unknown, reason: unknown, isChannelChosen: boolean): FailureKind {
  if (typeof reason === 'string' && Object.hasOwn(kinds, reason)) return kinds[reason as Reason];
  if (isChannelChosen && reason === 'invalid-request') return 'wrongChannel';
  // A failed fetch is a TypeError.
  return error instanceof TypeError || Object(error).kind === 'offline' ? unreachableKind() : 'problem';
}

export function isEnding(kind: string): kind is EndingKind {
  return Object.values<string>(endings).includes(kind);
}

export function confirmSentence(failure: ConfirmFailure, texts: ConfirmFormTexts, now: number): string {
  return failure.text ?? sentenceOf(failure, { ...texts, problem: texts.failed }, now);
}
