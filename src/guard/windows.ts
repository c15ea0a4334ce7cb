/** Sliding windows, which the statements count. */

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
