import { parsePhoneNumber } from '../../phone/phone-number.ts';
import { body, required, text } from '../../formats/shape.ts';
import type { createFindUsers, createRevealPhone } from '../../users/find-users.ts';
import { json, noStore, operation } from '../operation.ts';

const tag = 'Operator';

const input = body('FindUsersRequest', {
  phoneNumber: required(
    text({
      parse: parsePhoneNumber,
      message: 'The {0} field is not a valid phone number.',
      schema: { pattern: '^\\+[1-9]\\d{6,14}$' },
    }),
    'Phone number in E.164 format.',
  ),
});

/** POST, so that no number stands in an address, where logs and histories keep it. */
export const findUsersOperation = (findUsers: ReturnType<typeof createFindUsers>) =>
  operation({
    name: 'operator-find-users',
    method: 'POST',
    path: '/operator/find-users',
    tag,
    summary: 'Find users by phone number',
    about:
      'Those who verified the number, and those whose last code went there. Who asked stands in the audit, with the number masked.',
    scopes: ['operator:read'],
    input,
    inputRequired: true,
    example: { phoneNumber: '+447911123456' },
    responses: {
      200: {
        about: 'Their ids, at most 50.',
        schema: {
          title: 'FoundUsers',
          type: 'object',
          required: ['userIds'],
          properties: { userIds: { type: 'array', items: { type: 'integer' } } },
        },
      },
    },
    handle: async ({ body: { phoneNumber }, caller: { subject, client } }) =>
      json(200, { userIds: await findUsers({ subject, client }, phoneNumber.key) }),
  });

export const revealPhoneOperation = (revealPhone: ReturnType<typeof createRevealPhone>) =>
  operation({
    name: 'operator-reveal-phone',
    method: 'POST',
    path: '/operator/users/{id}/reveal-phone',
    tag,
    summary: 'A user’s phone numbers in full',
    about: 'Who asked stands in the audit.',
    scopes: ['operator:write'],
    responses: {
      200: {
        about: 'The numbers.',
        schema: {
          title: 'RevealedPhones',
          type: 'object',
          required: ['verifiedPhone', 'lastSentPhone'],
          properties: {
            verifiedPhone: { type: ['string', 'null'] },
            lastSentPhone: { type: ['string', 'null'], description: 'Where the last code went.' },
          },
        },
      },
      404: { about: 'Unknown user.' },
    },
    namesUser: ({ id }) => id,
    handle: async ({ id, caller: { subject, client } }) =>
      json(200, await revealPhone({ subject, client }, id), noStore),
  });
