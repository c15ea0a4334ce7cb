/** The limits of every rule, and how much of each the busiest key has used. */
import { daySeconds, secondsAfter, type Clock } from '../values/clock.ts';
import type { GuardLimits } from './limits.ts';
import { countingRuleNames, countingRuleOf, ruleNames, ruleOf, type CountingRuleName, type RuleName } from './rules.ts';
import type { UsageStore } from './usage.store.ts';
import type { Owner } from '../sharing/slots.ts';

export interface UsedLimit {
  /**
   * A country or a range; null for a limit on everything together, and for a subject that only an operator with a
   * reason may see.
   */
  subject: string | null;
  /** The user who used most of it, if the limit is for each user. */
  userId: number | null;
  used: number;
  /** Null if the limit depends on what is normal. */
  limit: number | null;
  /** The length of the window; null for a day in UTC. */
  seconds: number | null;
  /** How long failures block; null if they do not. */
  blockSeconds: number | null;
}

export interface RuleUsage {
  rule: RuleName;
  counts: string;
  limits: UsedLimit[];
}

const shownBudgets = 5;
const shownRanges = 5;
/** Limits on spending are in ten-thousandths of the operator's currency. */
const moneyUnits = 10_000;

export type ReadUsage = (owner: Owner) => Promise<RuleUsage[]>;

export function createUsage(store: UsageStore, limits: GuardLimits, clock: Clock): ReadUsage {
  async function countingLimits(rule: CountingRuleName, now: Date, owner: Owner): Promise<UsedLimit[]> {
    const counter = countingRuleOf(rule);
    return Promise.all(
      limits.rates[rule].map(async ({ count, seconds, blockSeconds }) => {
        const { used, userId } = await store.findBusiest(counter, secondsAfter(now, -seconds), owner);
        return { subject: null, userId, used, limit: count, seconds, blockSeconds: blockSeconds ?? null };
      }),
    );
  }

  async function budgetLimits(prefix: 'sends' | 'spend', units: number, now: Date, owner: Owner): Promise<UsedLimit[]> {
    const budgets = await store.readFullestBudgets(now.toISOString().slice(0, 10), prefix, shownBudgets, owner);
    return budgets.map(({ name, used, cap }) => ({
      ...shared,
      subject: name.split(' ')[1] ?? null,
      used: used / units,
      limit: cap / units,
    }));
  }

  async function rangeLimits(now: Date, owner: Owner): Promise<UsedLimit[]> {
    const ranges = await store.readBusiestRanges(secondsAfter(now, -daySeconds), now, shownRanges, owner);
    return ranges
      .map(({ name, unverified }) => ({ ...shared, subject: name, used: Math.round(unverified), limit: null }))
      .filter(({ used }) => used > 0);
  }

  async function limitsOf(rule: RuleName, now: Date, owner: Owner): Promise<UsedLimit[]> {
    const counting = countingRuleNames.find((name) => name === rule);
    if (counting) return countingLimits(counting, now, owner);
    if (rule === 'spend') return budgetLimits('spend', moneyUnits, now, owner);
    if (rule === 'country-sends') return budgetLimits('sends', 1, now, owner);
    return rule === 'prefix' ? rangeLimits(now, owner) : [];
  }

  return async function readUsage(owner) {
    const now = clock.now();
    const usage: RuleUsage[] = [];
    // One after the other: an operator's page must not use all connections for long statements.
    for (const rule of ruleNames)
      usage.push({ rule, counts: ruleOf(rule).counts, limits: await limitsOf(rule, now, owner) });
    return usage;
  };
}

const shared = { userId: null, seconds: null, blockSeconds: null } as const;
