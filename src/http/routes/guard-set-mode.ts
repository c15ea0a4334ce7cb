import type { GuardDesk } from '../../guard/desk.ts';
import { ruleModes, ruleNames } from '../../guard/rules.ts';
import { word } from '../../formats/record.ts';
import { body, required } from '../../formats/shape.ts';
import { empty, operation } from '../operation.ts';

const input = body('GuardModeRequest', {
  rule: required(word(ruleNames), 'The rule.'),
  mode: required(word([...ruleModes, 'configured']), 'Its mode from now on; configured goes back to the setting.'),
});

export const guardSetModeOperation = (desk: GuardDesk) =>
  operation({
    name: 'guard-set-mode',
    method: 'POST',
    path: '/operator/guard/mode',
    tag: 'Operator',
    summary: 'Change the mode of a rule',
    about: 'Every process follows within seconds.',
    scopes: ['operator:write'],
    input,
    inputRequired: true,
    example: { rule: 'prefix', mode: 'shadow' },
    responses: { 204: { about: 'The mode is changed.' } },
    async handle({ body: { rule, mode }, caller }) {
      await desk.setMode(caller, rule, mode === 'configured' ? undefined : mode);
      return empty(204);
    },
  });
