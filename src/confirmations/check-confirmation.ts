/** Checks the code of a confirmation, together with the terms that the caller is about to act on. */
import type { Clock } from '../values/clock.ts';
import type { JudgeAttempt } from '../codes/attempt-judge.ts';
import { invalidCode } from '../errors.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { LiveGuard } from '../guard/live.ts';
import { sourcesOf, type Digest, type Origin } from '../guard/source.ts';
import type { ConfirmationCodes } from './confirmation-codes.ts';
import type { ConfirmationsStore } from './confirmations.store.ts';
import type { Terms } from './terms.ts';

export interface CheckRules {
  store: ConfirmationsStore;
  codes: ConfirmationCodes;
  live: LiveGuard;
  judgeAttempt: JudgeAttempt;
  digest: Digest;
  clock: Clock;
  observe: Observe;
  /** The number of wrong attempts after which a code is no longer valid. */
  codeAttempts: number;
}

export interface CheckRequest {
  userId: number;
  /** Undefined if the path cannot name a confirmation. */
  confirmationId: string | undefined;
  code: string;
  terms: Terms;
  purpose: string | undefined;
  origin: Origin;
}

export interface ApprovedConfirmation {
  confirmationId: string;
  purpose: string;
  approvedAt: Date;
}

export type CheckConfirmation = ReturnType<typeof createCheckConfirmation>;

const noDigests = { terms: [], code: [] };

export function createCheckConfirmation(rules: CheckRules) {
  const { store, codes, live, digest, clock, observe } = rules;

  return async function checkConfirmation(request: CheckRequest): Promise<ApprovedConfirmation> {
    const { userId, confirmationId, terms, code, purpose, origin } = request;
    const { traceId } = origin;
    const now = clock.now();
    const given = confirmationId === undefined ? noDigests : codes.digestsOf({ userId, confirmationId, terms }, code);
    const result = await store.checkConfirmation({
      userId,
      confirmationId: confirmationId ?? null,
      now,
      termsDigests: given.terms,
      codeDigests: given.code,
      purpose,
      attemptLimit: rules.codeAttempts,
      limits: live.confirmationLimits,
    });
    const attempt = { kind: 'confirmation', userId, e164: undefined, now, traceId } as const;
    const sources = sourcesOf(digest, origin);
    await rules.judgeAttempt({ sources, ...attempt }, result.refusals, result.decision === 'refused');
    if (result.decision === 'approved') {
      observe({ kind: 'confirmation-approved', userId, purpose: result.purpose, traceId });
      return { confirmationId: confirmationId!, purpose: result.purpose, approvedAt: now };
    }
    observe({ kind: 'confirmation-refused', userId, reason: result.reason!, traceId });
    throw invalidCode();
  };
}
