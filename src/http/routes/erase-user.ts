import type { EraseUser } from '../../privacy/erase-user.ts';
import { empty, operation } from '../operation.ts';

export const eraseUserOperation = (eraseUser: EraseUser) =>
  operation({
    name: 'erase-user',
    method: 'DELETE',
    path: '/User/{id}',
    tag: 'Users',
    summary: 'Erase a user',
    about:
      'The phone is unlinked, and phone number, e-mail, additional data, messages and trail are removed at once. The id ' +
      'is never given out again. The transactions stay out of reach of the API until their term of retention has passed.',
    scopes: ['users'],
    serviceTokensOnly: true,
    responses: { 204: { about: 'The user is erased, now or earlier.' } },
    errors: ['unknown-user'],
    async handle({ id, caller }) {
      await eraseUser(caller, id);
      return empty(204);
    },
  });
