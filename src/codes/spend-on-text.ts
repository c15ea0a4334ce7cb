/** Counts a text that no user is counted for against the budgets that all users share. */
import type { Target } from '../guard/destination.ts';
import type { RuleName } from '../guard/rules.ts';
import type { Clock } from '../values/clock.ts';
import type { SendJudge } from './send-judge.ts';

/** Leases a part of the shared budgets. */
export type LeaseBudgets = (
  leases: string,
) => Promise<{ granted: [name: string, units: number][]; isSufficient: boolean }>;

/** Returns whether the text may be sent, by the spend of the day, and by these rules. */
export type SpendOnText = (target: Target, ...rules: readonly RuleName[]) => Promise<boolean>;

export function createSpendOnText(judge: SendJudge, leaseBudgets: LeaseBudgets, clock: Clock): SpendOnText {
  return async (target, ...rules) => {
    const isAsked = (rule: RuleName) => rule === 'spend' || rules.includes(rule);
    const destination = judge.find(target);
    if (destination.against.some((rule) => isAsked(rule) && judge.isEnforced(rule))) return false;
    const spend = { ...destination, needs: destination.needs.filter(({ rule }) => isAsked(rule)) };
    return judge.lease(spend, async (taken, report) => {
      const now = clock.now();
      if (taken.denied.some(({ need }) => judge.isEnforced(need.rule))) return false;
      const leases = judge.writeLeases(taken, now);
      const { granted, isSufficient } =
        leases === null ? { granted: [], isSufficient: true } : await leaseBudgets(leases);
      const leased = { isLeased: leases !== null, budgetLeases: new Map(granted) };
      report(judge.settlementOf(leased, taken, isSufficient, now));
      return isSufficient;
    });
  };
}
