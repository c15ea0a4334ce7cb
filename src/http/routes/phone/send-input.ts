/** The members that send-code and a change of number have in common. */
import { filterText, int32, optional, required, withDefault } from '../../../formats/shape.ts';
import { phoneNumberText } from './phone-number-text.ts';

export const sendMembers = {
  phoneNumber: required(phoneNumberText, 'Phone number in E.164 format.'),
  correlationType: withDefault(int32(0, 1), 0, '0: standard individual user; 1: merchant flows.'),
  locale: optional(
    filterText({
      trim: true,
      parse: (given) => (/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/.test(given) ? given : undefined),
      message: 'The field {0} must be a language such as en or pt-BR.',
    }),
    'Language of the message, such as en or pt-BR. If absent, the language of the phone’s country.',
  ),
};
