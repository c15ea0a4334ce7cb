import type { GuardControl } from '../../../guard/control/guard-control.ts';
import { ruleModes, ruleNames } from '../../../guard/rules.ts';
import { instant, integer, listOf, nullable, record, word } from '../../../formats/record.ts';
import { required, text } from '../../../formats/shape.ts';
import { operation, operatorRead, reply } from '../../operation.ts';

const rule = record('GuardRule', {
  rule: required(word(ruleNames), 'Its name.'),
  about: required(text(), 'What it counts, in a sentence.'),
  mode: required(word(ruleModes), 'The mode in force.'),
  configuredMode: required(word(ruleModes), 'The mode by configuration.'),
  changedAt: required(nullable(instant()), 'When an operator changed the mode.'),
  changedBy: required(nullable(text()), 'Who changed it.'),
  refused: required(integer(), 'Requests it refused in the last 24 hours.'),
  shadow: required(integer(), 'Requests it would have refused in the last 24 hours.'),
});

const rules = record('GuardRules', { rules: required(listOf(rule), 'Every rule.') });

export const guardRulesOperation = (control: GuardControl) =>
  operation({
    ...operatorRead,
    name: 'guard-rules',
    method: 'GET',
    path: '/operator/guard/rules',
    summary: 'List guard rules',
    about: 'The rules against abuse, with their modes and what they did.',
    responses: { 200: { about: 'Every rule, with its decisions of the last 24 hours.', shape: rules } },
    handle: async ({ owner }) => reply(200, rules, { rules: await control.rules(owner) }),
  });
