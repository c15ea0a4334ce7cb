/** Writes an event when a rule fires: at most one per hour, rule and country, for all processes together. */
import { secondsBetween } from '../values/clock.ts';
import type { Decision } from './decisions.ts';
import type { Evidence } from './evidence.ts';
import type { RuleName } from './rules.ts';

export interface FiredRule {
  rule: RuleName;
  /** ISO 3166; null if it is not known. */
  country: string | null;
  mode: 'shadow' | 'enforce';
  evidence: Evidence | undefined;
  at: Date;
}

export interface FiredRulesOptions {
  /** Writes the event, unless another process has written one for the rule and country within this time. */
  write(fired: FiredRule, seconds: number): Promise<void>;
  onError(error: unknown): void;
}

const eventSeconds = 3600;

export function createFiredRules({ write, onError }: FiredRulesOptions) {
  /** When this process last wrote the event of a rule, or found that another process had. */
  const writtenAt = new Map<string, Date>();

  return {
    /** Resolves when the event is written. Most decisions write none. */
    async writeEvent({ rule, country, action, at, evidence }: Decision): Promise<void> {
      const key = `${rule} ${country ?? ''}`;
      const before = writtenAt.get(key);
      if (before && secondsBetween(before, at) < eventSeconds) return;
      writtenAt.set(key, at);
      try {
        const mode = action === 'refused' ? 'enforce' : 'shadow';
        await write({ rule, country: country ?? null, mode, at, evidence }, eventSeconds);
      } catch (error) {
        // The next decision writes it.
        writtenAt.delete(key);
        onError(error);
      }
    },
    forget: () => writtenAt.clear(),
  };
}
