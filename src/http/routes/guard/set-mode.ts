import type { GuardControl } from '../../../guard/control/guard-control.ts';
import { ruleModes, ruleNames } from '../../../guard/rules.ts';
import { word } from '../../../formats/record.ts';
import { body, optional, required } from '../../../formats/shape.ts';
import { emptyAfter, operation, operatorWrite } from '../../operation.ts';
import { actionReason } from '../action-reason.ts';

const input = body('GuardModeRequest', {
  rule: required(word(ruleNames), 'The rule.'),
  mode: required(word([...ruleModes, 'configured']), 'The new mode; configured returns to the setting.'),
  reason: optional(actionReason, 'Why it is changed; the audit shows it.'),
});

export const guardSetModeOperation = (control: GuardControl) =>
  operation({
    ...operatorWrite,
    name: 'guard-set-mode',
    method: 'POST',
    path: '/operator/guard/mode',
    summary: 'Set the mode of a rule',
    about: 'Every process applies it within seconds.',
    input,
    example: { rule: 'prefix', mode: 'shadow', reason: 'A campaign sends many codes to one range today.' },
    responses: { 204: { about: 'The mode is changed.' } },
    handle: ({ body: { rule, mode, reason }, caller }) =>
      emptyAfter(204, control.setMode({ ...caller, reason }, rule, mode === 'configured' ? undefined : mode)),
  });
