import { body, required, text } from '../../../formats/shape.ts';
import type { ChangePhone } from '../../../phone/change-phone.ts';
import { emptyAfter, operation } from '../../operation.ts';
import { callOrigin } from '../call-origin.ts';

const input = body('VerifyChangeRequest', {
  code: required(text({ trim: true, maxLength: 64 }), 'The code of the message.'),
});

export const verifyChangeOperation = (changePhone: ChangePhone) =>
  operation({
    name: 'verify-change',
    method: 'POST',
    path: '/User/{id}/phone-number/change/verify',
    tag: 'Phone verification',
    summary: 'Verify the code of a change',
    about:
      'Links the new number in place of the old one, which is free then and gets a text that says so. Open confirmations of the user are void.',
    scopes: ['phone'],
    input,
    example: { code: '123456' },
    responses: { 200: { about: 'The new number is verified.' } },
    errors: ['invalid-code', 'too-many-failures'],
    handle: ({ id, body: { code }, caller, request }) =>
      emptyAfter(200, changePhone.verifyChange(id, code, callOrigin(caller, request))),
  });
