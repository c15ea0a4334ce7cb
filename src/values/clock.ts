/** The service's clock. It governs codes, limits and token expiry, and only the sandbox can move it. */
export interface Clock {
  now(): Date;
}

export class ServiceClock implements Clock {
  #aheadMilliseconds = 0;

  now(): Date {
    return new Date(Date.now() + this.#aheadMilliseconds);
  }

  get aheadSeconds(): number {
    return this.#aheadMilliseconds / 1000;
  }

  set aheadSeconds(seconds: number) {
    this.#aheadMilliseconds = seconds * 1000;
  }
}

/** A day of UTC. */
export const daySeconds = 86_400;

export function secondsAfter(instant: Date, seconds: number): Date {
  return new Date(instant.getTime() + seconds * 1000);
}

/** The whole seconds until something expires that has not expired yet: at least one. */
export function secondsLeft(now: Date, expiresAt: Date): number {
  return Math.max(1, Math.floor(secondsBetween(now, expiresAt)));
}

export function secondsBetween(earlier: Date, later: Date): number {
  return (later.getTime() - earlier.getTime()) / 1000;
}
