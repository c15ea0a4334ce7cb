/** The limits of ranges of numbers: docs/decisions/0007-ranges.md explains them, and docs/abuse.md has the table that justifies the defaults. */
import { fail, integer, type Kind, list, setting } from '../../formats/setting-kinds.ts';
import { rangeLevels, type ByLevel, type RangeLevel } from '../../guard/ranges.ts';

/**
 * A value for each size of a range. The size is the number of last digits that the range leaves open, or the country.
 */
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
      'Codes that may be sent to a range of numbers in about a day without being verified, by how many of the last digits the range leaves open. In a known country the limit is LEDGERLINE_RANGE_KNOWN_PERCENT of this.',
  }),
  rangeUnverifiedPercent: setting({
    env: 'LEDGERLINE_RANGE_UNVERIFIED_PERCENT',
    kind: integer(1, 1000),
    default: 15,
    about:
      'The same limit, in percent of the codes that are sent to the range on a normal day. The larger of the two applies.',
  }),
  rangeHourPercent: setting({
    env: 'LEDGERLINE_RANGE_HOUR_PERCENT',
    kind: integer(1, 100_000),
    default: 200,
    about:
      'Limit of unverified codes in an hour, in percent of the codes that are normally sent to the range at this hour of the week. It is never lower than LEDGERLINE_RANGE_UNVERIFIED, or LEDGERLINE_RANGE_KNOWN_HOUR_PERCENT of that in a known country.',
  }),
  rangeHourCodes: setting({
    env: 'LEDGERLINE_RANGE_HOUR_CODES',
    kind: integer(1, 1_000_000),
    default: 5,
    about:
      'Codes assumed for every hour of the week until a country has its own data. A larger value makes the weekly pattern take effect later.',
  }),
  rangeSends: setting<ByLevel>({
    env: 'LEDGERLINE_RANGE_SENDS',
    kind: sendsByLevel,
    default: sendsByLevel.parse('4=100,5=200,6=500,7=2000'),
    defaultText: '4=100,5=200,6=500,7=2000',
    about: 'Codes that may be sent to a range in about a day, verified or not.',
  }),
  rangeGrowth: setting({
    env: 'LEDGERLINE_RANGE_GROWTH',
    kind: integer(1, 1000),
    default: 3,
    about:
      'The same limit, as a multiple of the codes that are sent to the range on a normal day. The larger of the two applies.',
  }),
  rangeConversionPercent: setting({
    env: 'LEDGERLINE_RANGE_CONVERSION',
    kind: integer(1, 100),
    default: 60,
    about:
      'Minimum normal conversion, in percent. It also applies while too little is known about a range and its country.',
  }),
  rangeProvenCodes: setting({
    env: 'LEDGERLINE_RANGE_PROVEN_CODES',
    kind: integer(1, 1_000_000),
    default: 10,
    about:
      'Verified codes in two weeks after which a range can be proven. The unverified codes of a proven range do not count against its country. A value below ten makes this depend on chance.',
  }),
  rangeProvenPercent: setting({
    env: 'LEDGERLINE_RANGE_PROVEN_PERCENT',
    kind: integer(1, 100),
    default: 70,
    about:
      'Minimum conversion of a proven range, in percent of its country’s. An attacker who verifies half of the codes stays below the default.',
  }),
  rangeConversionCodes: setting({
    env: 'LEDGERLINE_RANGE_CONVERSION_CODES',
    kind: integer(1, 1_000_000),
    default: 50,
    about:
      'Verified codes in two weeks after which the conversion of the range itself is used. Before that, its country’s is used.',
  }),
  rangeKnownCodes: setting({
    env: 'LEDGERLINE_RANGE_KNOWN_CODES',
    kind: integer(1, 100_000_000),
    default: 500,
    about: 'Verified codes in two weeks after which a country counts as known. Its minimum budgets are then reduced.',
  }),
  rangeKnownPercent: setting({
    env: 'LEDGERLINE_RANGE_KNOWN_PERCENT',
    kind: integer(1, 100),
    default: 40,
    about: 'Part of LEDGERLINE_RANGE_UNVERIFIED that applies in a known country, in percent.',
  }),
  rangeKnownHourPercent: setting({
    env: 'LEDGERLINE_RANGE_KNOWN_HOUR_PERCENT',
    kind: integer(1, 100),
    default: 30,
    about:
      'The same for the limit of an hour. It is lower, so that an attack does not use up the whole budget of the day.',
  }),
  rangeTolerancePercent: setting({
    env: 'LEDGERLINE_RANGE_TOLERANCE_PERCENT',
    kind: integer(0, 50),
    default: 5,
    about:
      'How far the conversion of a range may fall below normal, in percent of normal, before its unverified codes add up. This keeps honest traffic from reaching the limit by chance.',
  }),
  rangeHalvings: setting({
    env: 'LEDGERLINE_RANGE_HALVINGS',
    kind: integer(0, 10),
    default: 3,
    about: 'How many times the budget of newcomers can be halved while it is used up.',
  }),
  rangeHalvingHours: setting({
    env: 'LEDGERLINE_RANGE_HALVING_HOURS',
    kind: integer(1, 24),
    default: 6,
    about:
      'Minimum time between two halvings, in hours, so that refusals of honest users after an attack do not cause another one.',
  }),
  rangeRecoveryCodes: setting({
    env: 'LEDGERLINE_RANGE_RECOVERY_CODES',
    kind: integer(1, 1_000_000),
    default: 3,
    about:
      'Verified codes in an hour that undo one halving, if the conversion is at least LEDGERLINE_RANGE_PROVEN_PERCENT of normal.',
  }),
  rangeTrials: setting({
    env: 'LEDGERLINE_RANGE_TRIALS',
    kind: integer(0, 100_000),
    default: 36,
    about:
      'Unverified codes a day that are still sent to a range whose budget is used up. If they are verified, the range opens again. 36 a day are 1.5 an hour.',
  }),
  rangeTrialPercent: setting({
    env: 'LEDGERLINE_RANGE_TRIAL_PERCENT',
    kind: integer(0, 100),
    default: 10,
    about:
      'The same limit, in percent of the codes that are normally sent to the range. The larger of the two applies.',
  }),
  rangeFailedPercent: setting({
    env: 'LEDGERLINE_RANGE_FAILED_PERCENT',
    kind: integer(0, 90),
    default: 10,
    about: 'Minimum normal share of texts that gateways report as failed, in percent.',
  }),
  rangeFailedGrowthPercent: setting({
    env: 'LEDGERLINE_RANGE_FAILED_GROWTH_PERCENT',
    kind: integer(100, 1000),
    default: 150,
    about:
      'Share of failed texts up to which a range is normal, in percent of the share in all other ranges of its country. So a gateway that fails everywhere is not treated as an attack.',
  }),
  rangeFailedWeightPercent: setting({
    env: 'LEDGERLINE_RANGE_FAILED_WEIGHT_PERCENT',
    kind: integer(0, 1000),
    default: 100,
    about: 'Weight of each failed text above that, in percent of an unverified code. 0 ignores receipts.',
  }),
  rangeLikelyPercent: setting({
    env: 'LEDGERLINE_RANGE_LIKELY_PERCENT',
    kind: integer(0, 1000),
    default: 25,
    about:
      'Extra budget for newcomers with a user-bound token, or from an address with good conversion, in percent of the budget of newcomers.',
  }),
  rangeAddressCodes: setting({
    env: 'LEDGERLINE_RANGE_ADDRESS_CODES',
    kind: integer(1, 100),
    default: 5,
    about: 'Verified codes in a day that an address needs before its conversion can be good.',
  }),
  rangeAddressPercent: setting({
    env: 'LEDGERLINE_RANGE_ADDRESS_PERCENT',
    kind: integer(1, 100),
    default: 60,
    about: 'Minimum percentage of verified codes for an address with good conversion.',
  }),
  rangeReservePercent: setting({
    env: 'LEDGERLINE_RANGE_RESERVE_PERCENT',
    kind: integer(0, 1000),
    default: 100,
    about:
      'Extra budget for newcomers with a proof, in percent of the budget of newcomers. Established users have twice as much extra.',
  }),
};
