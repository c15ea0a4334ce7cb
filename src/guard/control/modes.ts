/** The rules with their modes, as operators see and change them. */
import { secondsAfter, type Clock } from '../../values/clock.ts';
import type { Operator } from '../../audit/operator-actions.ts';
import type { Owner } from '../../sharing/slots.ts';
import type { AnnounceChange } from './announce-change.ts';
import type { DecisionsStore } from '../decisions.store.ts';
import type { ModesStore } from './modes.store.ts';
import { ruleNames, ruleOf, type Modes, type RuleMode, type RuleName } from '../rules.ts';

export interface RuleState {
  rule: RuleName;
  about: string;
  mode: RuleMode;
  configuredMode: RuleMode;
  changedAt: Date | null;
  changedBy: string | null;
  /** Decisions of the last 24 hours. */
  refused: number;
  shadow: number;
}

export interface ModeParts {
  store: ModesStore & Pick<DecisionsStore, 'readTotals'>;
  configured: Modes;
  clock: Clock;
  announceChange: AnnounceChange;
}

const daySeconds = 86_400;

export function createModes({ store, configured, clock, announceChange }: ModeParts) {
  return {
    async listRules(owner?: Owner): Promise<RuleState[]> {
      const [changes, totals] = await Promise.all([
        store.readModes(owner),
        store.readTotals(secondsAfter(clock.now(), -daySeconds), owner),
      ]);
      const countDecisions = (rule: RuleName, action: string) =>
        totals.find((total) => total.rule === rule && total.action === action)?.decisions ?? 0;
      return ruleNames.map((rule) => {
        const change = changes.find((each) => each.rule === rule);
        return {
          rule,
          about: ruleOf(rule).sentence,
          mode: change?.mode ?? configured[rule],
          configuredMode: configured[rule],
          changedAt: change?.changedAt ?? null,
          changedBy: change?.changedBy ?? null,
          refused: countDecisions(rule, 'refused'),
          shadow: countDecisions(rule, 'shadow'),
        };
      });
    },

    /** Without a mode, the rule returns to its configured mode. */
    async setMode(who: Operator, rule: RuleName, mode: RuleMode | undefined): Promise<void> {
      await store.setMode(rule, mode, who, clock.now());
      await announceChange(who, 'set-mode', `${rule} ${mode ?? 'configured'}`);
    },
  };
}
