/** Finds the users of a phone number or an e-mail address, and the phone numbers of a user, for operators. */
import { unknownUser } from '../errors.ts';
import type { Operator } from '../audit/operator-actions.ts';
import type { UsersStore } from './users.store.ts';
import type { FoundUsers, PhonesOfUser } from './user.ts';

/** Records which operator looked up which user. */
export type RecordLookup = (
  who: Operator,
  action: 'reveal-phone' | 'find-users' | 'list-transactions',
  target: { userId: number } | { e164: string } | { email: string },
) => Promise<void> | void;

/** Maximum number of users that are returned: as many as a person can read. */
const maxUsers = 50;

/** The answer reveals whether a number is used, so every lookup is audited, even one without a result. */
export function createFindUsers(store: UsersStore, recordLookup: RecordLookup) {
  return async function findUsers(who: Operator, what: { e164: string } | { email: string }): Promise<FoundUsers> {
    await recordLookup(who, 'find-users', what);
    if ('email' in what) return { userIds: await store.findByEmail(what.email, maxUsers) };
    const [userIds, holder] = await Promise.all([store.findByPhone(what.e164, maxUsers), store.findHolder(what.e164)]);
    return { userIds, holder: holder ?? null };
  };
}

export function createRevealPhone(store: UsersStore, recordLookup: RecordLookup) {
  return async function revealPhone(who: Operator, userId: number): Promise<PhonesOfUser> {
    const phones = await store.readPhones(userId);
    if (!phones) throw unknownUser();
    // The audit comes first: no number is shown without it.
    await recordLookup(who, 'reveal-phone', { userId });
    return phones;
  };
}
