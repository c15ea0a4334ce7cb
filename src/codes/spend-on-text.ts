/** Counts a text that no user asked for against the spend of the day, and against nothing else. */
import type { Clock } from '../values/clock.ts';
import type { PhoneNumber } from '../values/phone-number.ts';
import type { SendJudge } from './send-judge.ts';

/** Leases a part of the shared budgets. */
export type LeaseBudgets = (
  leases: string,
) => Promise<{ granted: [name: string, units: number][]; isSufficient: boolean }>;

/** Returns whether the text may be sent. */
export type SpendOnText = (phoneNumber: PhoneNumber) => Promise<boolean>;

export function createSpendOnText(judge: SendJudge, leaseBudgets: LeaseBudgets, clock: Clock): SpendOnText {
  return (phoneNumber) => {
    const destination = judge.find(phoneNumber);
    const spend = { ...destination, needs: destination.needs.filter(({ rule }) => rule === 'spend') };
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
