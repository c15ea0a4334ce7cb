/** `ledgerline guard mode`: changes the mode of a rule. */
import { StartError } from '../../errors.ts';
import { findRule, ruleModes, ruleNames } from '../../guard/rules.ts';
import { commandLineActor } from '../command-line-actor.ts';
import { withGuardControl } from './guard-control.ts';

export const guardMode = (rule: string, mode: string) =>
  withGuardControl(async (control) => {
    const name = findRule(rule);
    if (!name) throw new StartError(`There is no rule ${rule}. The rules are ${ruleNames.join(', ')}.`);
    const known = ruleModes.find((ruleMode) => ruleMode === mode);
    if (!known && mode !== 'configured') {
      throw new StartError(`There is no mode ${mode}. The modes are ${ruleModes.join(', ')}, configured.`);
    }
    await control.setMode(commandLineActor(), name, known);
    console.log(`${name} is ${known ?? 'as configured'}.`);
  });
