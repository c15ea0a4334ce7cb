/** Counts by the terms of a block, against the texts themselves. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTerms, isCountedByTerms, rowSeparator, writeTerms } from '../../src/transactions/list/block-terms.ts';
import { sized } from '../harness/size.ts';

const termsOf = (texts: string[]) => writeTerms(texts.join(rowSeparator), texts.length);
const count = (texts: string[], search: string) => countTerms(termsOf(texts)!, search);
const countTexts = (texts: string[], search: string) => texts.filter((text) => text.includes(search)).length;

const letters = ['a', 'b', 'n', 'z'];
const others = [
  ...' 0179\u0001\u0003-~|{}"\\_`@$\n\u007f\u0080AZ['.split(''),
  ...['é', 'e\u0301', 'σ', 'ς', 'ł', 'š', '東', '😀', '\u{1d4b6}', '\uffff'],
];
const someWord = fc.oneof(
  fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 5 }),
  fc.constantFrom('an', 'ban', 'banana'),
);
const someText = fc
  .array(fc.oneof({ weight: 2, arbitrary: someWord }, { weight: 1, arbitrary: fc.constantFrom(...others) }), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));
const someSearch = fc.oneof(
  fc.string({ unit: fc.constantFrom(...letters, 'c'), minLength: 1, maxLength: 3 }),
  fc.constantFrom('banana', ...'0179'.split('')),
);

describe('the terms of a block', () => {
  it('count the rows that contain a search, in texts of any characters', () => {
    fc.assert(
      fc.property(
        fc.array(someText, { minLength: 1, maxLength: 40 }),
        fc.array(someSearch, { minLength: 1, maxLength: 10 }),
        (texts, searches) => {
          for (const search of searches) expect(count(texts, search), search).toBe(countTexts(texts, search));
        },
      ),
      { numRuns: sized(500, 5000) },
    );
  });

  it('count words that are in a few rows of a large block, in many and in all', () => {
    const names = 'abcdef'.split('').map((letter) => `x${letter}`);
    const someRows = fc.record({
      every: fc.integer({ min: 1, max: 20_000 }),
      from: fc.integer({ min: 0, max: 20_000 }),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40_000 }),
        fc.array(someRows, { minLength: 1, maxLength: names.length }),
        (rowCount, words) => {
          const texts = Array.from({ length: rowCount }, (_, row) =>
            names
              .filter(
                (_name, index) => words[index] && row % words[index].every === words[index].from % words[index].every,
              )
              .join(' '),
          );
          for (const search of ['x', 'f', 'xg', ...names]) expect(count(texts, search)).toBe(countTexts(texts, search));
        },
      ),
      { numRuns: sized(10, 400) },
    );
  });

  it('count a row once if several of its words match', () => {
    expect(count(['banana an', 'an', 'ban 1an', 'no'], 'an')).toBe(3);
  });

  it('of a block without rows find nothing', () => {
    expect(countTerms(writeTerms('', 0)!, 'a')).toBe(0);
  });

  it('are missing if a block has too many different words, or words that are too long', () => {
    const number = (index: number) => index.toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!);
    const different = (words: number) =>
      Array.from({ length: 2000 }, (_, row) =>
        Array.from({ length: words }, (_word, index) => number(row * words + index)).join(' '),
      );
    expect(termsOf(different(2))).not.toBeNull();
    expect(termsOf(different(9))).toBeNull();
    const long = (length: number) => Array.from({ length: 2000 }, (_, row) => number(row).padStart(length, 'a'));
    expect(termsOf(long(40))).not.toBeNull();
    expect(termsOf(long(70))).toBeNull();
  });

  it('are not asked about a search that may be found elsewhere than in a word', () => {
    for (const search of ['flat white', '79', 'tx-', 'é', 'οδος', '東', 'A', '', '{a', '~']) {
      expect(isCountedByTerms(search), search).toBe(false);
    }
    for (const search of ['a', 'an', 'kowalski', '7']) expect(isCountedByTerms(search), search).toBe(true);
  });
});
