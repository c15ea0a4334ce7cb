/** The current state of the rules: configured limits, modes that an operator may have changed, the safe list. */
import { createLatestRead } from '../sharing/latest-read.ts';
import {
  planConfirmations,
  planFailures,
  planSends,
  type ConfirmationLimits,
  type FailureLimits,
  type GuardLimits,
  type SendLimits,
} from './limits.ts';
import { ruleNames, type Modes, type RuleMode } from './rules.ts';
import type { Digest } from './source.ts';

export interface GuardState {
  modes: { rule: string; mode: RuleMode }[];
  safe: { key: string; isPrefix: boolean }[];
}

export type LiveGuard = ReturnType<typeof createLiveGuard>;

export function createLiveGuard(
  readState: () => Promise<GuardState>,
  limits: GuardLimits,
  configured: Modes,
  digest: Digest,
) {
  let modes = configured;
  let plans = compile();
  let numbers: ReadonlySet<string> = new Set();
  let prefixes: readonly string[] = [];

  function compile() {
    return {
      failures: planFailures(limits, modes),
      confirmations: planConfirmations(limits, modes),
      sends: planSends(limits, modes, false),
      safeSends: planSends(limits, modes, true),
    };
  }

  function apply(state: GuardState): void {
    const changed = new Map(state.modes.map(({ rule, mode }) => [rule, mode]));
    const now = Object.fromEntries(ruleNames.map((rule) => [rule, changed.get(rule) ?? configured[rule]])) as Modes;
    if (ruleNames.some((rule) => now[rule] !== modes[rule])) {
      modes = now;
      plans = compile();
    }
    numbers = new Set(state.safe.filter(({ isPrefix }) => !isPrefix).map(({ key }) => key));
    prefixes = state.safe.filter(({ isPrefix }) => isPrefix).map(({ key }) => key);
  }

  return {
    limits,
    get modes(): Modes {
      return modes;
    },
    get failureLimits(): FailureLimits {
      return plans.failures;
    },
    get confirmationLimits(): ConfirmationLimits {
      return plans.confirmations;
    },
    sendLimits: (isSafe: boolean): SendLimits => (isSafe ? plans.safeSends : plans.sends),
    isSafe: (e164: string): boolean =>
      prefixes.some((prefix) => e164.startsWith(prefix)) ||
      (numbers.size > 0 && numbers.has(safeNumberKey(digest, e164))),
    refresh: createLatestRead(readState, apply),
  };
}

export function safeNumberKey(digest: Digest, e164: string): string {
  return digest('safe', e164).toString('hex');
}
