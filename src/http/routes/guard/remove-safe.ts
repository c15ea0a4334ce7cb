import type { GuardControl } from '../../../guard/control/guard-control.ts';
import { body, required, text } from '../../../formats/shape.ts';
import { emptyAfter, operation, operatorWrite } from '../../operation.ts';

const input = body('GuardSafeRemoval', {
  id: required(text({ maxLength: 100 }), 'The entry, by the id that the list gives it.'),
});

export const guardRemoveSafeOperation = (control: GuardControl) =>
  operation({
    ...operatorWrite,
    name: 'guard-remove-safe',
    method: 'POST',
    path: '/operator/guard/safe-list/remove',
    summary: 'Remove from the safe list',
    input,
    example: { id: '+447400' },
    responses: { 204: { about: 'It is off the list.' } },
    errors: ['not-found'],
    handle: ({ body: { id }, caller }) => emptyAfter(204, control.removeSafe(caller, id)),
  });
