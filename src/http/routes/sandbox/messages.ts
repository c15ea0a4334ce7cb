import { instant, listOf, nullable, record, word } from '../../../formats/record.ts';
import { optional, required, text } from '../../../formats/shape.ts';
import { channels } from '../../../sms/channels.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { parsePhoneNumber } from '../../../values/phone-number.ts';
import { operation, reply } from '../../operation.ts';
import { query } from '../../query-shape.ts';

const messages = listOf(
  record('SandboxMessage', {
    phoneNumber: required(text(), 'The phone number it was sent to.'),
    text: required(text(), 'The whole text.'),
    code: required(nullable(text()), 'The code in it; null if it has none.'),
    purpose: required(text(), 'What it was for: `verification`, `change`, `notice`, or the purpose of a confirmation.'),
    channel: required(word(channels), 'How it was sent.'),
    sentAt: required(instant(), 'When it was sent.'),
  }),
);

/** In a query an unescaped + is read as a space. */
const withPlus = (given: string) => given.replace(/^ /, '+');

export const readMessagesOperation = (sandbox: Sandbox) =>
  operation({
    name: 'sandbox-messages',
    method: 'GET',
    path: '/sandbox/messages',
    tag: 'Sandbox',
    summary: 'List messages',
    about: 'The messages that would have been sent. Newest first.',
    isLocalInSandbox: true,
    query: query({
      phoneNumber: optional(text({ parse: withPlus }), 'Only messages to this number. A leading space counts as +.'),
    }),
    responses: { 200: { about: 'The messages.', shape: messages } },
    async handle({ query: { phoneNumber } }) {
      const e164 = phoneNumber && (parsePhoneNumber(phoneNumber)?.e164 ?? phoneNumber);
      return reply(200, messages, await sandbox.inbox.read(e164));
    },
  });
