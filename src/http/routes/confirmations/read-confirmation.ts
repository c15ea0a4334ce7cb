import type { ReadConfirmation } from '../../../confirmations/read-confirmation.ts';
import { instant, nullable, record } from '../../../formats/record.ts';
import { required, text } from '../../../formats/shape.ts';
import { operation, reply } from '../../operation.ts';
import { writeTime } from '../../../values/instant.ts';
import { parseUuid } from '../../../values/uuid.ts';

const confirmation = record('Confirmation', {
  confirmationId: required(text({ schema: { format: 'uuid' } }), 'Its id.'),
  purpose: required(text(), 'What it is for.'),
  state: required(
    text({ schema: { enum: ['pending', 'approved', 'expired', 'failed', 'void'] } }),
    'failed: no attempts are left. void: a check named other terms, it was cancelled, or the phone is no longer the user’s.',
  ),
  createdAt: required(instant(), 'When it was created.'),
  expiresAt: required(instant(), 'When its code expires.'),
  approvedAt: required(nullable(instant()), 'When it was approved, or null.'),
});

export const readConfirmationOperation = (confirmations: ReadConfirmation) =>
  operation({
    name: 'read-confirmation',
    method: 'GET',
    path: '/User/{id}/confirmations/{confirmationId}',
    tag: 'Confirmations',
    summary: 'Get a confirmation',
    about: 'Its state, without its terms. Confirmations are kept as long as the trail.',
    scopes: ['phone'],
    responses: { 200: { about: 'The confirmation.', shape: confirmation } },
    errors: ['not-found'],
    async handle(context) {
      const { createdAt, expiresAt, approvedAt, ...rest } = await confirmations.read(
        context.id,
        parseUuid(context.parameters.confirmationId),
      );
      return reply(200, confirmation, {
        ...rest,
        createdAt: writeTime(createdAt),
        expiresAt: writeTime(expiresAt),
        approvedAt: approvedAt && writeTime(approvedAt),
      });
    },
  });
