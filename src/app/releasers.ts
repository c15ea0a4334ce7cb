/** Releases what a start acquired, in reverse order, even if the start fails before its end. */
export class Releasers {
  readonly #stack: (() => unknown)[] = [];

  add(release: () => unknown): void {
    this.#stack.push(release);
  }

  /** Releases everything, also after one release has failed, and then rejects with the first error. */
  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (let release = this.#stack.pop(); release; release = this.#stack.pop()) {
      try {
        await release();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/** What a start has acquired is released if it fails. */
export async function releaseOnFailure<T>(start: (releasers: Releasers) => Promise<T>): Promise<T> {
  const releasers = new Releasers();
  try {
    return await start(releasers);
  } catch (error) {
    // What the operator must see is why the start failed, not what a failed start could not release.
    await Promise.allSettled([releasers.run()]);
    throw error;
  }
}
