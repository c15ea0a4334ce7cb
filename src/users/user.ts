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
  phoneNumber: PhoneNumber | undefined;
  verified: boolean;
}

export interface ImportUserResult {
  user: 'created' | 'known' | 'erased';
  /** Why the phone was not linked; undefined if it was, or if the user has none. */
  phoneProblem?: 'taken' | 'other-phone' | 'earlier-line' | undefined;
}

export interface UserStatus {
  isPhoneNumberVerified: boolean;
  phoneNumber: string | null;
  /** When the number was verified. */
  verifiedAt: string | null;
}

export interface PhonesOfUser extends PhoneUse {
  verifiedPhone: string | null;
  lastSentPhone: string | null;
}

/** How fresh a link is; both null without one. */
interface PhoneUse {
  verifiedAt: string | null;
  /** When a code last proved that the user has the phone. */
  lastUsedAt: string | null;
}

/** The user who has verified a phone. */
export interface PhoneHolder extends PhoneUse {
  userId: number;
}

export interface FoundUsers {
  userIds: number[];
  /** Of the number that was searched for; null if nobody has verified it. */
  holder?: PhoneHolder | null;
}

export function phoneUseOf(verifiedAt: Date | null, codeUsedAt: Date | null): PhoneUse {
  if (verifiedAt === null) return { verifiedAt: null, lastUsedAt: null };
  const lastUsedAt = codeUsedAt !== null && codeUsedAt > verifiedAt ? codeUsedAt : verifiedAt;
  return { verifiedAt: writeTime(verifiedAt), lastUsedAt: writeTime(lastUsedAt) };
}
