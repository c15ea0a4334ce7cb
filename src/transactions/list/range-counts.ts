/**
 * Remembers how many rows a time range has: in total, and in the blocks that it cuts. A client that pages through a
 * range needs these counts for every page. The database compares versions: the total is used while the individual's
 * rows have not changed, the count of a block while that block has not changed. The ranges that were not used for the
 * longest time are removed first.
 */
import { BoundedCache, textBytes } from '../../sharing/bounded-cache.ts';

/** About 10,000 ranges. */
const defaultMaxBytes = 8 * 1024 * 1024;

export class RangeCounts {
  /** What the database returned, by range. */
  readonly #counts: BoundedCache<string, string>;

  constructor(maxBytes = defaultMaxBytes) {
    this.#counts = new BoundedCache(maxBytes);
  }

  get(range: string): string | undefined {
    return this.#counts.use(range);
  }

  set(range: string, counts: string): void {
    this.#counts.set(range, counts, textBytes(counts));
  }
}
