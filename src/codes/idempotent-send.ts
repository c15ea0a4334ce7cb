/** One send per Idempotency-Key: a repeated request gets the first answer, and no second text is sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import { secondsAfter, type Clock } from '../values/clock.ts';
import type { Digest, Origin } from '../guard/source.ts';
import { asStored, keyReused, Problem, repeated, stillSending, tooManySends } from '../errors.ts';
import type { Owner } from '../sharing/slots.ts';
import type { CodeChannel } from '../sms/channels.ts';
import type { SendKey, SendKeyStore } from './idempotent-send.store.ts';

/** Maximum number of keys of one user in a day. It is far above the number of sends, and limits what is stored. */
const keyLimit = 1000;
/** Tokens that are bound to the user use no more than half of them, so that a stolen one does not stop the back end. */
const boundKeyLimit = keyLimit / 2;
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

/** How an answer is stored, so that a repeated request gets it again. */
export interface AnswerForm<T> {
  status: 201 | 204;
  write(answer: T): string | null;
  read(stored: string | null): T;
}

/** A send without a body: 204, or nothing was sent. */
export const sentCodeForm: AnswerForm<SentCode | undefined> = {
  status: 204,
  write: (sent) => (sent ? `${sent.codeLength} ${sent.expiresInSeconds}` : null),
  read(stored) {
    if (stored === null) return undefined;
    const [codeLength, expiresInSeconds] = stored.split(' ').map(Number);
    return { codeLength: codeLength!, expiresInSeconds: expiresInSeconds! };
  },
};

/** The caller of a send. */
export interface SendCaller {
  userId: number;
  origin: Origin;
  /** Waits for the answer. */
  owner: Owner;
  idempotencyKey?: string | undefined;
  /** The only channel that the caller accepts. */
  channel?: CodeChannel | undefined;
}

export interface KeyedRequest extends Omit<SendCaller, 'origin'> {
  origin: Pick<Origin, 'bound'>;
  /** Everything besides the channel that makes two requests the same. */
  same: readonly (string | number)[];
  /** Names what is sent, if a request that is repeated after an unknown outcome must send the same again. */
  draft?: string;
}

/** What is sent with a key. If something else must be sent, it is changed here. */
export interface Draft {
  text: string | null;
}

type Send<T> = (draft: Draft) => Promise<T>;

interface Claimed {
  claim: SendKey;
  claimedAt: Date;
  draft: Draft;
}

/** A request with a key that has no answer yet, in this process. */
interface Open {
  request: Buffer;
  waiters: number;
  answer: Promise<unknown>;
}

export type SendOnce = ReturnType<typeof createSendOnce>;

export function createSendOnce({ store, clock, waitSeconds, digest, whileWaiting }: OnceOptions) {
  /** A send takes no longer than this; an older claim was left by a process that ended. */
  const claimSeconds = waitSeconds + 30;
  const open = new Map<string, Open>();

  /**
   * Without a key it just sends. If this process has several requests with the same key, one asks the database; the
   * others share its answer or its error.
   */
  return async function once<T>(given: KeyedRequest, form: AnswerForm<T>, send: Send<T>): Promise<T> {
    const { userId, origin, owner, idempotencyKey, channel } = given;
    const draft = { text: given.draft ?? null };
    if (idempotencyKey === undefined) return send(draft);
    const same = [...given.same, ...(channel === undefined ? [] : [channel])].join('\n');
    const claim = {
      userId,
      key: digest('idempotency-key', idempotencyKey),
      request: digest('idempotent-request', same),
    };
    const name = `${userId} ${claim.key.toString('base64')}`;
    const first = open.get(name);
    // The same request has an answer of the same form.
    if (first) return (await join(first, claim.request, owner)) as T;
    const limit = origin.bound ? boundKeyLimit : keyLimit;
    const answer = claimAndSend({ claim, limit, draft, owner }, form, send).finally(() => open.delete(name));
    open.set(name, { request: claim.request, waiters: 0, answer });
    return answer;
  };

  async function join(first: Open, request: Buffer, owner: Owner): Promise<unknown> {
    if (!first.request.equals(request)) throw keyReused();
    if (first.waiters >= waiterLimit) throw stillSending();
    first.waiters += 1;
    return whileWaiting(() => first.answer, owner);
  }

  /** Sends, if the key is free. Otherwise it waits for the answer of the process that has the key. */
  async function claimAndSend<T>(
    { claim, limit, draft, owner }: { claim: SendKey; limit: number; draft: Draft; owner: Owner },
    form: AnswerForm<T>,
    send: Send<T>,
  ): Promise<T> {
    let isFree = true;
    let waited = 0;
    for (let look = 0; waited <= waitSeconds * 1000; look += 1) {
      const now = clock.now();
      const abandonedBefore = secondsAfter(now, -claimSeconds);
      const claimed = isFree ? await store.claim(claim, { now, abandonedBefore, limit, draft: draft.text }) : undefined;
      if (claimed?.result === 'full') throw tooManySends(3600);
      if (claimed?.result === 'claimed') {
        return sendAndFinish({ claim, claimedAt: now, draft: { text: claimed.draft } }, form, send);
      }
      const first = await store.read(claim);
      if (first && !first.sameRequest) throw keyReused();
      if (first?.status === form.status) return form.read(first.answer);
      if (first?.status === 400) throw repeated(first.answer!);
      // The other process released the key, was refused for now, does not know the outcome, or ended without an answer.
      isFree = !first || first.status === 503 || first.claimedAt < abandonedBefore;
      const pause = pausesMilliseconds[Math.min(look, pausesMilliseconds.length - 1)]!;
      waited += pause;
      await whileWaiting(() => sleep(pause), owner);
    }
    throw stillSending();
  }

  async function sendAndFinish<T>(
    { claim, claimedAt, draft }: Claimed,
    form: AnswerForm<T>,
    send: Send<T>,
  ): Promise<T> {
    let answer: T;
    try {
      answer = await send(draft);
    } catch (error) {
      const details = error instanceof Problem ? error.details : undefined;
      if (details?.status === 400) await store.finish(claim, claimedAt, 400, asStored(details));
      // Nothing is kept for a user or a confirmation that does not exist.
      else if (details?.status === 404) await store.release(claim, claimedAt);
      // A 429 or 503 is not final: the same request tries again, with the same draft. Another request may not.
      else await store.finish(claim, claimedAt, 503, draft.text);
      throw error;
    }
    await store.finish(claim, claimedAt, form.status, form.write(answer));
    return answer;
  }
}
