/** The keys of digests, page tokens and message references: the current key creates them, all keys verify them. */
import { createHmac } from 'node:crypto';

export interface DigestKeys {
  current: Buffer;
  /** The current key first, then older keys and keys that will replace it. */
  all: readonly Buffer[];
}

/** One set for each purpose, derived from the configured keys. */
export function deriveKeys(keys: readonly Buffer[], purpose: string): DigestKeys {
  const all = keys.map((key) => deriveKey(key, purpose));
  return { current: all[0]!, all };
}

export function deriveKey(key: Buffer, purpose: string): Buffer {
  return createHmac('sha256', key).update(purpose).digest();
}
