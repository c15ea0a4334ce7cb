import { instant, integer, listOf, nullable, record, responseOnly } from '../../formats/record.ts';
import { required, text } from '../../formats/shape.ts';
import type { ReadUserData } from '../../privacy/read-user-data.ts';
import { jsonText, noStore, operation } from '../operation.ts';

const freeForm = (type: string | string[]) => responseOnly<unknown>({ type, additionalProperties: true });

const userData = record('UserData', {
  user: required(
    record('StoredUser', {
      id: required(integer(), 'The user’s id.'),
      merchantId: required(nullable(integer(-2_147_483_648)), 'Merchant the user belongs to.'),
      email: required(nullable(text()), 'E-mail address.'),
      additionalData: required(
        freeForm(['object', 'null']),
        'The additional data that the caller stores with the user.',
      ),
      createdAt: required(instant(), 'When the user was created.'),
    }),
    'The user record.',
  ),
  phone: required(
    record('StoredPhone', {
      verified: required(nullable(text()), 'The verified number, in full.'),
      verifiedAt: required(nullable(instant()), 'When it was verified.'),
      lastSent: required(nullable(text()), 'The number that the last code was sent to, in full.'),
    }),
    'The phone numbers.',
  ),
  verifications: required(
    listOf(
      record('StoredVerification', {
        at: required(instant(), 'When it happened.'),
        kind: required(text(), 'What happened.'),
        reason: required(nullable(text()), 'Why.'),
        times: required(integer(), 'How often within a minute.'),
      }),
    ),
    'The verification history.',
  ),
  messages: required(
    listOf(
      record('StoredMessage', {
        codeNumber: required(integer(), 'The code’s number among the user’s.'),
        phoneNumber: required(text(), 'Masked, as it is stored.'),
        country: required(nullable(text()), 'ISO 3166 code.'),
        correlationType: required(integer(), 'As the send gave it.'),
        locale: required(text(), 'Language of the template.'),
        segments: required(integer(), 'SMS segments it took.'),
        gateway: required(text(), 'The gateway that accepted it, or was asked last.'),
        gatewayMessageId: required(nullable(text()), 'The gateway’s own id of the message.'),
        state: required(text(), 'What became of it.'),
        reason: required(nullable(text()), 'Why it was refused or failed.'),
        tries: required(nullable(listOf(freeForm('object'))), 'The gateways that were asked, in order.'),
        requestedAt: required(instant(), 'When the code was requested.'),
        answeredAt: required(nullable(instant()), 'When the gateway answered.'),
        stateAt: required(instant(), 'When it entered its state.'),
        expiresAt: required(instant(), 'When the code expires.'),
        verifiedAt: required(nullable(instant()), 'When the code was used.'),
      }),
    ),
    'The messages, as they are stored.',
  ),
  blocks: required(
    listOf(
      record('StoredBlock', {
        rule: required(text(), 'The rule that blocks.'),
        until: required(instant(), 'When it ends.'),
      }),
    ),
    'Blocks of the user.',
  ),
  transactions: required(
    record('StoredTransactions', {
      count: required(integer(), 'How many there are.'),
      export: required(text(), 'The path by which they can be exported.'),
    }),
    'The transactions.',
  ),
});

export const readUserDataOperation = (readUserData: ReadUserData) =>
  operation({
    name: 'read-user-data',
    method: 'GET',
    path: '/User/{id}/data',
    tag: 'Users',
    summary: 'Get a user’s data',
    about:
      'Everything that is stored about the user. For a subject access request of the person. It never contains a code or a digest. Every access is audited.',
    scopes: ['users'],
    serviceTokensOnly: true,
    responses: { 200: { about: 'What is stored.', shape: userData } },
    errors: ['unknown-user'],
    handle: async ({ id, caller }) => jsonText(200, await readUserData(caller, id), noStore),
  });
