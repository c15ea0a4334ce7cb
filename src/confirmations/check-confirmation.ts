/** Checks the code of a confirmation, together with the terms that the caller is about to act on. */
import type { Clock } from '../values/clock.ts';
import { invalidCode, tooManyFailures } from '../errors.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { Decision, DecisionLog } from '../guard/decisions.ts';
import { judge, objectionsOf } from '../guard/judge.ts';
import type { LiveGuard } from '../guard/live.ts';
import { ruleOf, type RuleName } from '../guard/rules.ts';
import { sourcesOf, type Digest, type Origin } from '../guard/source.ts';
import type { ConfirmationCodes } from './confirmation-codes.ts';
import type { ConfirmationsStore } from './confirmations.store.ts';
import type { Terms } from './terms.ts';

export interface CheckRules {
  store: ConfirmationsStore;
  codes: ConfirmationCodes;
  live: LiveGuard;
  decisions: DecisionLog;
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
  const { store, codes, live, decisions, digest, clock, observe } = rules;

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
    const objections = objectionsOf(result.refusals, now);
    const { refusal, shadows } = judge(objections, live.modes);
    for (const rule of shadows) await note(request, rule, 'shadow', now);
    if (result.decision === 'approved') {
      observe({ kind: 'confirmation-approved', userId, purpose: result.purpose, traceId });
      return { confirmationId: confirmationId!, purpose: result.purpose, approvedAt: now };
    }
    if (result.decision === 'invalid') {
      observe({ kind: 'confirmation-refused', userId, reason: result.reason!, traceId });
      throw invalidCode();
    }
    // There is no objection if the mode of its rule changed during the call. The next call uses the new mode.
    const { rule, waitSeconds = 1 } = refusal ?? objections[0]!;
    await note(request, rule, 'refused', now);
    observe({ kind: 'confirmation-refused', userId, reason: 'blocked', rule, traceId });
    throw tooManyFailures(waitSeconds, ruleOf(rule).refusal);
  };

  async function note(
    { userId, origin }: CheckRequest,
    rule: RuleName,
    action: Decision['action'],
    at: Date,
  ): Promise<void> {
    await decisions.note({
      at,
      rule,
      action,
      operation: 'check-confirmation',
      userId,
      maskedPhone: undefined,
      phoneKey: undefined,
      country: undefined,
      source: sourcesOf(digest, origin)[0]?.label,
    });
  }
}
