/** The delay before a worker that ended by itself is started again. */

const firstMilliseconds = 200;
const longestMilliseconds = 30_000;
/** A worker that was ready for this long did not end because of a problem at its start. */
const provenMilliseconds = 60_000;

export class RestartDelay {
  #failures = 0;

  /** `ranMilliseconds`: how long the process had been ready when it ended. */
  next(ranMilliseconds: number): number {
    if (ranMilliseconds >= provenMilliseconds) this.#failures = 0;
    const delay = Math.min(longestMilliseconds, firstMilliseconds * 2 ** this.#failures);
    this.#failures += 1;
    return delay;
  }
}
