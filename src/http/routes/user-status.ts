import type { UserStatus } from '../../users/users.store.ts';
import { json, operation } from '../operation.ts';

export const userStatusOperation = (userStatus: (userId: number) => Promise<UserStatus>) =>
  operation({
    name: 'user-status',
    method: 'GET',
    path: '/User/{id}/status',
    tag: 'Users',
    summary: 'Whether a user’s phone is verified',
    scopes: ['users', 'phone'],
    responses: {
      200: {
        about: 'The state of the user’s phone.',
        schema: {
          title: 'UserStatus',
          type: 'object',
          required: ['isPhoneNumberVerified', 'phoneNumber'],
          properties: {
            isPhoneNumberVerified: { type: 'boolean' },
            phoneNumber: { type: ['string', 'null'], description: 'The verified number, or null.' },
          },
        },
      },
      404: { about: 'Unknown user.' },
    },
    namesUser: ({ id }) => id,
    handle: async ({ id }) => json(200, await userStatus(id)),
  });
