/** Finds the users of a phone number, and the phone numbers of a user, for operators. */
import { unknownUser } from '../errors.ts';
import type { UsersStore } from './users.store.ts';
import type { PhonesOfUser } from './user.ts';

/** The person who holds the token, as the audit records it. */
export interface Operator {
  subject: string;
  client: string;
}

/** Records who looked up whom. */
export type Audit = (
  who: Operator,
  action: 'reveal-phone' | 'find-users',
  target: { userId: number } | { phone: string },
) => Promise<void> | void;

/** How many users are returned: as many as a person can look through. */
const maxUsers = 50;

/** The answer tells whether anybody uses a number, so every lookup is audited, also one without a result. */
export function createFindUsers(store: UsersStore, audit: Audit) {
  return async function findUsers(who: Operator, phone: string): Promise<number[]> {
    await audit(who, 'find-users', { phone });
    return store.findByPhone(phone, maxUsers);
  };
}

export function createRevealPhone(store: UsersStore, audit: Audit) {
  return async function revealPhone(who: Operator, userId: number): Promise<PhonesOfUser> {
    const phones = await store.readPhones(userId);
    if (!phones) throw unknownUser();
    // The audit comes first: no number is shown without it.
    await audit(who, 'reveal-phone', { userId });
    return phones;
  };
}
