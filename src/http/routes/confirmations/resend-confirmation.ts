import type { SendConfirmation } from '../../../confirmations/send-confirmation.ts';
import { unknownConfirmation } from '../../../errors.ts';
import { body } from '../../../formats/shape.ts';
import { callOrigin } from '../call-origin.ts';
import { channelMember } from '../channel-member.ts';
import { idempotencyAbout, idempotencyKeyOf } from '../idempotency-key.ts';
import { operation } from '../../operation.ts';
import { sentReply } from '../phone/sent-code.ts';
import { parseUuid } from '../../../values/uuid.ts';
import { confirmationCommon, confirmationErrors } from './sent-confirmation.ts';

const input = body('ResendConfirmationRequest', { channel: channelMember });

export const resendConfirmationOperation = (send: SendConfirmation) =>
  operation({
    ...confirmationCommon,
    name: 'resend-confirmation',
    method: 'POST',
    path: '/User/{id}/confirmations/{confirmationId}/resend-code',
    summary: 'Resend a confirmation',
    about: `Sends the same code again. It counts as a confirmation, and the code expires when it would have. No body is needed. ${idempotencyAbout}`,
    input,
    example: { channel: 'sms' },
    responses: {
      204: {
        about: 'The code was sent.',
        headers: {
          'Code-Length': 'Number of digits of the code.',
          'Code-Expires-In': 'Seconds for which the code can still be used.',
        },
      },
    },
    errors: ['not-found', 'nothing-to-resend', ...confirmationErrors],
    async handle(context) {
      const { id, body: given, caller, owner, request } = context;
      const confirmationId = parseUuid(context.parameters.confirmationId);
      if (confirmationId === undefined) throw unknownConfirmation();
      const sent = await send.resendCode({
        userId: id,
        confirmationId,
        channel: given.channel,
        origin: callOrigin(caller, request),
        owner,
        idempotencyKey: idempotencyKeyOf(request.headers),
      });
      return sentReply(sent);
    },
  });
