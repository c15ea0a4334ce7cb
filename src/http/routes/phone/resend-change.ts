import { body } from '../../../formats/shape.ts';
import type { ChangePhone } from '../../../phone/change-phone.ts';
import { operation } from '../../operation.ts';
import { idempotencyAbout } from '../idempotency-key.ts';
import { channelMember } from '../channel-member.ts';
import { sendCommon, sendDetails, sendErrors, sentReply } from './sent-code.ts';

const input = body('ResendChangeRequest', { channel: channelMember });

export const resendChangeOperation = (changePhone: ChangePhone) =>
  operation({
    ...sendCommon,
    name: 'resend-change',
    method: 'POST',
    path: '/User/{id}/phone-number/change/resend-code',
    summary: 'Send the code of a change again',
    about: `As resend-code, for the change that is under way. ${idempotencyAbout}`,
    input,
    example: { channel: 'sms' },
    errors: ['phone-not-verified', 'nothing-to-resend', ...sendErrors],
    async handle(context) {
      const { id: userId, body: given } = context;
      return sentReply(await changePhone.resendChange({ userId, ...given, ...sendDetails(context) }));
    },
  });
