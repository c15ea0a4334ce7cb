/** The limits of ranges of numbers: docs/decisions/0007-ranges.md explains them, and docs/abuse.md has the table that justifies the defaults. */
import { rangeLevels, type ByLevel, type RangeLevel } from '../../guard/ranges.ts';
import { fail, integer, type Kind, list, setting } from '../kinds.ts';

/** A value for each size of a range: how many of the last digits it leaves open, or the country. */
function byLevel(levels: readonly RangeLevel[]): Kind<ByLevel> {
  return {
    form: `list such as ${levels.map((level) => `${level}=20`).join(',')}`,
    parse(value) {
      const given = new Map(
        list.parse(value).map((item): [string, number] => {
          const [, level = '', count = ''] = /^(\w+)=([1-9]\d{0,8})$/.exec(item) ?? [];
          return levels.some((known) => known === level) ? [level, Number(count)] : fail(`has the entry "${item}"`);
        }),
      );
      const missing = levels.filter((level) => !given.has(level));
      if (missing.length > 0) return fail(`has no entry for ${missing.join(', ')}`);
      return Object.fromEntries(rangeLevels.map((level) => [level, given.get(level) ?? Infinity])) as ByLevel & object;
    },
  };
}

const unverifiedByLevel = byLevel(rangeLevels);
const sendsByLevel = byLevel(rangeLevels.filter((level) => level !== 'country'));

export const rangeSettings = {
  rangeUnverified: setting<ByLevel>({
    env: 'LEDGERLINE_RANGE_UNVERIFIED',
    kind: unverifiedByLevel,
    default: unverifiedByLevel.parse('4=20,5=30,6=50,7=100,country=200'),
    defaultText: '4=20,5=30,6=50,7=100,country=200',
    about:
      'Codes that a range of numbers may be sent in about a day without being verified, by how many of the last digits the range leaves open. In a country that is known, LEDGERLINE_RANGE_KNOWN_PERCENT of it.',
  }),
  rangeUnverifiedPercent: setting({
    env: 'LEDGERLINE_RANGE_UNVERIFIED_PERCENT',
    kind: integer(1, 1000),
    default: 15,
    about: 'The same in percent of what the range is sent on a normal day; the larger of both holds.',
  }),
  rangeHourPercent: setting({
    env: 'LEDGERLINE_RANGE_HOUR_PERCENT',
    kind: integer(1, 100_000),
    default: 200,
    about:
      'The limit of unverified sends in an hour, in percent of what the range is normally sent at this hour of the week. It is at least LEDGERLINE_RANGE_UNVERIFIED; in a country that is known, LEDGERLINE_RANGE_KNOWN_HOUR_PERCENT of that.',
  }),
  rangeHourCodes: setting({
    env: 'LEDGERLINE_RANGE_HOUR_CODES',
    kind: integer(1, 1_000_000),
    default: 5,
    about:
      'Codes that each hour of the week has in an even week before any are known: a country’s own rhythm counts from about so many verified codes an hour on.',
  }),
  rangeSends: setting<ByLevel>({
    env: 'LEDGERLINE_RANGE_SENDS',
    kind: sendsByLevel,
    default: sendsByLevel.parse('4=100,5=200,6=500,7=2000'),
    defaultText: '4=100,5=200,6=500,7=2000',
    about: 'Codes that a range may be sent in about a day, verified or not.',
  }),
  rangeGrowth: setting({
    env: 'LEDGERLINE_RANGE_GROWTH',
    kind: integer(1, 1000),
    default: 3,
    about: 'The same as a multiple of what the range is sent on a normal day; the larger of both holds.',
  }),
  rangeConversionPercent: setting({
    env: 'LEDGERLINE_RANGE_CONVERSION',
    kind: integer(1, 100),
    default: 60,
    about: 'The lowest percentage of verified codes that is taken for normal, also before anything is known.',
  }),
  rangeProvenCodes: setting({
    env: 'LEDGERLINE_RANGE_PROVEN_CODES',
    kind: integer(1, 1_000_000),
    default: 10,
    about:
      'Verified codes of two weeks that prove a range: it then answers for its unverified codes itself, instead of its country. Fewer than ten are chance.',
  }),
  rangeProvenPercent: setting({
    env: 'LEDGERLINE_RANGE_PROVEN_PERCENT',
    kind: integer(1, 100),
    default: 70,
    about: 'A range is proven only with so much of its country’s conversion. A pump that verifies half stays below it.',
  }),
  rangeConversionCodes: setting({
    env: 'LEDGERLINE_RANGE_CONVERSION_CODES',
    kind: integer(1, 1_000_000),
    default: 50,
    about:
      'Verified codes of two weeks from which a range has a conversion of its own; before, its country’s is taken.',
  }),
  rangeKnownCodes: setting({
    env: 'LEDGERLINE_RANGE_KNOWN_CODES',
    kind: integer(1, 100_000_000),
    default: 500,
    about: 'Verified codes of two weeks that make a country known: the least budgets are for the time before.',
  }),
  rangeKnownPercent: setting({
    env: 'LEDGERLINE_RANGE_KNOWN_PERCENT',
    kind: integer(1, 100),
    default: 40,
    about: 'What is left of LEDGERLINE_RANGE_UNVERIFIED in a country that is known, in percent.',
  }),
  rangeKnownHourPercent: setting({
    env: 'LEDGERLINE_RANGE_KNOWN_HOUR_PERCENT',
    kind: integer(1, 100),
    default: 30,
    about:
      'The same for the limit of an hour. It is lower, so that a pump leaves a part of the day’s budget to the honest users after it.',
  }),
  rangeTolerancePercent: setting({
    env: 'LEDGERLINE_RANGE_TOLERANCE_PERCENT',
    kind: integer(0, 50),
    default: 5,
    about:
      'How far the conversion of a range may be below its normal one, in percent of that, before its unverified codes add up. So honest traffic does not reach its limit by chance.',
  }),
  rangeHalvings: setting({
    env: 'LEDGERLINE_RANGE_HALVINGS',
    kind: integer(0, 10),
    default: 3,
    about: 'How often the budget of newcomers is halved at most, while it is used up.',
  }),
  rangeHalvingHours: setting({
    env: 'LEDGERLINE_RANGE_HALVING_HOURS',
    kind: integer(1, 24),
    default: 6,
    about:
      'The least time between two halvings, so that honest users who are refused after an attack do not cause one.',
  }),
  rangeRecoveryCodes: setting({
    env: 'LEDGERLINE_RANGE_RECOVERY_CODES',
    kind: integer(1, 1_000_000),
    default: 3,
    about:
      'So many verified codes in an hour, with LEDGERLINE_RANGE_PROVEN_PERCENT of the usual conversion, take a halving back.',
  }),
  rangeTrials: setting({
    env: 'LEDGERLINE_RANGE_TRIALS',
    kind: integer(0, 100_000),
    default: 36,
    about:
      'Unverified codes a day with which a range is tried whose budget is used up, so that it opens by itself: 1.5 an hour.',
  }),
  rangeTrialPercent: setting({
    env: 'LEDGERLINE_RANGE_TRIAL_PERCENT',
    kind: integer(0, 100),
    default: 10,
    about: 'The same in percent of what the range is sent normally; the larger of both holds.',
  }),
  rangeFailedPercent: setting({
    env: 'LEDGERLINE_RANGE_FAILED_PERCENT',
    kind: integer(0, 90),
    default: 10,
    about: 'The lowest percentage of texts with a receipt of failure that is taken for normal.',
  }),
  rangeFailedGrowthPercent: setting({
    env: 'LEDGERLINE_RANGE_FAILED_GROWTH_PERCENT',
    kind: integer(100, 1000),
    default: 150,
    about:
      'A range is normal up to so much of the failures in the rest of its country, in percent: a gateway that fails everywhere is no evidence.',
  }),
  rangeFailedWeightPercent: setting({
    env: 'LEDGERLINE_RANGE_FAILED_WEIGHT_PERCENT',
    kind: integer(0, 1000),
    default: 100,
    about: 'What each failed text above that counts as, in percent of an unverified code; 0 to leave receipts out.',
  }),
  rangeLikelyPercent: setting({
    env: 'LEDGERLINE_RANGE_LIKELY_PERCENT',
    kind: integer(0, 1000),
    default: 25,
    about:
      'What is kept for newcomers with a user-bound token, or from an address with good conversion, in percent of the budget of newcomers.',
  }),
  rangeAddressCodes: setting({
    env: 'LEDGERLINE_RANGE_ADDRESS_CODES',
    kind: integer(1, 100),
    default: 5,
    about: 'Verified codes of a day from which an address can have good conversion.',
  }),
  rangeAddressPercent: setting({
    env: 'LEDGERLINE_RANGE_ADDRESS_PERCENT',
    kind: integer(1, 100),
    default: 60,
    about: 'The percentage of verified codes that is good conversion for an address.',
  }),
  rangeReservePercent: setting({
    env: 'LEDGERLINE_RANGE_RESERVE_PERCENT',
    kind: integer(0, 1000),
    default: 100,
    about:
      'What is reserved for newcomers with a proof, and as much again for established users, in percent of the budget of newcomers.',
  }),
};
