import type { GuardControl } from '../../../guard/control/guard-control.ts';
import { body, optional, text } from '../../../formats/shape.ts';
import { emptyAfter, operation, operatorWrite } from '../../operation.ts';
import { phoneNumberText } from '../phone/phone-number-text.ts';

const prefixText = text({
  parse: (value) => (/^\+[1-9]\d{2,8}$/.test(value) ? value : undefined),
  message: 'The {0} field must be + and 3 to 9 digits.',
  schema: { pattern: '^\\+[1-9]\\d{2,8}$' },
});

const input = body(
  'GuardSafeRequest',
  {
    phoneNumber: optional(phoneNumberText, 'One number.'),
    prefix: optional(prefixText, 'All numbers that start so.'),
  },
  ({ phoneNumber, prefix }, errors) => {
    if ((phoneNumber === undefined) === (prefix === undefined) && Object.keys(errors).length === 0) {
      errors.PhoneNumber = ['Give either phoneNumber or prefix.'];
    }
  },
);

export const guardAddSafeOperation = (control: GuardControl) =>
  operation({
    ...operatorWrite,
    name: 'guard-add-safe',
    method: 'POST',
    path: '/operator/guard/safe-list',
    summary: 'Add to the safe list',
    about:
      'Adds a number or a prefix. The budgets of users, addresses and tokens still apply, and so do the limits on spending.',
    input,
    inputRequired: true,
    example: { prefix: '+447400' },
    responses: { 204: { about: 'It is on the list.' } },
    handle: ({ body: { phoneNumber, prefix }, caller }) =>
      emptyAfter(204, control.addSafe(caller, prefix === undefined ? { phoneNumber: phoneNumber! } : { prefix })),
  });
