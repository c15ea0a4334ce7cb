import type { EraseUser } from '../../../privacy/erase-user.ts';
import { emptyAfter, operation } from '../../operation.ts';

export const eraseUserOperation = (eraseUser: EraseUser) =>
  operation({
    name: 'erase-user',
    method: 'DELETE',
    path: '/User/{id}',
    tag: 'Users',
    summary: 'Erase a user',
    about:
      'The phone is unlinked, and phone number, e-mail, additional data, messages and trail are removed immediately. The id ' +
      'is never used again. The transactions are kept until the end of their retention period, but the API does not return them.',
    scopes: ['users'],
    serviceTokensOnly: true,
    responses: { 204: { about: 'The user is erased, now or earlier.' } },
    handle: ({ id, caller }) => emptyAfter(204, eraseUser(caller, id)),
  });
