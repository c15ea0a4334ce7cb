/** `ledgerline guard mode`: changes the mode of a rule. */
import { StartError } from '../../errors.ts';
import { ruleModes } from '../../guard/rules.ts';
import { commandLineActor } from '../command-line-actor.ts';
import { withGuardControl } from './guard-control.ts';
import { readRule } from './read-rule.ts';

export const guardMode = (rule: string, mode: string) =>
  withGuardControl(async (control) => {
    const name = readRule(rule);
    const known = ruleModes.find((ruleMode) => ruleMode === mode);
    if (!known && mode !== 'configured') {
      throw new StartError(`There is no mode ${mode}. The modes are ${ruleModes.join(', ')}, configured.`);
    }
    await control.setMode(commandLineActor(), name, known);
    console.log(`${name} is ${known ?? 'as configured'}.`);
  });
