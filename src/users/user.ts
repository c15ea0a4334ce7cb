/** The data of a user. */
import { writeTime } from '../values/instant.ts';
import type { PhoneNumber } from '../values/phone-number.ts';

export interface NewUser {
  id: number | undefined;
  merchantId: number | undefined;
  email: string | undefined;
  /** JSON text of an object. */
  additionalData: string | undefined;
}

/** A user who comes from another system, with the phone that was verified there. */
export interface ImportedUser {
  id: number;
  phone: PhoneNumber | undefined;
  verified: boolean;
}

export type ImportUserResult = 'created' | 'known' | 'phone-taken' | 'other-phone' | 'erased';

export interface UserStatus {
  isPhoneNumberVerified: boolean;
  phoneNumber: string | null;
  /** When the number was verified. */
  verifiedAt: string | null;
}

export interface PhonesOfUser {
  verifiedPhone: string | null;
  lastSentPhone: string | null;
}

export function statusOf(phoneNumber: string | null, verifiedAt: Date | null): UserStatus {
  return { isPhoneNumberVerified: phoneNumber !== null, phoneNumber, verifiedAt: verifiedAt && writeTime(verifiedAt) };
}
