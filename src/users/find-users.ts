/** Finds the users of a phone number or an e-mail address, and the phone numbers of a user, for operators. */
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
  action: 'reveal-phone' | 'find-users' | 'list-transactions',
  target: { userId: number } | { phone: string } | { email: string },
) => Promise<void> | void;

/** How many users are returned: as many as a person can look through. */
const maxUsers = 50;

/** The answer tells whether anybody uses a number, so every lookup is audited, also one without a result. */
export function createFindUsers(store: UsersStore, audit: Audit) {
  return async function findUsers(who: Operator, what: { phone: string } | { email: string }): Promise<number[]> {
    await audit(who, 'find-users', what);
    return 'phone' in what ? store.findByPhone(what.phone, maxUsers) : store.findByEmail(what.email, maxUsers);
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
