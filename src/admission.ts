/**
 * How many requests are worked on at once. A request counts while it needs the processor or a short statement; not
 * while its body arrives, while it waits for a gateway or for a slot, or while its answer is being read.
 */
import { overloaded } from './errors.ts';
import { runningShare, type Owner } from './slots.ts';

/** One for all: under overload there are thousands a second, and each new Error would cost a stack. */
const refusal = overloaded(1);

/** A burst passes: the limit holds only when it has been reached for so long. */
const burstMilliseconds = 1000;
/** A burst is at most so many times the limit. */
const burstFactor = 4;

export class Admission {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #activeByCaller = new Map<string, number>();
  #active = 0;
  /** Since when the limit has been reached. It ends when half of it is free again. */
  #fullSince: number | undefined;

  constructor(limit: number, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  get active(): number {
    return this.#active;
  }

  /** Throws if there is no room for another request; of this caller, once it is known. */
  check(owner?: Owner): void {
    const isOverloaded = this.#isOverloaded();
    if (this.#active >= (isOverloaded ? this.#limit : this.#limit * burstFactor)) throw refusal;
    if (!owner || !isOverloaded) return;
    if (this.#activeOf(owner) >= runningShare[owner.kind](this.#limit)) throw refusal;
  }

  /** Throws if there is no room for another request of this caller. */
  enter(owner: Owner): void {
    this.check(owner);
    this.#active += 1;
    this.#activeByCaller.set(owner.key, this.#activeOf(owner) + 1);
    owner.isActive = true;
  }

  leave(owner: Owner): void {
    this.#active -= 1;
    const active = this.#activeOf(owner) - 1;
    if (active === 0) this.#activeByCaller.delete(owner.key);
    else this.#activeByCaller.set(owner.key, active);
    owner.isActive = false;
  }

  /** For work that a request only waits for. Without an owner it is a request that is being worked on. */
  async outside<T>(work: () => Promise<T>, owner?: Owner): Promise<T> {
    if (owner && !owner.isActive) return work();
    this.#active -= 1;
    try {
      return await work();
    } finally {
      this.#active += 1;
    }
  }

  #activeOf({ key }: Owner): number {
    return this.#activeByCaller.get(key) ?? 0;
  }

  #isOverloaded(): boolean {
    if (this.#active * 2 < this.#limit) {
      this.#fullSince = undefined;
      return false;
    }
    if (this.#fullSince === undefined) {
      if (this.#active < this.#limit) return false;
      this.#fullSince = this.#now();
    }
    return this.#now() - this.#fullSince >= burstMilliseconds;
  }
}
