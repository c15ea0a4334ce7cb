/**
 * The types of sliding windows. Whether a window is full is decided in the database, by src/db/functions/full_windows.sql.
 * Who is blocked is decided by reserve_attempt.sql, which computes blocks with blocks.sql.
 */
import type { RuleName } from './rules.ts';

/** At most `count` events in any `seconds`. After this many failures the key is blocked for `blockSeconds`. */
export interface Rate {
  count: number;
  seconds: number;
  blockSeconds?: number;
}

/** A rate of a rule that is on. */
export interface Window extends Rate {
  rule: RuleName;
  isEnforced: boolean;
}

/** The windows over one counter. */
export interface Limit {
  windows: readonly Window[];
  /** With fewer events than this no window is full; null if there are no windows. */
  smallestCount: number | null;
  /** The number of latest events that are kept for the windows. */
  kept: number;
}

/** `keep` is given the largest count of the windows. */
export function createLimit(windows: readonly Window[], keep = (count: number) => count): Limit {
  const counts = windows.map(({ count }) => count);
  return {
    windows,
    smallestCount: windows.length === 0 ? null : Math.min(...counts),
    kept: windows.length === 0 ? 0 : keep(Math.max(...counts)),
  };
}
