import { emptyAfter, operation } from '../../operation.ts';

export const unlinkPhoneOperation = (unlinkPhone: (userId: number) => Promise<void>) =>
  operation({
    name: 'unlink-phone',
    method: 'DELETE',
    path: '/User/{id}/phone-number',
    tag: 'Phone verification',
    summary: 'Unlink a phone number',
    about: 'For a lost or recycled number. The user is unverified again, and another user can verify the number.',
    scopes: ['users'],
    responses: { 204: { about: 'The user has no number.' } },
    handle: ({ id }) => emptyAfter(204, unlinkPhone(id)),
  });
