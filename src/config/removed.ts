/** Settings that an earlier version had, and what to use instead. The start and `ledgerline doctor` say it. */

const constantOfRanges =
  'is a constant now (src/guard/ranges/range-limits.ts); LEDGERLINE_RANGES=careful, normal or open sets how strict the rule is.';
const constant = 'is a constant now: nobody needed another value. Remove it.';
const partOfBreaker = 'is a part of LEDGERLINE_BREAKER now: failures/pause/longest pause, such as 5/5s/2m.';

const removed: [instead: string, prefix: string, names: string][] = [
  [partOfBreaker, 'LEDGERLINE_BREAKER_', 'FAILURES PAUSE LONGEST_PAUSE'],
  [constant, 'LEDGERLINE_ORDER_', 'WINDOW MESSAGES MARGIN_PERCENT FLOOR_PERCENT'],
  [constant, 'LEDGERLINE_', 'CLOCK_SKEW_SECONDS CHALLENGE_SECONDS ESTABLISHED_AFTER'],
  [
    constantOfRanges,
    'LEDGERLINE_RANGE_',
    `UNVERIFIED_PERCENT HOUR_PERCENT HOUR_CODES SENDS CONVERSION PROVEN_CODES PROVEN_PERCENT CONVERSION_CODES KNOWN_CODES
     KNOWN_PERCENT KNOWN_HOUR_PERCENT TOLERANCE_PERCENT HALVINGS HALVING_HOURS RECOVERY_CODES TRIALS TRIAL_PERCENT
     FAILED_PERCENT FAILED_GROWTH_PERCENT FAILED_WEIGHT_PERCENT LIKELY_PERCENT ADDRESS_CODES ADDRESS_PERCENT`,
  ],
];

const insteadOf = new Map(
  removed.flatMap(([instead, prefix, names]) => names.split(/\s+/).map((name) => [prefix + name, instead] as const)),
);

/** A sentence about a removed setting, to follow its name. */
export const describeRemoved = (name: string): string | undefined => insteadOf.get(name);
