/**
 * Limited resources that callers share. Each caller gets a share of them, and the queue of those who wait is limited.
 */
import { CallerGone, overloaded, tooManyStreams, type Problem } from '../errors.ts';

/** The caller for whom work is done. */
export interface Owner {
  /** All work with the same key counts as one caller's. */
  key: string;
  kind: 'user' | 'client' | 'service';
  /** Aborted when the caller no longer waits for the result. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the connection of the caller. */
  disconnect?(): void;
  /** Whether `Admission` has admitted the request, and how many things it waits for at present. */
  isActive?: boolean;
  waits?: number;
}

/** The service's own work. */
export const serviceItself: Owner = { key: 'service', kind: 'service' };

export interface SlotOptions {
  /** Maximum number of pieces of work that run at the same time. */
  slots: number;
  /** Maximum number that may wait in addition. */
  waiting: number;
  waitMilliseconds: number;
  /** Retry-After for callers that are refused. */
  retrySeconds: number;
  /** A caller that has its share is refused and does not wait. This is so too if nobody can wait. */
  refusesShare?: boolean;
}

/** The number of slots one caller may use. A client serves many users, but leaves a slot for other callers. */
export const runningShare: Record<Owner['kind'], (slots: number) => number> = {
  user: (slots) => Math.max(1, Math.floor(slots / 4)),
  client: (slots) => Math.max(1, Math.min(slots - 1, Math.ceil((slots * 3) / 4))),
  service: (slots) => slots,
};

/** The number of waiting places one caller may use. */
const waitingShare: Record<Owner['kind'], (places: number) => number> = {
  user: (places) => Math.max(1, Math.floor(places / 16)),
  client: (places) => Math.max(1, Math.floor((places * 3) / 4)),
  service: (places) => places,
};

interface CallerState {
  key: string;
  running: number;
  maxRunning: number;
  maxWaiting: number;
  /** Functions that start the waiting work, oldest first. */
  line: (() => void)[];
}

export class Slots {
  readonly #options: SlotOptions;
  /**
   * One object for all refusals: under overload there are thousands a second, and each new Error would have to record a
   * stack trace.
   */
  readonly #refusal: Problem;
  /** Callers with running or waiting work. The first of them that is below its share gets the next slot. */
  readonly #callers = new Map<string, CallerState>();
  #running = 0;
  #waiting = 0;

  constructor(options: SlotOptions) {
    this.#options = options;
    this.#refusal = overloaded(options.retrySeconds);
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  async run<T>(owner: Owner, work: () => Promise<T>): Promise<T> {
    const release = await this.take(owner);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Takes a slot; the returned function releases it. Throws if no slot is free and waiting is not possible here, if the
   * queue is full, if the wait takes too long, or if the caller leaves.
   */
  async take(owner: Owner): Promise<() => void> {
    if (owner.signal?.aborted) throw new CallerGone();
    const caller = this.#callers.get(owner.key) ?? this.#newCaller(owner);
    if (this.#hasSlot(caller)) this.#start(caller);
    else {
      const refusal = this.#findLineRefusal(caller);
      if (refusal) throw refusal;
      await this.#standInLine(caller, owner.signal);
    }
    return () => this.#release(caller);
  }

  /** The refusal that work of this owner would get. */
  findRefusal(owner: Owner): Problem | undefined {
    const caller = this.#callers.get(owner.key) ?? this.#newCaller(owner);
    return this.#hasSlot(caller) ? undefined : this.#findLineRefusal(caller);
  }

  #hasSlot({ running, maxRunning }: CallerState): boolean {
    return this.#running < this.#options.slots && running < maxRunning;
  }

  #newCaller({ key, kind }: Owner): CallerState {
    const { slots, waiting } = this.#options;
    return {
      key,
      running: 0,
      maxRunning: runningShare[kind](slots),
      maxWaiting: waitingShare[kind](waiting),
      line: [],
    };
  }

  #start(caller: CallerState): void {
    this.#running += 1;
    caller.running += 1;
    this.#moveToEnd(caller);
  }

  /** Other callers come first next time. A caller without work is removed. */
  #moveToEnd(caller: CallerState): void {
    this.#callers.delete(caller.key);
    if (caller.running > 0 || caller.line.length > 0) this.#callers.set(caller.key, caller);
  }

  #findLineRefusal({ running, maxRunning, line, maxWaiting }: CallerState): Problem | undefined {
    const { waiting, retrySeconds, refusesShare = waiting === 0 } = this.#options;
    if (refusesShare && running >= maxRunning) return tooManyStreams(retrySeconds);
    return this.#waiting >= waiting || line.length >= maxWaiting ? this.#refusal : undefined;
  }

  #standInLine(caller: CallerState, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        caller.line.splice(caller.line.indexOf(start), 1);
        this.#waiting -= 1;
      };
      const start = () => {
        leave();
        this.#start(caller);
        resolve();
      };
      const giveUp = (error: Error) => {
        leave();
        this.#moveToEnd(caller);
        reject(error);
      };
      const onAbort = () => giveUp(new CallerGone());
      const { waitMilliseconds } = this.#options;
      const timer = setTimeout(() => giveUp(this.#refusal), waitMilliseconds);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#callers.set(caller.key, caller);
      caller.line.push(start);
      this.#waiting += 1;
    });
  }

  #release(caller: CallerState): void {
    this.#running -= 1;
    caller.running -= 1;
    this.#moveToEnd(caller);
    for (const { line, running, maxRunning } of this.#callers.values()) {
      const start = line[0];
      if (!start || running >= maxRunning) continue;
      start();
      return;
    }
  }
}
