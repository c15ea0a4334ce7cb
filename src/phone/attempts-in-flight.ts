/**
 * The attempts to verify that this process has not decided yet. Each is counted as failed before its code is compared,
 * so ten that are in flight look like ten failures although one of them may succeed. A further attempt waits for them
 * before it is refused.
 */
export class AttemptsInFlight {
  readonly #byUser = new Map<number, Set<Promise<void>>>();

  /** Returns the function to call when the attempt is decided. */
  begin(userId: number): () => void {
    const attempts = this.#byUser.get(userId) ?? new Set();
    this.#byUser.set(userId, attempts);
    let resolve!: () => void;
    const promise = new Promise<void>((done) => (resolve = done));
    attempts.add(promise);
    return () => {
      attempts.delete(promise);
      if (attempts.size === 0 && this.#byUser.get(userId) === attempts) this.#byUser.delete(userId);
      resolve();
    };
  }

  /** The attempts of the user that are in flight now; undefined if there is none. */
  of(userId: number): Promise<unknown> | undefined {
    const attempts = this.#byUser.get(userId);
    return attempts && Promise.all(attempts);
  }
}
