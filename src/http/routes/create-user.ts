import type { NewUser } from '../../users/users.store.ts';
import { notTheirs } from '../../errors.ts';
import { operation, reply } from '../operation.ts';
import { record } from '../../formats/record.ts';
import { body, int32, objectText, optional, required, text } from '../../formats/shape.ts';

/** What .NET's own attribute asks of an address: one @, with something on either side. */
const parseEmail = (address: string) => (/^[^@]+@[^@]+$/.test(address) ? address : undefined);

const input = body('CreateUserRequest', {
  id: optional(int32(), 'An id of the caller’s own, where one is brought.'),
  merchantId: optional(int32(-2_147_483_648), 'Merchant the user belongs to.'),
  email: optional(
    text({
      maxLength: 320,
      parse: parseEmail,
      message: 'The {0} field is not a valid e-mail address.',
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
      'The body is optional, and so is every member. An individual is a user: individualId is the id returned here.',
    scopes: ['users'],
    input,
    example: {},
    responses: { 201: { about: 'The new user.', shape: createdUser } },
    errors: ['user-exists'],
    async handle({ body: { id, merchantId, email, additionalData }, caller }) {
      // A token that may name one user cannot bring others into being.
      if (caller.userId !== undefined && caller.userId !== id) throw notTheirs();
      return reply(201, createdUser, { id: await createUser({ id, merchantId, email, additionalData }) });
    },
  });
