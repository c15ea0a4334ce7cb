import { body, optional, text } from '../../../formats/shape.ts';
import type { ChangePhone } from '../../../phone/change-phone.ts';
import { parseUuid } from '../../../values/uuid.ts';
import { operation } from '../../operation.ts';
import { idempotencyAbout } from '../idempotency-key.ts';
import { checkChannel, sendMembers } from './send-input.ts';
import { sendCommon, sendDetails, sendErrors, sentReply } from './sent-code.ts';

const members = {
  ...sendMembers,
  confirmationId: optional(
    text({ maxLength: 64 }),
    'An approved confirmation of the user with the purpose `change-phone`, at most ten minutes old. A user-bound token needs it.',
  ),
};

export const changePhoneOperation = (changePhone: ChangePhone) =>
  operation({
    ...sendCommon,
    name: 'change-phone',
    method: 'POST',
    path: '/User/{id}/phone-number/change',
    summary: 'Change the phone number',
    about: `Sends a code to another number of a verified user. The number that is linked stays so until the new one is verified. A further change replaces this one, and it lapses after an hour. It counts against the same limits as send-code. ${idempotencyAbout}`,
    input: body('ChangePhoneRequest', members, checkChannel(changePhone)),
    example: { phoneNumber: '+447400123457' },
    errors: ['phone-not-verified', 'confirmation-required', ...sendErrors],
    async handle(context) {
      const { confirmationId: named, ...given } = context.body;
      // Anything else is the id of no confirmation.
      const confirmationId = parseUuid(named);
      return sentReply(
        await changePhone.askForChange({ userId: context.id, ...given, confirmationId, ...sendDetails(context) }),
      );
    },
  });
