/**
 * How many requests are worked on at once. A request counts while it needs the processor or a short statement; not
 * while its body arrives, while it waits for a gateway or for a slot, or while its answer is being read.
 */
import { overloaded } from './errors.ts';
import { runningShare, type Owner } from './slots.ts';

/** One for all: under overload there are thousands a second, and each Error would cost a stack. */
const refusal = overloaded(1);

export class Admission {
  readonly #maxActive: number;
  readonly #activeByCaller = new Map<string, number>();
  #active = 0;

  constructor(maxActive: number) {
    this.#maxActive = maxActive;
  }

  get active(): number {
    return this.#active;
  }

  /** Throws if there is no room for another request. */
  check(): void {
    if (this.#active >= this.#maxActive) throw refusal;
  }

  /** Throws if there is no room for another request of this caller. Shares count only when there is little room left. */
  enter(owner: Owner): void {
    this.check();
    const { key, kind } = owner;
    const active = this.#activeByCaller.get(key) ?? 0;
    if (this.#active * 2 >= this.#maxActive && active >= runningShare[kind](this.#maxActive)) throw refusal;
    this.#active += 1;
    this.#activeByCaller.set(key, active + 1);
    owner.isActive = true;
  }

  leave(owner: Owner): void {
    const { key } = owner;
    this.#active -= 1;
    const active = this.#activeByCaller.get(key)! - 1;
    if (active === 0) this.#activeByCaller.delete(key);
    else this.#activeByCaller.set(key, active);
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
}
