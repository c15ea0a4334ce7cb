/** One send for one Idempotency-Key: who comes again gets the first answer, and no second text goes out. */
import { createHash } from 'node:crypto';
import { secondsAfter, type Clock } from '../clock.ts';
import { keyReused, Problem, repeated, stillSending, tooManySends } from '../errors.ts';
import type { FirstAnswer, SendKeyStore } from './send-key.store.ts';

/** Keys of one user in a day: far more than there are sends, and an end to writing them for nothing. */
const mostKeys = 1000;
/** How long a second caller waits for the first one's answer. */
const pauseMilliseconds = 50;

export interface OnceOptions {
  store: SendKeyStore;
  clock: Clock;
  waitSeconds: number;
}

export type SendOnce = ReturnType<typeof createSendOnce>;

export function createSendOnce({ store, clock, waitSeconds }: OnceOptions) {
  /** A send takes no longer than this; a claim that is older was left behind by a process that ended. */
  const claimSeconds = waitSeconds + 30;

  /** `request` is all that makes two requests the same. */
  return async function once(userId: number, key: string, request: string, send: () => Promise<void>): Promise<void> {
    const claim = { userId, key: sha256(key), request: sha256(request) };
    let first: FirstAnswer | undefined;
    for (let waited = 0; waited <= waitSeconds * 1000; waited += pauseMilliseconds) {
      const now = clock.now();
      const abandoned = secondsAfter(now, -claimSeconds);
      // Nobody has it, or whoever had it gave it back, or ended without a word.
      const free = !first || (first.status === null && first.claimedAt < abandoned);
      const claimed = free ? await store.claim(claim, now, abandoned, mostKeys) : 'held';
      if (claimed === 'full') throw tooManySends(3600);
      if (claimed === 'claimed') return run(claim, now, send);
      first = await store.read(claim);
      if (first && !first.sameRequest) throw keyReused();
      if (first?.status === 204) return;
      if (first?.status) throw repeated(first.error!);
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
    throw stillSending();
  };

  async function run(
    claim: { userId: number; key: Buffer; request: Buffer },
    claimedAt: Date,
    send: () => Promise<void>,
  ): Promise<void> {
    try {
      await send();
    } catch (error) {
      // What says "later" or "unknown" is no last word: the next call with the key tries again.
      const details = error instanceof Problem ? error.details : undefined;
      if (details?.status === 400) await store.finish(claim, claimedAt, 400, details.reason);
      else await store.release(claim, claimedAt);
      throw error;
    }
    await store.finish(claim, claimedAt, 204, null);
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
