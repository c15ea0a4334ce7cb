/**
 * Remembers how many rows of a block match a filter, until the block changes. The number of entries is limited; the
 * filters that were not used for the longest time are removed first.
 */
import type { CountedBlock, RowKey } from './block-places.ts';
import type { Filter } from './filter.ts';

/** About 100 bytes each, and another 100 for each key in an entry. */
const defaultMaxEntries = 200_000;

interface Entry {
  version: string;
  rows: number;
  keys: RowKey[] | undefined;
}

export class BlockCounts {
  readonly #maxEntries: number;
  /** By individual and filter, in the order of their last use. */
  readonly #filters = new Map<string, Map<string, Entry>>();
  #entries = 0;

  constructor(maxEntries = defaultMaxEntries) {
    this.#maxEntries = maxEntries;
  }

  /**
   * The counts for a filter. The time range is not part of the key: the counts of blocks that it cuts are not
   * remembered.
   */
  of(individualId: number, { from: _from, to: _to, ...filter }: Filter) {
    const key = `${individualId} ${JSON.stringify(filter, Object.keys(filter).sort())}`;
    const entries = this.#filters.get(key) ?? new Map<string, Entry>();
    this.#filters.delete(key);
    this.#filters.set(key, entries);
    return {
      get({ startTime, version }: CountedBlock): Pick<CountedBlock, 'rows' | 'keys'> | undefined {
        const entry = entries.get(startTime);
        return entry && entry.version === version ? { rows: entry.rows, keys: entry.keys } : undefined;
      },
      set: ({ startTime, version, rows, keys }: CountedBlock): void => {
        // This filter may have been removed meanwhile to make room for others.
        if (version === null || rows === undefined || this.#filters.get(key) !== entries) return;
        this.#entries += sizeOf({ version, rows, keys }) - sizeOf(entries.get(startTime));
        entries.set(startTime, { version, rows, keys });
        this.#makeRoom();
      },
    };
  }

  #makeRoom(): void {
    for (const [key, entries] of this.#filters) {
      if (this.#entries <= this.#maxEntries) return;
      this.#filters.delete(key);
      for (const entry of entries.values()) this.#entries -= sizeOf(entry);
    }
  }
}

function sizeOf(entry: Entry | undefined): number {
  return entry ? 1 + (entry.keys?.length ?? 0) : 0;
}
