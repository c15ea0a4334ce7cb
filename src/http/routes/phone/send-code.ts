import type { SendCode } from '../../../phone/send-code.ts';
import { idempotencyAbout, idempotencyKeyOf } from '../idempotency-key.ts';
import { operation } from '../../operation.ts';
import { callOrigin } from '../call-origin.ts';
import { checkChannel, sendMembers } from './send-input.ts';
import { sendErrors, sendHeaders, sendHeadersOf, sentReply, sentResponse } from './sent-code.ts';
import { body, int32, required } from '../../../formats/shape.ts';

const members = { id: required(int32(), 'User identifier.'), ...sendMembers };

export const sendCodeOperation = (send: SendCode) =>
  operation({
    name: 'send-code',
    method: 'POST',
    path: '/User/phone-number/send-code',
    tag: 'Phone verification',
    summary: 'Send a verification code',
    about: `Sends a one-time code, by SMS unless another channel is configured or asked for. 204 means that a gateway accepted the message, or that the user is verified already and nothing was sent. ${idempotencyAbout}`,
    scopes: ['phone'],
    input: body('SendCodeRequest', members, checkChannel(send)),
    inputRequired: true,
    example: { id: 1, phoneNumber: '+447400123456' },
    responses: { 204: sentResponse },
    errors: ['unknown-user', ...sendErrors],
    requestHeaders: sendHeaders,
    checkHeaders: (headers) => void idempotencyKeyOf(headers),
    namesUser: ({ body: { id } }) => id,
    async handle({ body: { id, ...sent }, caller, owner, request }) {
      const answer = await send.sendCode({
        kind: 'verification',
        userId: id,
        ...sent,
        origin: callOrigin(caller, request),
        owner,
        ...sendHeadersOf(request.headers),
      });
      return sentReply(answer);
    },
  });
