/** Reads whether a user has a verified phone, and its number. */
import { unknownUser } from '../errors.ts';
import type { UsersStore } from './users.store.ts';
import type { UserStatus } from './user.ts';

export function createUserStatus(store: UsersStore) {
  return async function userStatus(userId: number): Promise<UserStatus> {
    const status = await store.readStatus(userId);
    if (!status) throw unknownUser();
    return status;
  };
}
