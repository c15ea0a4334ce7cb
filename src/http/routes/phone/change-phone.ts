import { body, optional, text } from '../../../formats/shape.ts';
import type { ChangePhone } from '../../../phone/change-phone.ts';
import { operation } from '../../operation.ts';
import { callOrigin } from '../call-origin.ts';
import { idempotencyAbout, idempotencyKeyOf } from '../idempotency-key.ts';
import { checkChannel, sendMembers } from './send-input.ts';
import { sendErrors, sendHeaders, sendHeadersOf, sentReply, sentResponse } from './sent-code.ts';

const members = {
  ...sendMembers,
  confirmationId: optional(
    text({ maxLength: 64 }),
    'An approved confirmation of the user with the purpose `change-phone`, at most ten minutes old. A user-bound token needs it.',
  ),
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const changePhoneOperation = (changePhone: ChangePhone) =>
  operation({
    name: 'change-phone',
    method: 'POST',
    path: '/User/{id}/phone-number/change',
    tag: 'Phone verification',
    summary: 'Change the phone number',
    about: `Sends a code to another number of a verified user. The number that is linked stays so until the new one is verified. A further change replaces this one, and it lapses after an hour. It counts against the same limits as send-code. ${idempotencyAbout}`,
    scopes: ['phone'],
    input: body('ChangePhoneRequest', members, checkChannel(changePhone)),
    inputRequired: true,
    example: { phoneNumber: '+447400123457' },
    responses: { 204: sentResponse },
    errors: ['unknown-user', 'phone-not-verified', 'confirmation-required', ...sendErrors],
    requestHeaders: sendHeaders,
    checkHeaders: (headers) => void idempotencyKeyOf(headers),
    namesUser: ({ id }) => id,
    async handle({ id, body: { confirmationId, ...sent }, caller, owner, request }) {
      const answer = await changePhone.askForChange({
        userId: id,
        ...sent,
        // Anything else is the id of no confirmation.
        confirmationId: confirmationId !== undefined && uuid.test(confirmationId) ? confirmationId : undefined,
        origin: callOrigin(caller, request),
        owner,
        ...sendHeadersOf(request.headers),
      });
      return sentReply(answer);
    },
  });
