/** Unlinks a lost or recycled number from a user, who is then unverified again. */
import type { Clock } from '../values/clock.ts';
import { unknownUser } from '../errors.ts';
import type { Observe } from '../monitoring/observe.ts';
import { countryOf } from '../values/phone-number.ts';
import type { PhoneStore } from './phone.store.ts';

export function createUnlinkPhone(store: PhoneStore, clock: Clock, observe: Observe) {
  return async function unlinkPhone(userId: number): Promise<void> {
    if (!(await store.unlinkPhone({ userId, by: 'client', countryOf, now: clock.now() }))) throw unknownUser();
    observe({ kind: 'phone-unlinked', userId });
  };
}
