/** Checks a code and marks the phone it was sent to as the user's own. */
import { secondsBetween, type Clock } from '../clock.ts';
import type { DigestKeys } from '../digest-keys.ts';
import { invalidCode, tooManyFailures } from '../errors.ts';
import type { Observe } from '../observe.ts';
import { isCodeOf } from './code.ts';
import { judge, prefixOf, type Objection, type RuleName, type Source } from '../guard/rules.ts';
import type { DecisionLog } from '../guard/decisions.ts';
import type { LiveGuard } from '../guard/live.ts';
import { sourceOf, type Digest, type Origin } from '../guard/source.ts';
import { maskPhone } from './phone-number.ts';
import type { Attempt, AttemptReservation, PhoneStore } from './phone.store.ts';

export interface VerifyRules {
  store: PhoneStore;
  clock: Clock;
  observe: Observe;
  live: LiveGuard;
  decisions: DecisionLog;
  digest: Digest;
  attempts: number;
  digestKeys: DigestKeys;
}

export type VerifyCode = ReturnType<typeof createVerifyCode>;

const ruleOfBlock = {
  user: 'user-failures',
  address: 'address-failures',
  token: 'token-failures',
  phone: 'phone-failures',
  code: 'one-code',
} as const satisfies Record<keyof AttemptReservation['blocks'], RuleName>;

/** What could be a code at all. */
const codeLike = /^\d{4,10}$/;

export function createVerifyCode({ store, clock, observe, live, decisions, digest, ...rules }: VerifyRules) {
  return async function verifyCode(userId: number, code: string, origin: Origin): Promise<void> {
    const now = clock.now();
    const attempt: Attempt = {
      userId,
      now,
      plan: live.failurePlan,
      attempts: rules.attempts,
      source: sourceOf(digest, origin),
      code:
        live.modes['one-code'] === 'off'
          ? undefined
          : { key: digest('code', code), enforced: live.modes['one-code'] === 'enforce' },
    };
    const reserved = await store.reserveAttempt(attempt);
    judgeBlocks(attempt, reserved);
    const { number, phone, digest: expected } = reserved.code!;
    if (!expected) return refuse(attempt, code, 'no-code');
    if (!isCodeOf(rules.digestKeys, expected, { userId, number, phone }, code)) {
      return refuse(attempt, code, 'wrong-code');
    }
    // Right, but another call may use it up first, or another user may have verified the number.
    const prefix = live.modes.prefix === 'off' ? undefined : prefixOf(phone);
    if (!(await store.consumeCode(attempt, { number, phone }, prefix))) {
      return refuse(attempt, code, 'lost-race');
    }
    observe({ kind: 'verified', userId });
  };

  /** Throws when an enforced rule refused the attempt; notes what others would have refused. */
  function judgeBlocks({ userId, now, source }: Attempt, { code, blocks }: AttemptReservation): void {
    const objections = Object.entries(ruleOfBlock).flatMap(([name, rule]): Objection[] => {
      const until = blocks[name as keyof typeof blocks];
      return until ? [{ rule, waitSeconds: secondsBetween(now, until) }] : [];
    });
    const { refusal, shadows } = judge(objections, live.modes);
    for (const rule of shadows) note(userId, source, rule, 'shadow', now, code?.phone);
    if (code) return;
    // A block that came up meanwhile is not known here; the next call will hear for how long.
    const { rule, waitSeconds = 1 } = refusal ?? { rule: 'user-failures' as const, waitSeconds: 1 };
    note(userId, source, rule, 'refused', now, undefined);
    observe({ kind: 'verify-refused', userId, reason: 'blocked', rule });
    throw tooManyFailures(waitSeconds, rule);
  }

  async function refuse(
    { userId, now, code: known }: Attempt,
    code: string,
    reason: 'no-code' | 'wrong-code' | 'lost-race',
  ): Promise<never> {
    observe({ kind: 'verify-refused', userId, reason });
    const [rate] = live.limits.codeUsers;
    if (rate && known && codeLike.test(code)) await store.noteFailedCode(known.key, userId, now, rate);
    throw invalidCode();
  }

  function note(
    userId: number,
    { address, token }: Source,
    rule: RuleName,
    action: 'refused' | 'shadow',
    at: Date,
    phone: string | undefined,
  ): void {
    decisions.note({
      at,
      rule,
      action,
      operation: 'verify-phone',
      userId,
      phone: phone && maskPhone(phone),
      phoneKey: phone ? digest('phone', phone) : undefined,
      country: undefined,
      source: address?.label ?? token?.label,
    });
  }
}
