/** Creates a user, with the id that the caller chose or the next free one. */
import type { Clock } from '../values/clock.ts';
import { userExists } from '../errors.ts';
import type { UsersStore } from './users.store.ts';
import type { NewUser } from './user.ts';

export function createCreateUser(store: UsersStore, clock: Clock) {
  return async function createUser(user: NewUser): Promise<number> {
    for (;;) {
      const id = await store.insertUser(user, clock.now());
      if (id !== undefined) return id;
      if (user.id !== undefined) throw userExists();
      await store.skipTakenIds();
    }
  };
}
