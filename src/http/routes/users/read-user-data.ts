import { instant, integer, listOf, nullable, record, responseOnly } from '../../../formats/record.ts';
import { required, text } from '../../../formats/shape.ts';
import type { ReadUserData } from '../../../privacy/read-user-data.ts';
import { evidenceFigures } from '../guard/evidence-shape.ts';
import { jsonText, noStore, operation } from '../../operation.ts';

const freeForm = (type: string | string[]) => responseOnly<unknown>({ type, additionalProperties: true });

const storedCode = record('StoredCode', {
  codeNumber: required(integer(), 'The code’s number among the user’s.'),
  phoneNumber: required(text(), 'The number that it was sent to, in full.'),
  state: required(text(), 'Whether a gateway accepted it.'),
  attempts: required(integer(0), 'Attempts that failed.'),
  sentAt: required(instant(), 'When it was last sent.'),
  expiresAt: required(instant(), 'When it expires.'),
  issuedAt: required(nullable(instant()), 'When it was first sent.'),
  reroutedAt: required(nullable(instant()), 'When it was sent once more over another gateway.'),
  changeAskedAt: required(nullable(instant()), 'When the change of number was asked for that it belongs to.'),
});

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
      linked: required(listOf(text()), 'Numbers that are linked to the user, in full.'),
      requested: required(
        listOf(
          record('RequestedPhone', {
            phoneNumber: required(text(), 'In full.'),
            lastAt: required(instant(), 'When a code for it was last requested.'),
          }),
        ),
        'Numbers for which codes were requested lately.',
      ),
      latestCode: required(nullable(storedCode), 'The latest code, without its digits.'),
      earlierCodes: required(listOf(storedCode), 'Earlier codes that can still be used.'),
      requestedAt: required(listOf(instant()), 'When codes were requested lately.'),
      failedAt: required(listOf(instant()), 'When attempts failed lately.'),
      changeCode: required(nullable(storedCode), 'The latest code of a change that is under way, without its digits.'),
      earlierChangeCodes: required(listOf(storedCode), 'Earlier codes of that change that can still be used.'),
      changeFailedAt: required(listOf(instant()), 'When attempts to verify a change failed lately.'),
      confirmationsRequestedAt: required(listOf(instant()), 'When confirmations were requested lately.'),
      boundConfirmationsRequestedAt: required(
        listOf(instant()),
        'When confirmations were requested lately with a token that is bound to the user.',
      ),
      failedChecksAt: required(listOf(instant()), 'When checks of confirmations failed lately.'),
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
        for: required(text(), 'What the code was for.'),
        confirmationId: required(nullable(text()), 'The confirmation, if it was for one.'),
        phoneNumber: required(text(), 'Masked, as it is stored.'),
        country: required(nullable(text()), 'ISO 3166 code.'),
        correlationType: required(integer(), 'As the send gave it.'),
        locale: required(text(), 'Language of the template.'),
        segments: required(integer(), 'SMS segments it took.'),
        gateway: required(text(), 'The gateway that accepted it, or was asked last.'),
        channel: required(text(), 'How it was sent.'),
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
  decisions: required(
    listOf(
      record('StoredDecision', {
        at: required(instant(), 'When a request was refused.'),
        rule: required(text(), 'The rule that refused it.'),
        action: required(text(), 'refused, or shadow if the rule only recorded it.'),
        operation: required(text(), 'The operation that was called.'),
        phoneNumber: required(nullable(text()), 'Masked, as it is stored.'),
        country: required(nullable(text()), 'ISO 3166 code.'),
        source: required(nullable(text()), 'The client address, or the subject of the token.'),
        evidence: required(evidenceFigures, 'What the rule saw, if its name does not say enough.'),
      }),
    ),
    'Refusals by the rules against abuse.',
  ),
  confirmations: required(
    listOf(
      record('StoredConfirmation', {
        confirmationId: required(text(), 'Its id.'),
        codeNumber: required(integer(), 'The code’s number among the user’s.'),
        purpose: required(text(), 'What was to be confirmed.'),
        state: required(text(), 'What became of it.'),
        attempts: required(integer(0), 'Attempts that failed.'),
        createdAt: required(instant(), 'When it was created.'),
        expiresAt: required(instant(), 'When its code expires.'),
        approvedAt: required(nullable(instant()), 'When it was approved.'),
      }),
    ),
    'The confirmations, without their terms.',
  ),
  changes: required(
    listOf(
      record('StoredPhoneChange', {
        askedAt: required(instant(), 'When the change was asked for.'),
        changedAt: required(instant(), 'When the new number was verified.'),
        previousPhoneNumber: required(text(), 'The number before, masked, as it is stored.'),
        phoneNumber: required(text(), 'The new number, masked, as it is stored.'),
      }),
    ),
    'Changes of the phone number. One that is under way is in `phone.changeCode`.',
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
    handle: async ({ id, caller }) => jsonText(200, await readUserData(caller, id), noStore),
  });
