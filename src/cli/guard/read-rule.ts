/** The name of a rule among the arguments of a command. */
import { StartError } from '../../errors.ts';
import { ruleNames, type RuleName } from '../../guard/rules.ts';

export function readRule(text: string): RuleName {
  const name = ruleNames.find((known) => known === text);
  if (!name) throw new StartError(`There is no rule ${text}. The rules are ${ruleNames.join(', ')}.`);
  return name;
}
