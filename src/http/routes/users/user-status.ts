import type { UserStatus } from '../../../users/user.ts';
import { boolean, instant, nullable, record } from '../../../formats/record.ts';
import { required, text } from '../../../formats/shape.ts';
import { operation, reply } from '../../operation.ts';

const status = record('UserStatus', {
  isPhoneNumberVerified: required(boolean(), 'Whether the user has a verified phone.'),
  phoneNumber: required(nullable(text()), 'The verified number, or null.'),
  verifiedAt: required(nullable(instant()), 'When it was verified, or null.'),
});

export const userStatusOperation = (userStatus: (userId: number) => Promise<UserStatus>) =>
  operation({
    name: 'user-status',
    method: 'GET',
    path: '/User/{id}/status',
    tag: 'Users',
    summary: 'Get a user’s status',
    about: 'Whether the user has a verified phone.',
    scopes: ['users', 'phone'],
    responses: { 200: { about: 'The state of the user’s phone.', shape: status } },
    handle: async ({ id }) => reply(200, status, await userStatus(id)),
  });
