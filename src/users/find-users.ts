/** What an operator needs to find a customer: from a number to users, and from a user to the number. */
import { unknownUser } from '../errors.ts';
import type { PhonesOfUser, UsersStore } from './users.store.ts';

/** The person behind a token, as the audit names them. */
export interface Operator {
  subject: string;
  client: string;
}

/** Says who looked at whom, so that it can be told later. */
export type Audit = (
  who: Operator,
  action: 'reveal-phone' | 'find-users',
  target: { userId: number } | { phone: string },
) => Promise<void> | void;

/** A number can have been tried by many; this is as many as a person can look through. */
const most = 50;

/** Whoever may ask can learn whether a number is somebody's: so who asked is told, also when it is nobody's. */
export function createFindUsers(store: UsersStore, audit: Audit) {
  return async function findUsers(who: Operator, phone: string): Promise<number[]> {
    await audit(who, 'find-users', { phone });
    return store.findByPhone(phone, most);
  };
}

export function createRevealPhone(store: UsersStore, audit: Audit) {
  return async function revealPhone(who: Operator, userId: number): Promise<PhonesOfUser> {
    const phones = await store.readPhones(userId);
    if (!phones) throw unknownUser();
    // First the audit: nobody sees a number without it.
    await audit(who, 'reveal-phone', { userId });
    return phones;
  };
}
