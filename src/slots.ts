/** Scarce things that callers share. Each caller gets a part of them, and the line in front of them is bounded. */
import { CallerGone, overloaded, tooManyStreams } from './errors.ts';

/** On whose behalf work is done. */
export interface Owner {
  /** Work under the same key counts as one caller's. */
  key: string;
  kind: 'user' | 'client' | 'service';
  /** Aborted when nobody waits for the result any more. */
  readonly signal?: AbortSignal | undefined;
  /** Whether `Admission` has let the request in, and for how many things it waits at present. */
  isActive?: boolean;
  waits?: number;
}

/** The service's own work. */
export const serviceItself: Owner = { key: 'service', kind: 'service' };

export interface SlotOptions {
  /** How much work runs at once. */
  slots: number;
  /** How much more may wait. */
  waiting: number;
  waitMilliseconds: number;
  /** What callers that find no place are told to wait. */
  retrySeconds: number;
}

/** How many of so many slots one caller may have. A client serves many users, but leaves a slot to the others. */
export const runningShare: Record<Owner['kind'], (slots: number) => number> = {
  user: (slots) => Math.max(1, Math.floor(slots / 4)),
  client: (slots) => Math.max(1, Math.min(slots - 1, Math.ceil((slots * 3) / 4))),
  service: (slots) => slots,
};

/** How many of so many places in line. */
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
  /** Starts the work that waits, oldest first. */
  line: (() => void)[];
}

export class Slots {
  readonly #options: SlotOptions;
  /** One for all: under overload there are thousands a second, and each new Error would cost a stack. */
  readonly #refusal: Error;
  /** Callers with work that runs or waits. The first one that may is the next to get a slot. */
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
   * Takes a slot; the result gives it back. Throws if the caller has its share and nothing waits here, if the line is
   * full, if the wait takes too long, or if the caller leaves.
   */
  async take(owner: Owner): Promise<() => void> {
    if (owner.signal?.aborted) throw new CallerGone();
    const caller = this.#callers.get(owner.key) ?? this.#newCaller(owner);
    if (this.#hasSlot(caller)) this.#start(caller);
    else {
      this.#checkLine(caller);
      await this.#standInLine(caller, owner.signal);
    }
    return () => this.#release(caller);
  }

  /** Throws if work of this owner would be refused. */
  check(owner: Owner): void {
    const caller = this.#callers.get(owner.key) ?? this.#newCaller(owner);
    if (!this.#hasSlot(caller)) this.#checkLine(caller);
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

  /** The other callers come first next time. A caller without work is forgotten. */
  #moveToEnd(caller: CallerState): void {
    this.#callers.delete(caller.key);
    if (caller.running > 0 || caller.line.length > 0) this.#callers.set(caller.key, caller);
  }

  #checkLine({ running, maxRunning, line, maxWaiting }: CallerState): void {
    const { waiting, retrySeconds } = this.#options;
    if (waiting === 0) throw running >= maxRunning ? tooManyStreams(retrySeconds) : this.#refusal;
    if (this.#waiting >= waiting || line.length >= maxWaiting) throw this.#refusal;
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
