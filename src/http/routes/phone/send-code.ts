import type { SendCode } from '../../../phone/send-code.ts';
import { idempotencyAbout } from '../idempotency-key.ts';
import { operation } from '../../operation.ts';
import { checkChannel, sendMembers } from './send-input.ts';
import { sendCommon, sendDetails, sendErrors, sentReply } from './sent-code.ts';
import { body, int32, required } from '../../../formats/shape.ts';

const members = { id: required(int32(), 'User identifier.'), ...sendMembers };

export const sendCodeOperation = (send: SendCode) =>
  operation({
    ...sendCommon,
    name: 'send-code',
    method: 'POST',
    path: '/User/phone-number/send-code',
    summary: 'Send a verification code',
    about: `Sends a one-time code, by SMS unless another channel is configured or asked for. 204 means that a gateway accepted the message, or that the user is verified already and nothing was sent. ${idempotencyAbout}`,
    input: body('SendCodeRequest', members, checkChannel(send)),
    example: { id: 1, phoneNumber: '+447400123456' },
    errors: ['unknown-user', ...sendErrors],
    namesUser: ({ body: { id } }) => id,
    async handle(context) {
      const { id: userId, ...given } = context.body;
      return sentReply(await send.sendCode({ kind: 'verification', userId, ...given, ...sendDetails(context) }));
    },
  });
