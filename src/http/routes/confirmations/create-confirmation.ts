import { confirmationPath } from '../../../confirmations/confirmation-path.ts';
import type { SendConfirmation } from '../../../confirmations/send-confirmation.ts';
import { integer, record } from '../../../formats/record.ts';
import { body, optional, required, text } from '../../../formats/shape.ts';
import { callOrigin } from '../call-origin.ts';
import { idempotencyAbout, idempotencyKeyOf } from '../idempotency-key.ts';
import { channelMember, refuseChannel } from '../channel-member.ts';
import { localeMember } from '../locale-member.ts';
import { currencyShape } from '../../../transactions/row.ts';
import { operation, reply } from '../../operation.ts';
import { confirmationCommon, confirmationErrors } from './sent-confirmation.ts';
import { amountMember, payeeText, purposeLength } from './terms-members.ts';

const input = body(
  'CreateConfirmationRequest',
  {
    purpose: required(
      text({
        maxLength: purposeLength,
        parse: (given) => (/^[a-z0-9-]+$/.test(given) ? given : undefined),
        message: `The field {0} must consist of a-z, 0-9 and -.`,
        schema: { pattern: '^[a-z0-9-]{1,64}$' },
      }),
      'What the code is for, such as payment.',
    ),
    amount: amountMember,
    currency: optional(currencyShape, 'ISO 4217 code of the amount.'),
    payee: optional(payeeText, 'Who is paid, or what else the person agrees to.'),
    locale: localeMember,
    channel: channelMember,
  },
  ({ amount, currency, payee, channel }, errors) => {
    if (amount !== undefined && currency === undefined) errors.Currency ??= ['The Currency field is required.'];
    if (amount === undefined && currency !== undefined) errors.Amount ??= ['The Amount field is required.'];
    // WhatsApp sends codes in texts of its own, which cannot name what the code is for.
    const hasTerms = [amount, currency, payee].some((term) => term !== undefined);
    if (channel === 'whatsapp' && hasTerms) refuseChannel(errors);
  },
);

const created = record('CreatedConfirmation', {
  confirmationId: required(text({ schema: { format: 'uuid' } }), 'By which it is checked.'),
  codeLength: required(integer(), 'Number of digits of the code.'),
  expiresInSeconds: required(integer(), 'Seconds for which the code can be used.'),
});

export const createConfirmationOperation = (send: SendConfirmation) =>
  operation({
    ...confirmationCommon,
    name: 'create-confirmation',
    method: 'POST',
    path: '/User/{id}/confirmations',
    summary: 'Send a code for a payment',
    about: `Sends a code for one act, such as a payment, to the verified phone of the user. The code is bound to purpose, amount, currency and payee, and the text names them. 503 \`send-outcome-unknown\`: the confirmation exists, \`Location\` names it, and its code works. ${idempotencyAbout} After an unknown outcome the same key sends the same code again.`,
    input,
    example: { purpose: 'payment', amount: '24.90', currency: 'EUR', payee: 'Corner Shop' },
    responses: {
      201: { about: 'The code was sent.', shape: created, headers: { Location: 'The path of the confirmation.' } },
    },
    errors: ['phone-not-verified', ...confirmationErrors],
    async handle({ id, body: { purpose, amount, currency, payee, locale, channel }, caller, owner, request }) {
      const confirmation = await send.create({
        userId: id,
        purpose,
        terms: { amount, currency, payee },
        locale,
        channel,
        origin: callOrigin(caller, request),
        owner,
        idempotencyKey: idempotencyKeyOf(request.headers),
      });
      return reply(201, created, confirmation, { location: confirmationPath(id, confirmation.confirmationId) });
    },
  });
