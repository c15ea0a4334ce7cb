/**
 * How fast an endpoint is called: a limit of requests in flight and a rate. Failures halve the limit in flight, down to
 * one, and each success adds one. After many failures in a row there is a pause before each request, so that a dead
 * endpoint with a long queue costs almost nothing.
 */
export interface PaceLimits {
  inFlight: number;
  perSecond: number;
}

/** The part of the rate that may be used in one burst. */
const burstMilliseconds = 100;
const manyFailures = 100;
const pauseMilliseconds = 250;

export class Pace {
  readonly #limits: PaceLimits;
  #inFlightLimit: number;
  #failuresInRow = 0;
  /** The time when the next request would be due at an even rate. */
  #evenAt = 0;

  constructor(limits: PaceLimits) {
    this.#limits = limits;
    this.#inFlightLimit = limits.inFlight;
  }

  get inFlightLimit(): number {
    return this.#inFlightLimit;
  }

  /** Milliseconds to wait before the next request; 0 if it may start. */
  wait(now: number): number {
    return Math.max(0, Math.ceil(this.#evenAt - now - (this.#isPaused ? 0 : burstMilliseconds)));
  }

  /** Counts a request. */
  start(now: number): void {
    this.#evenAt = Math.max(this.#evenAt, now) + (this.#isPaused ? pauseMilliseconds : 1000 / this.#limits.perSecond);
  }

  get #isPaused(): boolean {
    return this.#failuresInRow >= manyFailures;
  }

  succeed(): void {
    this.#failuresInRow = 0;
    this.#inFlightLimit = Math.min(this.#limits.inFlight, this.#inFlightLimit + 1);
  }

  fail(): void {
    this.#failuresInRow += 1;
    this.#inFlightLimit = Math.max(1, Math.floor(this.#inFlightLimit / 2));
  }
}
