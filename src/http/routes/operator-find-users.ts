import { integer, listOf, record } from '../../formats/record.ts';
import { body, required } from '../../formats/shape.ts';
import type { createFindUsers } from '../../users/find-users.ts';
import { operation, reply } from '../operation.ts';
import { phoneNumberText } from './phone-number-text.ts';

const input = body('FindUsersRequest', {
  phoneNumber: required(phoneNumberText, 'Phone number in E.164 format.'),
});

const foundUsers = record('FoundUsers', { userIds: required(listOf(integer()), 'Their ids, at most 50.') });

/** A POST, so that no phone number is in the path or query, which logs and browser histories keep. */
export const findUsersOperation = (findUsers: ReturnType<typeof createFindUsers>) =>
  operation({
    name: 'operator-find-users',
    method: 'POST',
    path: '/operator/find-users',
    tag: 'Operator',
    summary: 'Find users',
    about:
      'Users who verified the number, and users whose last code went there. The call is audited, with the number masked.',
    scopes: ['operator:read'],
    input,
    inputRequired: true,
    example: { phoneNumber: '+447400123456' },
    responses: { 200: { about: 'The users.', shape: foundUsers } },
    handle: async ({ body: { phoneNumber }, caller: { subject, client } }) =>
      reply(200, foundUsers, { userIds: await findUsers({ subject, client }, phoneNumber.key) }),
  });
