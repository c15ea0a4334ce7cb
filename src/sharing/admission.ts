/**
 * Limits the number of requests that are processed at the same time. A request counts while it needs the processor or a
 * short statement; not while its body arrives, while it waits for a gateway or for a slot, or while its answer is being
 * read.
 */
import { overloaded, type Problem } from '../errors.ts';
import { runningShare, type Owner } from './slots.ts';

/**
 * One object for all refusals: under overload there are thousands a second, and each new Error would have to record a
 * stack trace.
 */
const refusal = overloaded(1);

/** How long requests must be too many, and too slow, before the limit is enforced. */
const burstMilliseconds = 1000;
/** Maximum size of a burst, as a multiple of the limit. */
const burstFactor = 4;
/**
 * Requests are too slow if more are being processed than are finished in this time. Faster ones are not refused: a
 * refusal would cost as much as the answer.
 */
const slowMilliseconds = 250;

/** A client may use a whole burst: its requests are those of many users. */
function shareOf({ kind }: Owner, room: number, isOverloaded: boolean): number {
  return isOverloaded || kind === 'user' ? runningShare[kind](room) : room;
}

export class Admission {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #activeByCaller = new Map<string, number>();
  #active = 0;
  #lastRequestAt = 0;
  /** The start and the end of the last time with too many requests. */
  #fullSince: number | undefined;
  #lastFull = 0;
  /** Requests that were finished, or began to wait for something else: in this interval and in the one before. */
  #finished = 0;
  #finishedBefore = 0;
  #stretchSince = 0;

  constructor(limit: number, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  get active(): number {
    return this.#active;
  }

  /** How long no request has come. */
  get idleMilliseconds(): number {
    return this.#now() - this.#lastRequestAt;
  }

  /**
   * The refusal if there is no room for another request, or for another one of this caller if it is known. It is
   * returned and not thrown: under load, throwing takes about 20 µs.
   */
  findRefusal(owner?: Owner): Problem | undefined {
    const now = this.#now();
    this.#lastRequestAt = now;
    const isOverloaded = this.#isOverloaded(now);
    const room = isOverloaded ? this.#limit : this.#limit * burstFactor;
    const hasRoom = this.#active < room && (!owner || this.#activeOf(owner) < shareOf(owner, room, isOverloaded));
    if (hasRoom) return undefined;
    // As long as requests are refused, the overload continues.
    if (this.#finishedBefore < this.#limit) this.#lastFull = now;
    return refusal;
  }

  /** Throws if there is no room for another request of this caller. */
  enter(owner: Owner): void {
    const found = this.findRefusal(owner);
    if (found) throw found;
    this.#count(owner);
    owner.isActive = true;
  }

  leave(owner: Owner): void {
    if (!owner.waits) this.#discount(owner);
    owner.isActive = false;
  }

  /** For work that a request only waits for. A request may wait for several things at the same time. */
  async outside<T>(work: () => Promise<T>, owner: Owner): Promise<T> {
    if (!owner.isActive) return work();
    if (!owner.waits) this.#discount(owner);
    owner.waits = (owner.waits ?? 0) + 1;
    try {
      return await work();
    } finally {
      owner.waits -= 1;
      if (owner.waits === 0 && owner.isActive) this.#count(owner);
    }
  }

  #count(owner: Owner): void {
    this.#active += 1;
    this.#activeByCaller.set(owner.key, this.#activeOf(owner) + 1);
  }

  #discount(owner: Owner): void {
    this.#active -= 1;
    this.#finished += 1;
    const active = this.#activeOf(owner) - 1;
    if (active === 0) this.#activeByCaller.delete(owner.key);
    else this.#activeByCaller.set(owner.key, active);
  }

  #activeOf({ key }: Owner): number {
    return this.#activeByCaller.get(key) ?? 0;
  }

  #isOverloaded(now: number): boolean {
    this.#measure(now);
    if (this.#active >= this.#limit && this.#active > this.#finishedBefore) {
      this.#lastFull = now;
      this.#fullSince ??= now;
    } else if (now - this.#lastFull >= (this.#isClosed() ? burstMilliseconds : slowMilliseconds)) {
      this.#fullSince = undefined;
    }
    return this.#isClosed();
  }

  #isClosed(): boolean {
    return this.#fullSince !== undefined && this.#lastFull - this.#fullSince >= burstMilliseconds;
  }

  #measure(now: number): void {
    const milliseconds = now - this.#stretchSince;
    if (milliseconds < slowMilliseconds) return;
    // The interval may be longer than intended, if there was no request meanwhile.
    this.#finishedBefore = (this.#finished * slowMilliseconds) / milliseconds;
    this.#finished = 0;
    this.#stretchSince = now;
  }
}
