/**
 * The limits of ranges of numbers. The budgets of new ranges are a setting; the others are constants, since nobody can choose
 * them without the simulation behind them: `npm run attack -- --ranges` shows what a change does, and docs/decisions/0007-ranges.md
 * explains each one.
 */
import { rangeLevels, type ByLevel, type RangeLimits } from './ranges.ts';

/** How strict the rule is as a whole: the budgets below are multiplied by this. */
export const rangeStrictness = { careful: 0.5, normal: 1, open: 2 } as const;
export type RangeStrictness = keyof typeof rangeStrictness;

export interface RangeSettings {
  /** A word, or the budgets themselves. */
  ranges: RangeStrictness | ByLevel;
}

/**
 * Codes that may be sent to a new range in about a day without being verified, by how many of the last digits the range
 * leaves open.
 */
const normalUnverified: ByLevel = { '4': 20, '5': 30, '6': 50, '7': 100, country: 200 };

/** All codes of a day for each unverified one: a large range has more traffic that is verified. */
const sendsForEachUnverified: ByLevel = { '4': 5, '5': 20 / 3, '6': 10, '7': 20, country: Infinity };

/** What is not a setting. docs/decisions/0007-ranges.md says which values were tried. */
const constants = {
  // How many times the codes of a normal day may be sent to a range in a day: a campaign doubles them.
  growth: 3,
  // Extra budget for newcomers with a proof, in percent of the budget of newcomers. Established users have twice as much.
  reservePercent: 100,
  // A day on which one in seven codes more than usual is not verified is still an ordinary day.
  unverifiedPercent: 15,
  // 400 and no limit were tried: an attack at night then used up the budget of the morning.
  hourPercent: 200,
  // Enough to keep a country's first codes from setting the pattern of its week.
  hourCodes: 5,
  // Honest traffic in the simulation converts at 75 to 90 percent.
  conversionPercent: 60,
  // Below ten, whether a range is proven depends on chance.
  provenCodes: 10,
  // An attacker who verifies half of the codes stays below it.
  provenPercent: 70,
  conversionCodes: 50,
  knownCodes: 500,
  // In a known country a new range is rare, so it gets less.
  knownPercent: 40,
  // Lower, so that an attack does not use up the whole budget of the day within an hour.
  knownHourPercent: 30,
  // Keeps honest traffic from reaching the limit by chance.
  tolerancePercent: 5,
  halvings: 3,
  // 1 and 12 were tried: refusals of honest users after an attack caused another halving, or it lasted too long.
  halvingHours: 6,
  recoveryCodes: 3,
  // 1.5 an hour: enough to notice within hours that a range is honest again.
  trials: 36,
  trialPercent: 10,
  failedPercent: 10,
  // A gateway that fails everywhere is not an attack.
  failedGrowthPercent: 150,
  failedWeightPercent: 100,
  // 0 and 50 were tried.
  likelyPercent: 25,
  addressCodes: 5,
  addressPercent: 60,
};

export function readRangeLimits({ ranges }: RangeSettings): RangeLimits {
  const [budgets, factor] =
    typeof ranges === 'string' ? [normalUnverified, rangeStrictness[ranges]] : ([ranges, 1] as const);
  const unverified = byLevel((level) => Math.max(1, budgets[level] * factor));
  return {
    ...constants,
    unverified,
    sends: byLevel((level) => unverified[level] * sendsForEachUnverified[level]),
    trials: constants.trials * factor,
  };
}

function byLevel(value: (level: keyof ByLevel) => number): ByLevel {
  return Object.fromEntries(rangeLevels.map((level) => [level, value(level)])) as Record<keyof ByLevel, number>;
}
