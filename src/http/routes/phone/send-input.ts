/** The members that send-code and a change of number have in common. */
import { int32, required, withDefault } from '../../../formats/shape.ts';
import { localeMember } from '../locale-member.ts';
import { phoneNumberText } from './phone-number-text.ts';

export const sendMembers = {
  phoneNumber: required(phoneNumberText, 'Phone number in E.164 format.'),
  correlationType: withDefault(int32(0, 1), 0, '0: standard individual user; 1: merchant flows.'),
  locale: localeMember,
};
