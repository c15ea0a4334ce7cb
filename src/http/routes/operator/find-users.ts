import { instant, integer, listOf, nullable, record } from '../../../formats/record.ts';
import { body, optional, required, text } from '../../../formats/shape.ts';
import type { createFindUsers } from '../../../users/find-users.ts';
import { operation, operatorRead, reply } from '../../operation.ts';
import { phoneNumberText } from '../phone/phone-number-text.ts';

const input = body(
  'FindUsersRequest',
  {
    phoneNumber: optional(phoneNumberText, 'Phone number in E.164 format.'),
    email: optional(text({ maxLength: 320 }), 'E-mail address; letter case is ignored.'),
  },
  ({ phoneNumber, email }, errors) => {
    if ((phoneNumber === undefined) === (email === undefined) && Object.keys(errors).length === 0) {
      errors.PhoneNumber = ['Give either phoneNumber or email.'];
    }
  },
);

const holder = record('PhoneHolder', {
  userId: required(integer(), 'The user.'),
  verifiedAt: required(nullable(instant()), 'When the number was verified.'),
  lastUsedAt: required(nullable(instant()), 'When a code last proved that the user has the number.'),
});

const foundUsers = record('FoundUsers', {
  userIds: required(listOf(integer()), 'Their ids, at most 50.'),
  holder: optional(nullable(holder), 'With `phoneNumber`: who has verified it, or null.'),
});

/** A POST, so that no phone number or e-mail address is in the path or query, which logs and browser histories keep. */
export const findUsersOperation = (findUsers: ReturnType<typeof createFindUsers>) =>
  operation({
    ...operatorRead,
    name: 'operator-find-users',
    method: 'POST',
    path: '/operator/find-users',
    summary: 'Find users',
    about:
      'Users who verified the number, and users whose last code was sent to it; or users with the e-mail address. The call is audited, with number and address masked.',
    input,
    inputRequired: true,
    example: { phoneNumber: '+447400123456' },
    responses: { 200: { about: 'The users.', shape: foundUsers } },
    async handle({ body: { phoneNumber, email }, caller: { subject, client } }) {
      const what = phoneNumber ? { e164: phoneNumber.e164 } : { email: email! };
      return reply(200, foundUsers, await findUsers({ subject, client }, what));
    },
  });
