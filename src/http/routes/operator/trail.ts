import { instant, integer, listOf, nullable, number, record, word } from '../../../formats/record.ts';
import { optional, required, text } from '../../../formats/shape.ts';
import { channels } from '../../../sms/channels.ts';
import { jsonText, operation, operatorRead } from '../../operation.ts';

export const attempt = record('TrailTry', {
  gateway: required(text(), 'The gateway that was asked.'),
  outcome: required(text(), 'accepted, refused (the destination), unavailable, or unknown: the text may arrive.'),
  reason: optional(text(), 'Why it did not accept.'),
  milliseconds: required(number(), 'How long it took.'),
});

export const confirmation = nullable(
  record('MessageConfirmation', {
    confirmationId: required(text(), 'Its id.'),
    purpose: required(text(), 'What it is for.'),
    state: required(text(), 'pending, approved, expired, failed or void.'),
  }),
);

const message = record('TrailMessage', {
  number: required(integer(), 'The code’s number among the user’s.'),
  for: required(text(), 'verification, change or confirmation.'),
  confirmation: required(confirmation, 'The confirmation, if the code is for one. Its terms are shown to nobody.'),
  phoneNumber: required(text(), 'Masked.'),
  country: required(nullable(text()), 'ISO 3166 code.'),
  correlationType: required(integer(), 'As the send gave it.'),
  locale: required(text(), 'Language of the template.'),
  segments: required(integer(), 'SMS segments it took.'),
  gateway: required(text(), 'The gateway that accepted it, or was asked last.'),
  channel: required(word(channels), 'How it was sent.'),
  gatewayMessageId: required(nullable(text()), 'The gateway’s own id of the message.'),
  outcome: required(text(), 'verified, expired, or otherwise the state.'),
  state: required(
    text(),
    'unavailable (no gateway could take it), refused (the destination, by a gateway), unknown (it may arrive), accepted, delivered or failed.',
  ),
  reason: required(nullable(text()), 'Why it was refused or failed.'),
  requestedAt: required(instant(), 'When the code was requested.'),
  answeredAt: required(instant(), 'When the gateway answered.'),
  stateAt: required(instant(), 'When it entered its state.'),
  expiresAt: required(instant(), 'When the code expires.'),
  verifiedAt: required(nullable(instant()), 'When the code was used.'),
  tries: required(listOf(attempt), 'The gateways that were asked, in order.'),
});

const event = record('TrailEvent', {
  at: required(instant(), 'When it happened.'),
  kind: required(
    text(),
    'send-refused, verify-refused, verified, confirmation-refused, confirmation-approved, phone-changed, phone-unlinked or block-lifted (its reason is the operator).',
  ),
  reason: required(nullable(text()), 'Why.'),
  times: required(integer(), 'How often within a minute.'),
});

const trail = record('UserTrail', {
  id: required(integer(), 'The user.'),
  verified: required(
    nullable(
      record('TrailVerified', {
        at: required(instant(), 'When the number was verified.'),
        phoneNumber: required(text(), 'Masked.'),
      }),
    ),
    'The number that is verified now; null if there is none.',
  ),
  messages: required(listOf(message), 'The messages.'),
  events: required(listOf(event), 'What else happened.'),
  changes: required(
    listOf(
      record('TrailPhoneChange', {
        changedAt: required(instant(), 'When another number was linked.'),
        previousPhoneNumber: required(text(), 'The number before, masked.'),
        phoneNumber: required(text(), 'The new number, masked.'),
      }),
    ),
    'Changes of the number, newest first.',
  ),
  erasedAt: required(nullable(instant()), 'When the user was erased. If so, there is no other data.'),
});

export const readTrailOperation = (readTrail: (userId: number) => Promise<string>) =>
  operation({
    ...operatorRead,
    name: 'operator-trail',
    method: 'GET',
    path: '/operator/users/{id}/trail',
    summary: 'Get a user’s trail',
    about:
      'The user’s verifications, step by step. Newest first, the last 200 of each kind. Phone numbers are masked, and it contains no codes.',
    responses: { 200: { about: 'The trail.', shape: trail } },
    handle: async ({ id }) => jsonText(200, await readTrail(id)),
  });
