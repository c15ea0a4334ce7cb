import type { GuardControl } from '../../../guard/control/guard-control.ts';
import { integer, record } from '../../../formats/record.ts';
import { body, int32, optional, required, text } from '../../../formats/shape.ts';
import { plainAddress } from '../../client-address.ts';
import { operation, operatorWrite, reply } from '../../operation.ts';
import { actionReason } from '../action-reason.ts';
import { phoneNumberText } from '../phone/phone-number-text.ts';

const input = body(
  'GuardLiftRequest',
  {
    block: optional(text({ maxLength: 100 }), 'A block, by the id that the list gives it.'),
    userId: optional(int32(), 'A user: the block and everything counted against the user.'),
    phoneNumber: optional(phoneNumberText, 'A phone number: the block and everything counted against it.'),
    address: optional(
      text({ parse: plainAddress, message: 'The {0} field is not an address.' }),
      'A client address: the block and everything counted against it.',
    ),
    reason: optional(actionReason, 'Why it is lifted; the audit shows it.'),
  },
  ({ block, userId, phoneNumber, address }, errors) => {
    const given = [block, userId, phoneNumber, address].filter((value) => value !== undefined).length;
    if (given !== 1 && Object.keys(errors).length === 0) {
      errors.Block = ['Give exactly one of block, userId, phoneNumber and address.'];
    }
  },
);

const lifted = record('GuardLifted', { lifted: required(integer(), 'How many blocks.') });

export const guardLiftOperation = (control: GuardControl) =>
  operation({
    ...operatorWrite,
    name: 'guard-lift',
    method: 'POST',
    path: '/operator/guard/lift',
    summary: 'Lift a block',
    input,
    inputRequired: true,
    example: { userId: 17, reason: 'The customer called and answered the security questions.' },
    responses: { 200: { about: 'The block is lifted.', shape: lifted } },
    errors: ['not-found'],
    async handle({ body: { block, userId, phoneNumber, address, reason }, caller }) {
      const result = await control.lift({ ...caller, reason }, { block, userId, phoneNumber, address });
      return reply(200, lifted, { lifted: result.lifted });
    },
  });
