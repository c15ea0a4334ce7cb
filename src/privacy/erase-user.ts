/** Erases a user: everything about the person immediately, the transactions after their retention period. */
import { daySeconds, secondsAfter, type Clock } from '../values/clock.ts';
import { unknownUser } from '../errors.ts';
import type { Operator } from '../audit/operator-actions.ts';
import type { Observe } from '../monitoring/observe.ts';
import { countryOf } from '../values/phone-number.ts';
import type { PrivacyStore } from './privacy.store.ts';

export interface EraseUserParts {
  store: PrivacyStore;
  clock: Clock;
  observe: Observe;
  retainDays: number;
}

export type EraseUser = ReturnType<typeof createEraseUser>;

export function createEraseUser({ store, clock, observe, retainDays }: EraseUserParts) {
  /** `erasedAt`: when a user who is erased again, after a restore, was erased. Retention counts from then. */
  return async function eraseUser(actor: Operator, userId: number, erasedAt?: Date): Promise<void> {
    const now = clock.now();
    const since = erasedAt ?? now;
    const retainedUntil = retainDays === 0 ? null : secondsAfter(since, retainDays * daySeconds);
    const result = await store.eraseUser({ userId, now, erasedAt: since, retainedUntil, actor, countryOf });
    if (result === 'unknown') throw unknownUser();
    if (result === 'erased') {
      observe({ kind: 'operator-action', subject: actor.subject, action: 'erase-user', target: `user ${userId}` });
    }
  };
}
