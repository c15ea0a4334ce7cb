/**
 * The limits of ranges of numbers. The budgets of new ranges are a setting; the others are constants, since nobody can choose
 * them without the simulation behind them: `npm run attack -- --ranges` shows what a change does, and docs/decisions/0007-ranges.md
 * explains each one.
 */

/** How many of the last digits a range leaves open; `country` for a whole country. */
export const rangeLevels = ['4', '5', '6', '7', 'country'] as const;
export type RangeLevel = (typeof rangeLevels)[number];
/** A value for each level. */
export type ByLevel = Readonly<Record<RangeLevel, number>>;

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
  /** Minimum budget of sends of a range in a day, as a multiple of a normal day: a campaign doubles it. */
  growth: 3,
  /**
   * Additional budget of newcomers with a proof that others cannot use, in percent of the newcomers' budget. Established
   * users have twice as much.
   */
  reservePercent: 100,
  /**
   * Minimum budget of unverified sends, in percent of a normal day. A day on which one in seven codes more than usual is
   * not verified is still an ordinary day.
   */
  unverifiedPercent: 15,
  /**
   * The part of it that may be used in an hour, in percent of what is normal at this hour of the week. 400 and no limit
   * were tried: an attack at night then used up the budget of the morning.
   */
  hourPercent: 200,
  /** Codes assumed for each hour of a country's week: enough to keep its first codes from setting the pattern. */
  hourCodes: 5,
  /** Minimum normal conversion (share of verified codes). Honest traffic in the simulation converts at 75 to 90 percent. */
  conversionPercent: 60,
  /** Verified codes of the learned days after which a range can be proven. Below ten, that depends on chance. */
  provenCodes: 10,
  /**
   * Minimum conversion of a proven range, in percent of its country's. An attacker who verifies half of the codes stays
   * below it.
   */
  provenPercent: 70,
  /** Verified codes after which the conversion of the range itself is used. Before that, its country's is used. */
  conversionCodes: 50,
  /** A country with this many verified codes is known. */
  knownCodes: 500,
  /** The minimum budgets in a known country are reduced to this: a new range is rare there. */
  knownPercent: 40,
  /** The same for the budget of an hour: an attack must not use up the whole budget of the day within an hour. */
  knownHourPercent: 30,
  /**
   * A verified code explains a few more unverified sends than the conversion requires, so that the count of honest
   * traffic does not slowly grow to its limit.
   */
  tolerancePercent: 5,
  /** Maximum number of times that the budget of newcomers is halved. */
  halvings: 3,
  /**
   * Minimum time between two halvings. 1 and 12 were tried: refusals of honest users after an attack caused another
   * halving, or it lasted too long.
   */
  halvingHours: 6,
  /** Verified codes in an hour, at about the usual conversion, that undo one halving. */
  recoveryCodes: 3,
  /**
   * Trial sends per day to a range whose budget is used up: if they are verified, the range is open again. 1.5 an hour are
   * enough to notice that within hours.
   */
  trials: 36,
  /** The same, in percent of what is normal. */
  trialPercent: 10,
  /** Minimum normal share of failed texts. */
  failedPercent: 10,
  /**
   * Failure rate allowed for a range, in percent of the rate in all other ranges of its country. A gateway that fails
   * everywhere is not an attack.
   */
  failedGrowthPercent: 150,
  /**
   * Additional budget of likely senders that newcomers cannot use, in percent of the newcomers' budget. 0 and 50 were
   * tried.
   */
  likelyPercent: 25,
  /** Minimum verified codes of a good address in the last day. */
  addressCodes: 5,
  /** Their minimum share of its sends. */
  addressPercent: 60,
};

/** The limits of ranges. */
export type RangeLimits = typeof constants & {
  /** Minimum budget of unverified sends of a range. */
  unverified: ByLevel;
  /** Minimum budget of sends of a range in a day, verified or not. */
  sends: ByLevel;
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

function byLevel(value: (level: RangeLevel) => number): ByLevel {
  return Object.fromEntries(rangeLevels.map((level) => [level, value(level)])) as ByLevel;
}
