/**
 * Remembers how many rows of a block match a filter, until the block changes. The filters that were not used for the
 * longest time are removed first.
 */
import { BoundedCache, textBytes } from '../../sharing/bounded-cache.ts';
import type { CountedBlock, RowKey } from './block-places.ts';
import type { Filter } from '../filter.ts';

const defaultMaxBytes = 32 * 1024 * 1024;

interface Entry {
  version: string;
  rows: number;
  keys: RowKey[] | undefined;
}

/** The entries of one individual and filter, by the start of their block. */
interface Counts {
  entries: Map<string, Entry>;
  bytes: number;
}

export class BlockCounts {
  readonly #filters: BoundedCache<string, Counts>;

  constructor(maxBytes = defaultMaxBytes) {
    this.#filters = new BoundedCache(maxBytes);
  }

  /**
   * The counts for a filter. The time range is not part of the key: the counts of blocks that it cuts are not
   * remembered.
   */
  of(individualId: number, { from: _from, to: _to, ...filter }: Filter) {
    const key = `${individualId} ${JSON.stringify(filter, Object.keys(filter).sort())}`;
    const known = this.#filters.use(key);
    return {
      get({ startTime, version }: CountedBlock): Pick<CountedBlock, 'rows' | 'keys'> | undefined {
        const entry = known?.entries.get(startTime);
        return entry && entry.version === version ? { rows: entry.rows, keys: entry.keys } : undefined;
      },
      /** A filter without a count takes no room. */
      set: ({ startTime, version, rows, keys }: CountedBlock): void => {
        if (version === null || rows === undefined) return;
        const counts = this.#filters.get(key) ?? { entries: new Map<string, Entry>(), bytes: 0 };
        const entry = { version, rows, keys };
        counts.bytes += bytesOf(startTime, entry) - bytesOf(startTime, counts.entries.get(startTime));
        counts.entries.set(startTime, entry);
        this.#filters.set(key, counts, counts.bytes);
      },
    };
  }
}

function bytesOf(startTime: string, entry: Entry | undefined): number {
  if (!entry) return 0;
  const ofKeys = entry.keys?.reduce((sum, [time, id]) => sum + 64 + textBytes(time) + textBytes(id), 64) ?? 0;
  return 100 + textBytes(startTime) + textBytes(entry.version) + ofKeys;
}
