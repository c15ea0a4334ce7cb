/**
 * Keeps messages from a gateway that has stopped answering. After some failures in a row it opens; when it
 * has been open for a while one message goes through as a probe, and what becomes of it decides.
 */
export type BreakerState = 'closed' | 'open' | 'probing';

export interface BreakerOptions {
  /** Failures in a row that open it. */
  failures: number;
  /** How long it stays open at first; each failed probe doubles that, up to `longestMilliseconds`. */
  openMilliseconds: number;
  longestMilliseconds: number;
  now(): number;
  onChange(state: BreakerState, reason: string | undefined): void;
}

export type Breaker = ReturnType<typeof createBreaker>;

export function createBreaker(options: BreakerOptions) {
  let state: BreakerState = 'closed';
  let failures = 0;
  let waitMilliseconds = options.openMilliseconds;
  let opensAgainAt = 0;
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
    /** Milliseconds until a probe may go; 0 when a message may. */
    get waitMilliseconds(): number {
      if (state === 'closed') return 0;
      return Math.max(0, opensAgainAt - options.now());
    },
    /** Whether a message may go now. A probe that goes keeps the others out until it is answered. */
    admit(): boolean {
      if (state === 'closed') return true;
      if (options.now() < opensAgainAt) return false;
      // Should the probe's answer never be told, the next one may go after the same wait.
      opensAgainAt = options.now() + waitMilliseconds;
      change('probing');
      return true;
    },
    succeeded(): void {
      failures = 0;
      waitMilliseconds = options.openMilliseconds;
      change('closed');
    },
    /** The answer says nothing about the gateway's health. If it was a probe, the next message is one. */
    undecided(): void {
      if (state === 'probing') opensAgainAt = options.now();
    },
    failed(reason: string): void {
      failures += 1;
      lastReason = reason;
      if (state === 'probing') waitMilliseconds = Math.min(options.longestMilliseconds, 2 * waitMilliseconds);
      else if (state === 'open' || failures < options.failures) return;
      opensAgainAt = options.now() + waitMilliseconds;
      change('open', reason);
    },
  };
}
