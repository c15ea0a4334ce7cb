import type { SendCode } from '../../../phone/send-code.ts';
import { idempotencyAbout, idempotencyKeyOf } from '../idempotency-key.ts';
import { operation } from '../../operation.ts';
import { callOrigin } from '../call-origin.ts';
import { sendErrors, sendHeaders, sendHeadersOf, sentReply, sentResponse } from './sent-code.ts';

export const resendCodeOperation = (send: SendCode) =>
  operation({
    name: 'resend-code',
    method: 'POST',
    path: '/User/{id}/phone-number/resend-code',
    tag: 'Phone verification',
    summary: 'Send another code',
    about: `Sends a new code to the phone of the last send. No body is needed. It counts against the same limits as send-code. ${idempotencyAbout}`,
    scopes: ['phone'],
    responses: { 204: sentResponse },
    errors: ['unknown-user', 'nothing-to-resend', ...sendErrors],
    requestHeaders: sendHeaders,
    checkHeaders: (headers) => void idempotencyKeyOf(headers),
    namesUser: ({ id }) => id,
    async handle({ id, caller, owner, request }) {
      const origin = callOrigin(caller, request);
      const sent = await send.resendCode({ userId: id, origin, owner, ...sendHeadersOf(request.headers) });
      return sentReply(sent);
    },
  });
