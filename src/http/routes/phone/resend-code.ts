import { body } from '../../../formats/shape.ts';
import type { SendCode } from '../../../phone/send-code.ts';
import { idempotencyAbout, idempotencyKeyOf } from '../idempotency-key.ts';
import { operation } from '../../operation.ts';
import { callOrigin } from '../call-origin.ts';
import { channelMember } from '../channel-member.ts';
import { sendErrors, sendHeaders, sendHeadersOf, sentReply, sentResponse } from './sent-code.ts';

const input = body('ResendCodeRequest', { channel: channelMember });

export const resendCodeOperation = (send: SendCode) =>
  operation({
    name: 'resend-code',
    method: 'POST',
    path: '/User/{id}/phone-number/resend-code',
    tag: 'Phone verification',
    summary: 'Send the code again',
    about: `Sends the latest code again while it is valid, otherwise a new code, to the phone of that code. Its time starts anew, but ends at the latest 30 minutes after it was first sent. Another gateway is asked first than the one that took the last text, unless that was delivered. Without \`channel\`, another gateway of the same channel comes first, then the next channel of the phone’s country. No body is needed. It counts against the same limits as send-code. ${idempotencyAbout}`,
    scopes: ['phone'],
    input,
    example: { channel: 'sms' },
    responses: { 204: sentResponse },
    errors: ['unknown-user', 'nothing-to-resend', ...sendErrors],
    requestHeaders: sendHeaders,
    checkHeaders: (headers) => void idempotencyKeyOf(headers),
    namesUser: ({ id }) => id,
    async handle({ id, body: { channel }, caller, owner, request }) {
      const origin = callOrigin(caller, request);
      const sent = await send.resendCode({
        kind: 'verification',
        userId: id,
        channel,
        origin,
        owner,
        ...sendHeadersOf(request.headers),
      });
      return sentReply(sent);
    },
  });
