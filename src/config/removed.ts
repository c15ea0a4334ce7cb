/** Settings that an earlier version had, and what to use instead. The start and `ledgerline doctor` say it. */
const removed: [name: RegExp, instead: string][] = [
  [/^LEDGERLINE_BREAKER_\w+$/, 'is a part of LEDGERLINE_BREAKER now: failures/pause/longest pause, such as 5/5s/2m.'],
  [
    /^LEDGERLINE_(ORDER_\w+|CLOCK_SKEW_SECONDS|CHALLENGE_SECONDS|ESTABLISHED_AFTER)$/,
    'is a constant now: nobody needed another value. Remove it.',
  ],
  [
    /^LEDGERLINE_RANGE_\w+$/,
    'is a constant now (src/guard/range-limits.ts); LEDGERLINE_RANGES=careful, normal or open sets how strict the rule is.',
  ],
];

/** A sentence about a removed setting, to follow its name. */
export function describeRemoved(name: string): string | undefined {
  return removed.find(([pattern]) => pattern.test(name))?.[1];
}
