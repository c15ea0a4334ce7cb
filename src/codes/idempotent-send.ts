/** One send per Idempotency-Key: a repeated request gets the first answer, and no second text is sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import { secondsAfter, type Clock } from '../values/clock.ts';
import type { Digest } from '../guard/source.ts';
import { keyReused, Problem, repeated, stillSending, tooManySends } from '../errors.ts';
import type { Owner } from '../sharing/slots.ts';
import type { SendKey, SendKeyStore } from './idempotency-key.store.ts';

/** Maximum number of keys of one user in a day. It is far above the number of sends, and limits what is stored. */
const keyLimit = 1000;
/** Maximum number of requests with the same key that wait for its answer in this process. */
const waiterLimit = 200;
/** Pauses between two checks of a key that another process has; the last one is repeated. */
const pausesMilliseconds = [50, 100, 200, 300];

/** What a client needs to ask its user for the code. */
export interface SentCode {
  codeLength: number;
  expiresInSeconds: number;
}

export interface OnceOptions {
  store: SendKeyStore;
  clock: Clock;
  waitSeconds: number;
  /** Keyed: the phone number in a plain digest of a request could be found by trying all numbers. */
  digest: Digest;
  /** Runs work that a request only waits for. */
  whileWaiting<T>(work: () => Promise<T>, owner: Owner): Promise<T>;
}

type Send = () => Promise<SentCode | undefined>;

/** `request` is everything that makes two requests the same. */
export interface KeyedRequest {
  userId: number;
  key: string;
  request: string;
  owner: Owner;
}

/** A request with a key that has no answer yet, in this process. */
interface Open {
  request: Buffer;
  waiters: number;
  answer: Promise<SentCode | undefined>;
}

export type SendOnce = ReturnType<typeof createSendOnce>;

export function createSendOnce({ store, clock, waitSeconds, digest, whileWaiting }: OnceOptions) {
  /** A send takes no longer than this; an older claim was left by a process that ended. */
  const claimSeconds = waitSeconds + 30;
  const open = new Map<string, Open>();

  /**
   * If this process has several requests with the same key, one asks the database; the others share its answer or its
   * error.
   */
  return async function once({ userId, key, request, owner }: KeyedRequest, send: Send): Promise<SentCode | undefined> {
    const claim = { userId, key: digest('idempotency-key', key), request: digest('idempotent-request', request) };
    const name = `${userId} ${claim.key.toString('base64')}`;
    const first = open.get(name);
    if (first) return join(first, claim.request, owner);
    const answer = claimAndSend(claim, send, owner).finally(() => open.delete(name));
    open.set(name, { request: claim.request, waiters: 0, answer });
    return answer;
  };

  async function join(first: Open, request: Buffer, owner: Owner): Promise<SentCode | undefined> {
    if (!first.request.equals(request)) throw keyReused();
    if (first.waiters >= waiterLimit) throw stillSending();
    first.waiters += 1;
    return whileWaiting(() => first.answer, owner);
  }

  /** Sends, if the key is free. Otherwise it waits for the answer of the process that has the key. */
  async function claimAndSend(claim: SendKey, send: Send, owner: Owner): Promise<SentCode | undefined> {
    let isFree = true;
    let waited = 0;
    for (let look = 0; waited <= waitSeconds * 1000; look += 1) {
      const now = clock.now();
      const abandonedBefore = secondsAfter(now, -claimSeconds);
      const claimed = isFree ? await store.claim(claim, now, abandonedBefore, keyLimit) : 'taken';
      if (claimed === 'full') throw tooManySends(3600);
      if (claimed === 'claimed') return sendAndFinish(claim, now, send);
      const first = await store.read(claim);
      if (first && !first.sameRequest) throw keyReused();
      if (first?.status === 204) return asSentCode(first.answer);
      if (first?.status) throw repeated(first.answer!);
      // The other process released the key, or ended without an answer.
      isFree = !first || first.claimedAt < abandonedBefore;
      const pause = pausesMilliseconds[Math.min(look, pausesMilliseconds.length - 1)]!;
      waited += pause;
      await whileWaiting(() => sleep(pause), owner);
    }
    throw stillSending();
  }

  async function sendAndFinish(claim: SendKey, claimedAt: Date, send: Send): Promise<SentCode | undefined> {
    let sent: SentCode | undefined;
    try {
      sent = await send();
    } catch (error) {
      // A 429 or 503 is not final: the next request with the key tries again.
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
