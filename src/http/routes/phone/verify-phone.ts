import type { VerifyCode } from '../../../phone/verify-code.ts';
import { emptyAfter, operation } from '../../operation.ts';
import { callOrigin } from '../call-origin.ts';
import { body, int32, required, text } from '../../../formats/shape.ts';

const input = body('VerifyRequest', {
  id: required(int32(), 'User identifier.'),
  code: required(text({ trim: true, maxLength: 64 }), 'The code of the message.'),
});

export const verifyPhoneOperation = (verifyCode: VerifyCode) =>
  operation({
    name: 'verify-phone',
    method: 'POST',
    path: '/User/phone-number/verify',
    tag: 'Phone verification',
    summary: 'Verify a code',
    about: 'Checks the code and marks the phone it was sent to as verified.',
    scopes: ['phone'],
    input,
    example: { id: 1, code: '123456' },
    responses: { 200: { about: 'The phone is verified.' } },
    errors: ['invalid-code', 'too-many-failures'],
    namesUser: ({ body: { id } }) => id,
    handle: ({ body: { id, code }, caller, request }) =>
      emptyAfter(200, verifyCode('verification', id, code, callOrigin(caller, request))),
  });
