/** Removes the transactions of erased users whose term of retention has passed: all rows of a user, never some. */
import type { Clock } from '../clock.ts';
import type { PrivacyStore } from './privacy.store.ts';

const usersAtOnce = 100;

export function createRemoveRetained(store: PrivacyStore, clock: Clock) {
  /** Returns the number of users whose rows were removed. */
  return async function removeRetained(): Promise<number> {
    const due = await store.findDue(clock.now(), usersAtOnce);
    for (const userId of due) {
      while (await store.removeRetained(userId));
      await store.markRemoved(userId, clock.now());
    }
    return due.length;
  };
}
