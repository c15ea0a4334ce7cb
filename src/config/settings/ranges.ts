/** The budgets of ranges of numbers. The other limits are constants: `src/guard/ranges/range-limits.ts`. */
import { fail, type Kind, list, setting } from '../../formats/setting-kinds.ts';
import { rangeLevels, rangeStrictness, type ByLevel, type RangeStrictness } from '../../guard/ranges/range-limits.ts';

const words = Object.keys(rangeStrictness) as RangeStrictness[];

/**
 * One word, or a budget for each size of a range. The size is the number of last digits that the range leaves open, or
 * the country.
 */
const ranges: Kind<RangeStrictness | ByLevel> = {
  form: `${words.join(' or ')}, or a list such as 4=20,5=30,6=50,7=100,country=200`,
  parse(value) {
    const word = words.find((known) => known === value);
    if (word) return word;
    const given = new Map(
      list.parse(value).map((item): [string, number] => {
        const [, level = '', count = ''] = /^(\w+)=([1-9]\d{0,8})$/.exec(item) ?? [];
        return rangeLevels.some((known) => known === level)
          ? [level, Number(count)]
          : fail(
              `has the entry "${item}"; write ${words.join(', ')}, or a list such as 4=20,5=30,6=50,7=100,country=200`,
            );
      }),
    );
    const missing = rangeLevels.filter((level) => !given.has(level));
    if (missing.length > 0) return fail(`has no entry for ${missing.join(', ')}`);
    return Object.fromEntries(given) as ByLevel & object;
  },
};

export const rangeSettings = {
  ranges: setting<RangeStrictness | ByLevel>({
    env: 'LEDGERLINE_RANGES',
    kind: ranges,
    default: 'normal',
    about:
      'How strict the rule `prefix` is: careful halves its budgets, open doubles them. Or the budgets themselves: codes that may be sent to a new range of numbers in about a day without being verified, by how many of the last digits the range leaves open. `normal` is 4=20,5=30,6=50,7=100,country=200.',
  }),
};
