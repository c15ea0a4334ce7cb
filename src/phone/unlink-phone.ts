/** Unlinks a lost or recycled number from a user, who is then unverified again. */
import type { Operator } from '../audit/operator-actions.ts';
import type { Clock } from '../values/clock.ts';
import { phoneNotHeld, unknownUser } from '../errors.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { PhoneStore } from './phone.store.ts';

export type FreePhone = ReturnType<typeof createFreePhone>;

export function createUnlinkPhone(store: PhoneStore, clock: Clock, observe: Observe) {
  return async function unlinkPhone(userId: number): Promise<void> {
    if (!(await store.unlinkPhone({ userId, now: clock.now() }))) throw unknownUser();
    observe({ kind: 'phone-unlinked', userId });
  };
}

/** For operators, who know the number. Audited. If the user has another number by now, that one stays. */
export function createFreePhone(store: PhoneStore, clock: Clock, observe: Observe) {
  return async function freePhone(who: Operator, userId: number, e164: string): Promise<void> {
    const isFreed = await store.unlinkPhone({ userId, now: clock.now(), freed: { e164, who } });
    if (!isFreed) throw phoneNotHeld();
    observe({ kind: 'phone-unlinked', userId });
    observe({ kind: 'operator-action', subject: who.subject, action: 'free-phone', target: `user ${userId}` });
  };
}
