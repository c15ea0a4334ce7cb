import { body } from '../../../formats/shape.ts';
import type { ChangePhone } from '../../../phone/change-phone.ts';
import { operation } from '../../operation.ts';
import { callOrigin } from '../call-origin.ts';
import { idempotencyAbout, idempotencyKeyOf } from '../idempotency-key.ts';
import { channelMember } from '../channel-member.ts';
import { sendErrors, sendHeaders, sendHeadersOf, sentReply, sentResponse } from './sent-code.ts';

const input = body('ResendChangeRequest', { channel: channelMember });

export const resendChangeOperation = (changePhone: ChangePhone) =>
  operation({
    name: 'resend-change',
    method: 'POST',
    path: '/User/{id}/phone-number/change/resend-code',
    tag: 'Phone verification',
    summary: 'Send the code of a change again',
    about: `As resend-code, for the change that is under way. ${idempotencyAbout}`,
    scopes: ['phone'],
    input,
    example: { channel: 'sms' },
    responses: { 204: sentResponse },
    errors: ['unknown-user', 'phone-not-verified', 'nothing-to-resend', ...sendErrors],
    requestHeaders: sendHeaders,
    checkHeaders: (headers) => void idempotencyKeyOf(headers),
    namesUser: ({ id }) => id,
    async handle({ id, body: { channel }, caller, owner, request }) {
      const origin = callOrigin(caller, request);
      return sentReply(
        await changePhone.resendChange({ userId: id, channel, origin, owner, ...sendHeadersOf(request.headers) }),
      );
    },
  });
