/** One send for one Idempotency-Key: who comes again gets the first answer, and no second text goes out. */
import { createHash } from 'node:crypto';
import { secondsAfter, type Clock } from '../clock.ts';
import { keyReused, Problem, repeated, stillSending, tooManySends } from '../errors.ts';
import type { FirstAnswer, SendKeyStore } from './send-key.store.ts';

/** Keys of one user in a day: far more than there are sends, and an end to writing them for nothing. */
const mostKeys = 1000;
/** How long a second caller waits for the first one's answer. */
const pauseMilliseconds = 50;

/** What a client needs to ask its user for the code. */
export interface SentCode {
  codeLength: number;
  expiresInSeconds: number;
}

export interface OnceOptions {
  store: SendKeyStore;
  clock: Clock;
  waitSeconds: number;
}

type Send = () => Promise<SentCode | undefined>;

export type SendOnce = ReturnType<typeof createSendOnce>;

export function createSendOnce({ store, clock, waitSeconds }: OnceOptions) {
  /** A send takes no longer than this; a claim that is older was left behind by a process that ended. */
  const claimSeconds = waitSeconds + 30;

  /** `request` is all that makes two requests the same. */
  return async function once(userId: number, key: string, request: string, send: Send): Promise<SentCode | undefined> {
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
      if (first?.status === 204) return asSentCode(first.answer);
      if (first?.status) throw repeated(first.answer!);
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
    throw stillSending();
  };

  async function run(
    claim: { userId: number; key: Buffer; request: Buffer },
    claimedAt: Date,
    send: Send,
  ): Promise<SentCode | undefined> {
    let sent: SentCode | undefined;
    try {
      sent = await send();
    } catch (error) {
      // What says "later" or "unknown" is no last word: the next call with the key tries again.
      const details = error instanceof Problem ? error.details : undefined;
      if (details?.status === 400) await store.finish(claim, claimedAt, 400, details.reason);
      else await store.release(claim, claimedAt);
      throw error;
    }
    await store.finish(claim, claimedAt, 204, sent ? asText(sent) : null);
    return sent;
  }
}

function asText({ codeLength, expiresInSeconds }: SentCode): string {
  return `${codeLength} ${expiresInSeconds}`;
}

function asSentCode(text: string | null): SentCode | undefined {
  if (text === null) return undefined;
  const [codeLength, expiresInSeconds] = text.split(' ').map(Number);
  return { codeLength: codeLength!, expiresInSeconds: expiresInSeconds! };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
