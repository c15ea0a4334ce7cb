import { body, int32, optional, required } from '../../../formats/shape.ts';
import type { FreePhone } from '../../../phone/unlink-phone.ts';
import { emptyAfter, operation, operatorWrite } from '../../operation.ts';
import { actionReason } from '../action-reason.ts';
import { phoneNumberText } from '../phone/phone-number-text.ts';

const input = body('FreePhoneRequest', {
  userId: required(int32(), 'The user who has the number.'),
  phoneNumber: required(phoneNumberText, 'The whole number, in E.164 format.'),
  reason: optional(actionReason, 'Why it is freed; the audit shows it.'),
});

export const freePhoneOperation = (freePhone: FreePhone) =>
  operation({
    ...operatorWrite,
    name: 'operator-free-phone',
    method: 'POST',
    path: '/operator/free-phone',
    summary: 'Free a phone number',
    about:
      'For a number that has changed hands: the user is unverified again, and another user can verify the number. The call is audited. If the user does not have the number, nothing is changed.',
    input,
    example: { userId: 17, phoneNumber: '+447400123456', reason: 'The number has a new owner, who called.' },
    responses: { 204: { about: 'The number is free.' } },
    errors: ['not-found'],
    handle: ({ body: { userId, phoneNumber, reason }, caller: { subject, client } }) =>
      emptyAfter(204, freePhone({ subject, client, reason }, userId, phoneNumber.e164)),
  });
