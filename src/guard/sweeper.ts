/** Deletes counters whose windows have passed: a limited number of rows at a time, in key order. */
import { secondsAfter, type Clock } from '../values/clock.ts';
import { longestWindowSeconds, type GuardLimits } from './limits.ts';
import { sweptTables, type GuardStore, type SweptTable } from './guard.store.ts';

const rowsAtOnce = 2000;

export function createSweeper(store: GuardStore, limits: GuardLimits, clock: Clock) {
  const cursors = new Map<SweptTable, string>();
  const longestSeconds = longestWindowSeconds(limits);

  /** Checks the next rows of every table. True if a table has more. */
  return async function sweep(): Promise<boolean> {
    const now = clock.now();
    const quietSince = secondsAfter(now, -longestSeconds);
    for (const table of sweptTables) {
      const next = await store.sweep(table, cursors.get(table), rowsAtOnce, quietSince, now);
      if (next === undefined) cursors.delete(table);
      else cursors.set(table, next);
    }
    await store.sweepDated(now);
    return cursors.size > 0;
  };
}
