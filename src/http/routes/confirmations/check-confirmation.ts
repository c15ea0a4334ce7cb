import type { CheckConfirmation } from '../../../confirmations/check-confirmation.ts';
import { instant, record } from '../../../formats/record.ts';
import { body, filterText, optional, required, text } from '../../../formats/shape.ts';
import { callOrigin } from '../call-origin.ts';
import { operation, reply } from '../../operation.ts';
import { writeTime } from '../../../values/instant.ts';
import { parseUuid } from '../../../values/uuid.ts';
import { amountMember, anyPayee, purposeLength } from './terms-members.ts';

const input = body('CheckConfirmationRequest', {
  code: required(text({ trim: true, maxLength: 64 }), 'The code of the message.'),
  amount: amountMember,
  currency: optional(filterText({ trim: true }), 'ISO 4217 code, exactly if the confirmation has one.'),
  payee: optional(anyPayee, 'Exactly if the confirmation has one.'),
  purpose: optional(filterText({ maxLength: purposeLength }), 'Compared if it is given.'),
});

const approved = record('ApprovedConfirmation', {
  confirmationId: required(text({ schema: { format: 'uuid' } }), 'The confirmation.'),
  purpose: required(text(), 'What it was for.'),
  approvedAt: required(instant(), 'Now.'),
});

export const checkConfirmationOperation = (checkConfirmation: CheckConfirmation) =>
  operation({
    name: 'check-confirmation',
    method: 'POST',
    path: '/User/{id}/confirmations/{confirmationId}/check',
    tag: 'Confirmations',
    summary: 'Check the code of a confirmation',
    about:
      'Succeeds once, for the right code together with the terms that the person agreed to. Give amount, currency and payee of what you are about to do. If one of them differs, is missing or is added, the confirmation is void at once, whatever the code. After a lost answer, read the state and do not check again. Only for back ends: tokens that are bound to a user are refused.',
    scopes: ['phone'],
    input,
    example: { code: '123456', amount: '24.90', currency: 'EUR', payee: 'Corner Shop' },
    responses: { 200: { about: 'The confirmation is approved.', shape: approved } },
    errors: ['invalid-code', 'too-many-failures'],
    serviceTokensOnly: true,
    async handle(context) {
      const { id, body: given, caller, request } = context;
      const { code, amount, currency, payee, purpose } = given;
      const { approvedAt, ...rest } = await checkConfirmation({
        userId: id,
        confirmationId: parseUuid(context.parameters.confirmationId),
        code,
        terms: { amount, currency, payee },
        purpose,
        origin: callOrigin(caller, request),
      });
      return reply(200, approved, { ...rest, approvedAt: writeTime(approvedAt) });
    },
  });
