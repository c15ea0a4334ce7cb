import type { SendCode } from '../../phone/send-code.ts';
import { idempotencyAbout, idempotencyKeyOf } from '../idempotency-key.ts';
import { callOrigin, operation } from '../operation.ts';
import { sentReply, sentResponse } from '../sent-reply.ts';

export const resendCodeOperation = (send: SendCode) =>
  operation({
    name: 'resend-code',
    method: 'POST',
    path: '/User/{id}/phone-number/resend-code',
    tag: 'Phone verification',
    summary: 'Send a new code to the phone of the last send',
    about: `No body is needed. It draws on the same budget as send-code. ${idempotencyAbout}`,
    scopes: ['phone'],
    responses: {
      204: sentResponse,
      400: { about: 'The body is malformed, or no code has been sent to this user yet.' },
      404: { about: 'Unknown user.' },
      429: { about: 'A budget is used up; the body says which kind, and Retry-After when one more fits.' },
    },
    namesUser: ({ id }) => id,
    async handle({ id, caller, request }) {
      const sent = await send.resendCode(id, callOrigin(caller, request), idempotencyKeyOf(request.headers));
      return sentReply(sent);
    },
  });
