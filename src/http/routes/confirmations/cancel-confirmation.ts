import type { ReadConfirmation } from '../../../confirmations/read-confirmation.ts';
import { emptyAfter, operation } from '../../operation.ts';
import { parseUuid } from '../../../values/uuid.ts';

export const cancelConfirmationOperation = (confirmations: ReadConfirmation) =>
  operation({
    name: 'cancel-confirmation',
    method: 'DELETE',
    path: '/User/{id}/confirmations/{confirmationId}',
    tag: 'Confirmations',
    summary: 'Cancel a confirmation',
    about: 'A pending one is void: its code no longer works. One that has ended stays as it is.',
    scopes: ['phone'],
    responses: { 204: { about: 'It is not pending.' } },
    errors: ['not-found'],
    handle: (context) =>
      emptyAfter(204, confirmations.cancel(context.id, parseUuid(context.parameters.confirmationId))),
  });
