import { body } from '../../../formats/shape.ts';
import type { SendCode } from '../../../phone/send-code.ts';
import { idempotencyAbout } from '../idempotency-key.ts';
import { operation } from '../../operation.ts';
import { channelMember } from '../channel-member.ts';
import { sendCommon, sendDetails, sendErrors, sentReply } from './sent-code.ts';

const input = body('ResendCodeRequest', { channel: channelMember });

export const resendCodeOperation = (send: SendCode) =>
  operation({
    ...sendCommon,
    name: 'resend-code',
    method: 'POST',
    path: '/User/{id}/phone-number/resend-code',
    summary: 'Send the code again',
    about: `Sends the latest code again while it is valid, otherwise a new code, to the phone of that code. Its time starts anew, but ends at the latest 30 minutes after it was first sent. Another gateway is asked first than the one that took the last text, unless that was delivered. Without \`channel\`, another gateway of the same channel comes first, then the next channel of the phone’s country. No body is needed. It counts against the same limits as send-code. ${idempotencyAbout}`,
    input,
    example: { channel: 'sms' },
    errors: ['nothing-to-resend', ...sendErrors],
    async handle(context) {
      const { id: userId, body: given } = context;
      return sentReply(await send.resendCode({ kind: 'verification', userId, ...given, ...sendDetails(context) }));
    },
  });
