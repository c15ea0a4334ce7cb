import type { GuardControl } from '../../../guard/control/guard-control.ts';
import { body, required, text } from '../../../formats/shape.ts';
import { empty, operation } from '../../operation.ts';

const input = body('GuardSafeRemoval', {
  id: required(text({ maxLength: 100 }), 'The entry, by the id that the list gives it.'),
});

export const guardRemoveSafeOperation = (control: GuardControl) =>
  operation({
    name: 'guard-remove-safe',
    method: 'POST',
    path: '/operator/guard/safe-list/remove',
    tag: 'Operator',
    summary: 'Remove from the safe list',
    scopes: ['operator:write'],
    input,
    example: { id: '+447400' },
    responses: { 204: { about: 'It is off the list.' } },
    errors: ['not-found'],
    async handle({ body: { id }, caller }) {
      await control.removeSafe(caller, id);
      return empty(204);
    },
  });
