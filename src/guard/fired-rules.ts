/** Tells of a rule that fired: the first time in an hour by rule and country, as one event for all processes. */
import { secondsBetween } from '../clock.ts';
import type { Decision } from './decisions.ts';
import type { RuleName } from './rules.ts';

export interface FiredRule {
  rule: RuleName;
  /** ISO 3166, or empty. */
  country: string;
  mode: 'shadow' | 'enforce';
  evidence: string | null;
  at: Date;
}

export interface FiredRulesOptions {
  /** Writes the event, unless another process has told of the rule within the time. */
  write(fired: FiredRule, seconds: number): Promise<void>;
  onError(error: unknown): void;
}

export type FiredRules = ReturnType<typeof createFiredRules>;

const toldSeconds = 3600;

export function createFiredRules({ write, onError }: FiredRulesOptions) {
  /** When this process last told of a rule, or saw that another one had. */
  const toldAt = new Map<string, Date>();

  return {
    /** Resolves when the event is written. Most decisions have none, and nothing to wait for. */
    async tell({ rule, country = '', action, at, evidence }: Decision): Promise<void> {
      const key = `${rule} ${country}`;
      const before = toldAt.get(key);
      if (before && secondsBetween(before, at) < toldSeconds) return;
      toldAt.set(key, at);
      try {
        const mode = action === 'refused' ? 'enforce' : 'shadow';
        await write({ rule, country, mode, at, evidence: evidence ?? null }, toldSeconds);
      } catch (error) {
        // The next decision tells of it.
        toldAt.delete(key);
        onError(error);
      }
    },
    forget: () => toldAt.clear(),
  };
}
