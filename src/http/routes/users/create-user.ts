import type { NewUser } from '../../../users/user.ts';
import { parseEmail } from '../../../values/email.ts';
import { notTheirs } from '../../../errors.ts';
import { operation, reply } from '../../operation.ts';
import { record } from '../../../formats/record.ts';
import { body, int32, objectText, optional, required, text } from '../../../formats/shape.ts';

const input = body('CreateUserRequest', {
  id: optional(int32(), 'The id, if the caller chooses it.'),
  merchantId: optional(int32(-2_147_483_648), 'Merchant the user belongs to.'),
  email: optional(
    text({
      maxLength: 320,
      parse: parseEmail,
      message: 'Invalid email address',
      schema: { format: 'email' },
    }),
    'E-mail address.',
  ),
  additionalData: optional(
    objectText(16_384),
    'Anything the caller wants to keep with the user; at most 16,384 characters as JSON without white space.',
  ),
});

const createdUser = record('CreatedUser', { id: required(int32(), 'The user’s id.') });

export const createUserOperation = (createUser: (user: NewUser) => Promise<number>) =>
  operation({
    name: 'create-user',
    method: 'POST',
    path: '/User',
    tag: 'Users',
    summary: 'Create a user',
    about:
      'The body is optional, and so is every member. An individual is a user: the id returned here is the individualId of other operations.',
    scopes: ['users'],
    input,
    example: {},
    responses: { 201: { about: 'The new user.', shape: createdUser } },
    errors: ['user-exists'],
    async handle({ body: user, caller }) {
      // A token that is bound to a user cannot create other users.
      if (caller.userId !== undefined && caller.userId !== user.id) throw notTheirs();
      return reply(201, createdUser, { id: await createUser(user) });
    },
  });
