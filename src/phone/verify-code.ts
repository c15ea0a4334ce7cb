/** Checks a code and marks the phone it was sent to as the user's own. */
import { secondsBetween, type Clock } from '../clock.ts';
import { invalidCode, tooManyFailures } from '../errors.ts';
import type { Observe } from '../observe.ts';
import { digestCode, sameDigest } from './code.ts';
import type { FailureRate } from './limits.ts';
import type { PhoneStore } from './phone.store.ts';

export interface VerifyRules {
  store: PhoneStore;
  clock: Clock;
  observe: Observe;
  failures: readonly FailureRate[];
  attempts: number;
  digestKey: Buffer;
}

export type VerifyCode = ReturnType<typeof createVerifyCode>;

export function createVerifyCode({ store, clock, observe, failures, attempts, digestKey }: VerifyRules) {
  return async function verifyCode(userId: number, code: string): Promise<void> {
    const now = clock.now();
    const reserved = await store.reserveAttempt(userId, now, failures, attempts);
    if (!reserved) {
      const until = await store.readBlock(userId);
      observe({ kind: 'verify-refused', userId, reason: 'blocked' });
      throw tooManyFailures(until ? secondsBetween(now, until) : 1);
    }
    const { number, phone, digest } = reserved;
    if (!digest) {
      observe({ kind: 'verify-refused', userId, reason: 'no-code' });
      throw invalidCode();
    }
    if (!sameDigest(digest, digestCode(digestKey, { userId, number, phone }, code))) {
      observe({ kind: 'verify-refused', userId, reason: 'wrong-code' });
      throw invalidCode();
    }
    // Right, but another call may use it up first, or another user may have verified the number.
    if (!(await store.consumeCode(userId, number, now))) {
      observe({ kind: 'verify-refused', userId, reason: 'lost-race' });
      throw invalidCode();
    }
    observe({ kind: 'verified', userId });
  };
}
