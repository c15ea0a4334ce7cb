/**
 * What a process remembers to save work, by key. Callers choose most keys, so the bytes are limited. The oldest entries
 * are removed first, whether they were used since or not, unless `use` is called.
 */

/** What the Map and its entry take, beside the key and the value. Measured: 90 bytes. */
const entryBytes = 100;

/**
 * How much is left after a removal. A Map skips its removed entries one by one until it is rebuilt, so removing one at a
 * time would take time in proportion to the size of the cache.
 */
const keptShare = 0.9;

interface Entry<V> {
  value: V;
  bytes: number;
}

export class BoundedCache<K extends string | number, V> {
  readonly #maxBytes: number;
  readonly #entries = new Map<K, Entry<V>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** The same, and the entry counts as new. */
  use(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** `valueBytes` is what the value takes at most. An entry that is larger than the whole cache is not kept. */
  set(key: K, value: V, valueBytes: number): void {
    this.delete(key);
    const bytes = entryBytes + valueBytes + (typeof key === 'string' ? textBytes(key) : 0);
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    if (this.#bytes <= this.#maxBytes) return;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= keptShare * this.#maxBytes) return;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

/** At most: V8 needs one byte for a character if all characters of the text are in Latin-1, otherwise two. */
export function textBytes(text: string): number {
  return 24 + 2 * text.length;
}
