/**
 * Remembers how many rows of the blocks that a time range cuts are in it. Whoever pages through a range asks for it again
 * and again. The database compares the versions of the blocks, so that a count is used only while its block is the same.
 */

/** About 500 bytes each. */
const defaultMaxRanges = 10_000;

export class CutCounts {
  readonly #maxRanges: number;
  /** What the database returned, by range, in the order of last use. */
  readonly #counts = new Map<string, string>();

  constructor(maxRanges = defaultMaxRanges) {
    this.#maxRanges = maxRanges;
  }

  get(range: string): string | undefined {
    const counts = this.#counts.get(range);
    if (counts !== undefined) this.set(range, counts);
    return counts;
  }

  set(range: string, counts: string): void {
    this.#counts.delete(range);
    this.#counts.set(range, counts);
    if (this.#counts.size <= this.#maxRanges) return;
    const [oldest] = this.#counts.keys();
    this.#counts.delete(oldest!);
  }
}
