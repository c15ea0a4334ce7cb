/**
 * The first call of a database session, for a user who never got a code. PostgreSQL plans the functions then: a field of a
 * record that no row was read into is an error only there, and calls for other users before it would hide it.
 */
import { expect, it } from 'vitest';
import { newPhone, serviceForTest } from '../harness/service.ts';

const phoneNumber = newPhone();
const code = '123456';
const unknownConfirmation = '00000000-0000-4000-8000-000000000000';

it.each([
  ['User/phone-number/send-code', 204, null, { phoneNumber }],
  ['User/phone-number/verify', 400, 'invalid-code', { code }],
  ['User/{id}/phone-number/resend-code', 400, 'nothing-to-resend', {}],
  ['User/{id}/phone-number/change', 400, 'phone-not-verified', { phoneNumber }],
  ['User/{id}/phone-number/change/resend-code', 400, 'nothing-to-resend', {}],
  ['User/{id}/phone-number/change/verify', 400, 'invalid-code', { code }],
  ['User/{id}/confirmations', 400, 'phone-not-verified', { purpose: 'payment' }],
  [`User/{id}/confirmations/${unknownConfirmation}/check`, 400, 'invalid-code', { code }],
])('%s is answered %i %s', async (pathname, status, reason, body) => {
  const service = await serviceForTest();
  const id = await service.createUser();
  const answer = await service.call(`/${pathname.replace('{id}', String(id))}`, { id, ...body });
  expect([answer.status, answer.headers.get('error-reason')]).toEqual([status, reason]);
});
