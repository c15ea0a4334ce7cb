/** The members that send-code and a change of number have in common. */
import type { FieldErrors } from '../../../errors.ts';
import { int32, required, withDefault, type ValuesOf } from '../../../formats/shape.ts';
import type { SendCode } from '../../../phone/send-code.ts';
import { channelMember, refuseChannel } from '../channel-member.ts';
import { localeMember } from '../locale-member.ts';
import { phoneNumberText } from './phone-number-text.ts';

export const sendMembers = {
  phoneNumber: required(phoneNumberText, 'Phone number in E.164 format.'),
  correlationType: withDefault(int32(0, 1), 0, '0: standard individual user; 1: merchant flows.'),
  locale: localeMember,
  channel: channelMember,
};

/** The country of the number decides which channels are allowed, so this is part of the validation. */
export const checkChannel =
  (send: Pick<SendCode, 'isAllowed'>) =>
  ({ phoneNumber, channel }: Partial<ValuesOf<typeof sendMembers>>, errors: FieldErrors): void => {
    if (phoneNumber && !send.isAllowed(phoneNumber, channel)) refuseChannel(errors);
  };
