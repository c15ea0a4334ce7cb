/** `ledgerline guard rules`: the modes of the rules, and what they decided in 24 hours. */
import { table } from '../table.ts';
import { withGuardControl } from './guard-control.ts';

export const guardRules = () =>
  withGuardControl(async (control) => {
    table(await control.rules(), {
      rule: 'rule',
      mode: 'mode',
      configured: 'configuredMode',
      'refused 24h': 'refused',
      'shadow 24h': 'shadow',
      'changed by': 'changedBy',
    });
  });
