/** The limits of ranges of numbers that can be set. The others are constants: `src/guard/ranges/range-limits.ts`. */
import { fail, integer, type Kind, list, oneOf, setting } from '../../formats/setting-kinds.ts';
import type { RangeStrictness } from '../../guard/ranges/range-limits.ts';
import { rangeLevels, type ByLevel, type RangeLevel } from '../../guard/ranges/ranges.ts';

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

const unverified = byLevel(rangeLevels);

export const rangeSettings = {
  rangeStrictness: setting<RangeStrictness>({
    env: 'LEDGERLINE_RANGES',
    kind: oneOf('careful', 'normal', 'open'),
    default: 'normal',
    about:
      'How strict the rule `prefix` is: careful halves its budgets, open doubles them. The settings below are for those who measured more.',
  }),
  rangeUnverified: setting<ByLevel>({
    env: 'LEDGERLINE_RANGE_UNVERIFIED',
    kind: unverified,
    default: unverified.parse('4=20,5=30,6=50,7=100,country=200'),
    defaultText: '4=20,5=30,6=50,7=100,country=200',
    about:
      'Codes that may be sent to a new range of numbers in about a day without being verified, by how many of the last digits the range leaves open.',
  }),
  rangeGrowth: setting({
    env: 'LEDGERLINE_RANGE_GROWTH',
    kind: integer(1, 1000),
    default: 3,
    about: 'How many times the codes of a normal day may be sent to a range in a day.',
  }),
  rangeReservePercent: setting({
    env: 'LEDGERLINE_RANGE_RESERVE_PERCENT',
    kind: integer(0, 1000),
    default: 100,
    about:
      'Extra budget for newcomers with a proof, in percent of the budget of newcomers. Established users have twice as much extra.',
  }),
};
