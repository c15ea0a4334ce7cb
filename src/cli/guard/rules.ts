/** `ledgerline guard rules`: the modes of the rules, and what they decided in 24 hours. */
import { table } from '../table.ts';
import { withGuardControl } from './guard-control.ts';

export const guardRules = () =>
  withGuardControl(async (control) => {
    const rules = await control.rules();
    table([
      ['rule', 'mode', 'configured', 'refused 24h', 'shadow 24h', 'changed by'],
      ...rules.map(({ rule, mode, configuredMode, refused, shadow, changedBy }) => [
        rule,
        mode,
        configuredMode,
        refused,
        shadow,
        changedBy,
      ]),
    ]);
  });
