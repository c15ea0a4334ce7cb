/** The arithmetic of sliding windows. The statements that count use the same, in SQL. */
import { secondsAfter, secondsBetween } from '../clock.ts';

/** At most `count` in any `seconds`. */
export interface Rate {
  count: number;
  seconds: number;
}

/** At most `count` failures in any `seconds`, then nothing for `blockSeconds`. */
export interface FailureRate extends Rate {
  blockSeconds: number;
}

/** A rate as the statements take it: the count, and the moment before which nothing counts. */
export interface Window {
  count: number | null;
  since: Date;
}

/** Two windows are what the statements have parameters for. An absent one has no count. */
export function windowsAt(now: Date, rates: readonly Rate[]): [Window, Window] {
  const window = (rate: Rate | undefined): Window => ({
    count: rate?.count ?? null,
    since: secondsAfter(now, -(rate?.seconds ?? 0)),
  });
  return [window(rates[0]), window(rates[1])];
}

/** How many moments must be kept for the rates to be decided. */
export function momentsKept(rates: readonly Rate[]): number {
  return Math.max(0, ...rates.map(({ count }) => count));
}

/**
 * Seconds until one more fits. `times` are the moments that fill the windows: for each rate the one
 * that is `count` places from the end, which must leave the window first.
 */
export function secondsUntilFits(now: Date, rates: readonly Rate[], times: readonly (Date | null)[]): number {
  const waits = rates.map(({ seconds }, index) => {
    const oldest = times[index];
    return oldest ? secondsBetween(now, secondsAfter(oldest, seconds)) : 0;
  });
  return Math.max(0, ...waits);
}
