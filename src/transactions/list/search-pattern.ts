/** A search with some accents of a name and without others, as a regular expression: `GROSS MÜLLER` finds Groß Müller. */
import { foldCase, withoutAccents } from '../transaction.ts';

/** Where Unicode has Latin, Greek and Cyrillic letters with accents. */
const ranges = [
  [0xc0, 0x24f],
  [0x370, 0x52f],
  [0x1e00, 0x1fff],
] as const;

/** By the text that may be typed for it: é and ê by e, ß by ss. */
const accentedLetters = new Map<string, string>();
for (const [first, last] of ranges) {
  for (let code = first; code <= last; code += 1) {
    const letter = String.fromCodePoint(code);
    const plain = withoutAccents(letter);
    if (plain === letter || foldCase(letter) !== letter || letter.normalize() !== letter) continue;
    accentedLetters.set(plain, (accentedLetters.get(plain) ?? '') + letter);
  }
}
// At the end of a word.
accentedLetters.set('σ', 'ς');

/** A letter with two accents, or one that Unicode has only as two characters. */
const anyMarks = '[\u0300-\u036f]*';
const lettersOrPairs = /ss|ae|oe|./gsu;

/** A longer one would take PostgreSQL long. It is compared as a text. */
const maxLength = 64;

/** Undefined if the search has no accents, or leaves none out: then its text is enough. */
export function searchPattern(search: string): string | undefined {
  if (search.length > maxLength || withoutAccents(search) === search) return undefined;
  let leavesOut = false;
  const one = (letter: string): string => {
    if (withoutAccents(letter) !== letter) return `(?:${letter}|${letter.normalize('NFD')})`;
    if (!/\p{L}/u.test(letter)) return letter.replace(/[!-/:-@[-`{-~]/, '\\$&');
    leavesOut = true;
    return `[${letter}${accentedLetters.get(letter) ?? ''}]${anyMarks}`;
  };
  const pattern = search.replaceAll(lettersOrPairs, (found) => {
    const accented = found.length > 1 && accentedLetters.get(found);
    return accented ? `(?:${one(found[0]!)}${one(found[1]!)}|[${accented}]${anyMarks})` : one(found);
  });
  return leavesOut ? pattern : undefined;
}
