/**
 * Keeps messages away from a gateway that fails. After some failures in a row the breaker opens. When it has been open
 * for a while, one message is sent as a probe, and its answer decides whether the breaker closes.
 */
export type BreakerState = 'closed' | 'open' | 'probing';

export interface BreakerOptions {
  /** The number of failures in a row after which it opens. */
  failures: number;
  /** How long it stays open at first. Each failed probe doubles that, up to `longestMilliseconds`. */
  openMilliseconds: number;
  longestMilliseconds: number;
  now(): number;
  onChange(state: BreakerState, reason: string | undefined): void;
}

export type Breaker = ReturnType<typeof createBreaker>;

export function createBreaker(options: BreakerOptions) {
  let state: BreakerState = 'closed';
  let failures = 0;
  let pauseMilliseconds = options.openMilliseconds;
  let probeAt = 0;
  let lastReason: string | undefined;

  function change(next: BreakerState, reason?: string): void {
    if (next === state) return;
    state = next;
    options.onChange(next, reason);
  }

  return {
    get state() {
      return state;
    },
    get reason() {
      return state === 'closed' ? undefined : lastReason;
    },
    /** Milliseconds until the next probe; 0 if a message may be sent now. */
    get waitMilliseconds(): number {
      if (state === 'closed') return 0;
      return Math.max(0, probeAt - options.now());
    },
    /** Whether a message may be sent now. During a probe no other message may be sent until the probe is answered. */
    admit(): boolean {
      if (state === 'closed') return true;
      if (options.now() < probeAt) return false;
      // If the answer of this probe is never reported, the next probe is sent after the same pause.
      probeAt = options.now() + pauseMilliseconds;
      change('probing');
      return true;
    },
    succeeded(): void {
      failures = 0;
      pauseMilliseconds = options.openMilliseconds;
      change('closed');
    },
    /**
     * Called if the answer says nothing about the gateway's health. If the message was a probe, the next message is one
     * too.
     */
    undecided(): void {
      if (state === 'probing') probeAt = options.now();
    },
    failed(reason: string): void {
      failures += 1;
      lastReason = reason;
      if (state === 'probing') pauseMilliseconds = Math.min(options.longestMilliseconds, 2 * pauseMilliseconds);
      else if (state === 'open' || failures < options.failures) return;
      probeAt = options.now() + pauseMilliseconds;
      change('open', reason);
    },
  };
}
