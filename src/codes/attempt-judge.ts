/** Judges an attempt to use a code by the blocks that failures have caused, whatever the code is for. */
import { tooManyFailures } from '../errors.ts';
import type { Decision, DecisionLog } from '../guard/decisions.ts';
import { judge, objectionsOf, type RuleRefusal } from '../guard/judge.ts';
import type { LiveGuard } from '../guard/live.ts';
import { ruleOf, type RuleName } from '../guard/rules.ts';
import type { Digest, Source } from '../guard/source.ts';
import type { Observe } from '../monitoring/observe.ts';
import { maskPhone } from '../values/phone-number.ts';
import type { CodeKind } from './code.ts';

export interface AttemptJudgeParts {
  live: LiveGuard;
  decisions: DecisionLog;
  digest: Digest;
  observe: Observe;
}

export interface JudgedAttempt {
  kind: CodeKind;
  userId: number;
  /** The phone that the code was sent to, if it is known. */
  e164: string | undefined;
  sources: readonly Source[];
  now: Date;
  /** Of the request, for the log. */
  traceId: string;
}

/** What the decisions call an attempt with each kind of code. */
const operations = {
  verification: 'verify-phone',
  change: 'verify-change',
  confirmation: 'check-confirmation',
} as const satisfies Record<CodeKind, Decision['operation']>;

/** Throws if an enforced rule refused the attempt; notes the rules that would have refused it. */
export type JudgeAttempt = (
  attempt: JudgedAttempt,
  refusals: readonly RuleRefusal[],
  isRefused: boolean,
) => Promise<void>;

export function createAttemptJudge({ live, decisions, digest, observe }: AttemptJudgeParts): JudgeAttempt {
  return async function judgeAttempt(attempt, refusals, isRefused) {
    const { kind, userId, now, traceId } = attempt;
    const objections = objectionsOf(refusals, now);
    const { refusal, shadows } = judge(objections, live.modes);
    for (const { rule } of shadows) await note(attempt, rule, 'shadow');
    if (!isRefused) return;
    // There is no objection if the mode of its rule changed during the call. The next call uses the new mode.
    const { rule, waitSeconds = 1 } = refusal ?? objections[0] ?? { rule: 'user-failures' as const };
    await note(attempt, rule, 'refused');
    observe({
      kind: kind === 'confirmation' ? 'confirmation-refused' : 'verify-refused',
      userId,
      reason: 'blocked',
      rule,
      traceId,
    });
    throw tooManyFailures(waitSeconds, ruleOf(rule).refusal);
  };

  async function note(
    { kind, userId, e164, sources, now }: JudgedAttempt,
    rule: RuleName,
    action: Decision['action'],
  ): Promise<void> {
    await decisions.note({
      at: now,
      rule,
      action,
      operation: operations[kind],
      userId,
      maskedPhone: e164 && maskPhone(e164),
      phoneKey: e164 ? digest('phone', e164) : undefined,
      country: undefined,
      source: sources[0]?.label,
    });
  }
}
