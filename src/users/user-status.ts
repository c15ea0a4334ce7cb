/** Whether a user's phone is verified, and which it is. */
import { unknownUser } from '../errors.ts';
import type { UsersStore, UserStatus } from './users.store.ts';

export function createUserStatus(store: UsersStore) {
  return async function userStatus(userId: number): Promise<UserStatus> {
    const status = await store.readStatus(userId);
    if (!status) throw unknownUser();
    return status;
  };
}
