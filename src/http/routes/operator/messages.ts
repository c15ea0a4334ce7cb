import { ruleNames } from '../../../guard/rules.ts';
import { instant, integer, listOf, nullable, record, timestamp, word } from '../../../formats/record.ts';
import { filterText, int32, optional, required, text, withDefault } from '../../../formats/shape.ts';
import type { FindMessages } from '../../../messages/find-messages.ts';
import { channels } from '../../../sms/channels.ts';
import { parseLogCursor, writeLogCursor } from '../../../messages/log-cursor.ts';
import { parseFrom, parseTo } from '../../../values/instant.ts';
import { jsonText, operation, operatorRead } from '../../operation.ts';
import { query } from '../../query-shape.ts';
import { evidenceFigures } from '../guard/evidence-shape.ts';
import { attempt, confirmation } from './trail.ts';

const states = ['stopped', 'unavailable', 'refused', 'unknown', 'accepted', 'failed', 'delivered'] as const;

const message = record('LoggedMessage', {
  id: required(text(), 'Unique in the log.'),
  userId: required(integer(), 'The user who requested it.'),
  number: required(nullable(integer()), 'The message’s number among the user’s. Null if a rule refused it.'),
  codeNumber: required(nullable(integer()), 'The number of the code in it.'),
  for: required(nullable(text()), 'verification, change or confirmation. Null if a rule refused it.'),
  confirmation: required(confirmation, 'The confirmation, if the code is for one. Its terms are shown to nobody.'),
  phoneNumber: required(nullable(text()), 'Masked.'),
  country: required(nullable(text()), 'ISO 3166 code.'),
  correlationType: required(nullable(integer()), 'As the send gave it.'),
  locale: required(nullable(text()), 'Language of the template.'),
  segments: required(nullable(integer()), 'SMS segments it took.'),
  gateway: required(nullable(text()), 'The gateway that accepted it, or was asked last.'),
  channel: required(nullable(word(channels)), 'How it was sent.'),
  gatewayMessageId: required(nullable(text()), 'The gateway’s own id of the message.'),
  outcome: required(text(), 'verified, expired, or otherwise the state.'),
  state: required(
    word(states),
    'stopped (by a rule), unavailable (no gateway could take it), refused (the destination, by a gateway), unknown (it may arrive), accepted, failed or delivered.',
  ),
  rule: required(nullable(text()), 'The rule that refused it.'),
  reason: required(nullable(text()), 'Why it was refused or failed.'),
  figures: required(evidenceFigures, 'The figures of the reason, if a rule about ranges of numbers refused it.'),
  requestedAt: required(instant(), 'When the code was requested.'),
  answeredAt: required(nullable(instant()), 'When the gateway answered.'),
  stateAt: required(nullable(instant()), 'When it entered its state.'),
  expiresAt: required(nullable(instant()), 'When the code expires.'),
  verifiedAt: required(nullable(instant()), 'When the code was used.'),
  tries: required(listOf(attempt), 'The gateways that were asked, in order. Empty if the first one accepted it.'),
});

const log = record('MessageLog', {
  messages: required(listOf(message), 'Newest first.'),
  next: required(
    nullable(text()),
    'The value of after for the next, older page; null at the end. A page may have few messages, or none, and still have a next page: a request searches a limited part of the log.',
  ),
});

const cursor = text({ parse: parseLogCursor, message: 'The field {0} must be a value of next.' });

export const operatorMessagesOperation = (findMessages: FindMessages) =>
  operation({
    ...operatorRead,
    name: 'operator-messages',
    method: 'GET',
    path: '/operator/messages',
    summary: 'Search messages',
    about:
      'The log of texts with their outcomes, and sends that a rule refused. Newest first. Phone numbers are masked, and it contains no codes. Under attack refused sends are sampled.',
    query: query({
      userId: optional(int32(), 'Only messages to this user.'),
      number: optional(int32(), 'Only the message with this number among the user’s.'),
      country: optional(filterText({ maxLength: 2 }), 'Only this country: ISO 3166 code.'),
      gateway: optional(filterText({ maxLength: 64 }), 'Only this gateway.'),
      state: optional(word(states), 'Only this state.'),
      verified: optional(word(['yes', 'no']), 'Only messages whose code was used, or was not.'),
      rule: optional(word(ruleNames), 'Only sends that this rule refused.'),
      reason: optional(filterText({ maxLength: 64 }), 'Only messages with this text in a reason.'),
      from: optional(timestamp(parseFrom), 'Only messages from this time on.'),
      to: optional(timestamp(parseTo), 'Only messages up to this time.'),
      after: optional(cursor, 'The value of next of the page before.'),
      count: withDefault(int32(1, 200), 50, 'How many messages at most.'),
    }),
    responses: { 200: { about: 'The messages.', shape: log } },
    async handle({ query: { verified, count, ...search }, owner }) {
      const isVerified = verified === undefined ? undefined : verified === 'yes';
      const { messages, next } = await findMessages({ ...search, isVerified, limit: count }, owner);
      const nextText = next === undefined ? null : writeLogCursor(next);
      return jsonText(200, `{"messages":[${messages.join(',')}],"next":${JSON.stringify(nextText)}}`);
    },
  });
