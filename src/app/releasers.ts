/** Releases what a start acquired, in reverse order, even if the start fails before its end. */
export class Releasers {
  readonly #stack: (() => unknown)[] = [];

  add(release: () => unknown): void {
    this.#stack.push(release);
  }

  async run(): Promise<void> {
    for (let release = this.#stack.pop(); release; release = this.#stack.pop()) await release();
  }
}

/** What a start has acquired is released if it fails. */
export async function releaseOnFailure<T>(start: (releasers: Releasers) => Promise<T>): Promise<T> {
  const releasers = new Releasers();
  try {
    return await start(releasers);
  } catch (error) {
    await releasers.run();
    throw error;
  }
}
