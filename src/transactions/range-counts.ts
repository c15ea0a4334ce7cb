/**
 * Remembers how many rows a time range has: in total, and in the blocks that it cuts. A client that pages through a
 * range needs these counts for every page. The database compares versions: the total is used while the individual's
 * rows have not changed, the count of a block while that block has not changed.
 */

/** About 500 bytes each. */
const defaultMaxRanges = 10_000;

export class RangeCounts {
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
