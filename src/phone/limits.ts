/** The arithmetic of sliding windows. The statements that count use the same, in SQL. */
import { secondsAfter } from '../clock.ts';

/** At most `count` in any `seconds`. */
export interface Rate {
  count: number;
  seconds: number;
}

/** At most `count` failures in any `seconds`, then nothing for `blockSeconds`. */
export interface FailureRate extends Rate {
  blockSeconds: number;
}

/** The counts as the statements take them; an absent window has none. */
export function windowCounts(rates: readonly (Rate | undefined)[]): (number | null)[] {
  return rates.map((rate) => rate?.count ?? null);
}

/** The moments before which nothing counts. */
export function windowStarts(now: Date, seconds: readonly number[]): Date[] {
  return seconds.map((span) => secondsAfter(now, -span));
}
