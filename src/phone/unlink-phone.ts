/** Takes a lost or recycled number off a user, who is unverified again. */
import { unknownUser } from '../errors.ts';
import type { Observe } from '../observe.ts';
import type { PhoneStore } from './phone.store.ts';

export function createUnlinkPhone(store: PhoneStore, observe: Observe) {
  return async function unlinkPhone(userId: number): Promise<void> {
    if (!(await store.unlinkPhone(userId))) throw unknownUser();
    observe({ kind: 'phone-unlinked', userId });
  };
}
