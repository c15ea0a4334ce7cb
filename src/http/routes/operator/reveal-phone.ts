import { instant, nullable, record } from '../../../formats/record.ts';
import { required, text } from '../../../formats/shape.ts';
import type { createRevealPhone } from '../../../users/find-users.ts';
import { noStore, operation, operatorWrite, reply } from '../../operation.ts';

const phones = record('RevealedPhones', {
  verifiedPhone: required(nullable(text()), 'The verified number.'),
  lastSentPhone: required(nullable(text()), 'The number that the last code was sent to.'),
  verifiedAt: required(nullable(instant()), 'When the verified number was verified.'),
  lastUsedAt: required(nullable(instant()), 'When a code last proved that the user has the verified number.'),
});

export const revealPhoneOperation = (revealPhone: ReturnType<typeof createRevealPhone>) =>
  operation({
    ...operatorWrite,
    name: 'operator-reveal-phone',
    method: 'POST',
    path: '/operator/users/{id}/reveal-phone',
    summary: 'Reveal phone numbers',
    about: 'A user’s phone numbers in full. The call is audited.',
    responses: { 200: { about: 'The numbers.', shape: phones } },
    handle: async ({ id, caller: { subject, client } }) =>
      reply(200, phones, await revealPhone({ subject, client }, id), noStore),
  });
