/** The order of text on a line that contains right-to-left text: the Unicode Bidirectional Algorithm (UAX #9). */
import bidiModule from 'bidi-js';

export type Direction = 'ltr' | 'rtl';

/** A piece of a line that is drawn in one step. Its letters are in the order in which they are read. */
export interface Piece {
  text: string;
  /** The position of the piece on the line, counted from left to right. */
  place: number;
}

// A CommonJS package whose types describe an ES module: the function itself is what Node imports.
const createBidi = bidiModule as unknown as typeof bidiModule.default;
const bidi = createBidi();
const rightToLeftLetter = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** Most text has no such character, and so certainly no right-to-left letter. */
const beyondCyrillic = /[\u0590-\uffff]/;
/** Marks and isolates, which are invisible. */
export const directionMark = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const directionMarks = new RegExp(directionMark, 'g');

/** Whether the font joins and reverses the letters of a text by itself. */
export const isRightToLeftScript = (text: string) => beyondCyrillic.test(text) && rightToLeftLetter.test(text);

/** Keeps the order of a text, such as an amount, inside a line of any direction. */
export const isolateLeftToRight = (text: string) => `\u2066${text}\u2069`;

/** Keeps a text of any direction together, and apart from what is beside it. */
export const isolate = (text: string) => (text === '' ? '' : `\u2068${text}\u2069`);

export const withoutMarks = (text: string) => text.replaceAll(directionMarks, '');

interface Run {
  text: string;
  level: number;
}

/** The pieces of a line, in the order in which they are read. */
export function piecesOf(text: string, direction: Direction): Piece[] {
  if (direction === 'ltr' && !isRightToLeftScript(text)) return [{ text: withoutMarks(text), place: 0 }];
  const words = runsOf(text, direction).flatMap(splitWords);
  const visual = reorder(words);
  const placeOf = new Map(visual.map((run, place) => [run, place]));
  return words.map((run) => ({ text: run.text, place: placeOf.get(run)! }));
}

/** Pieces of one level each. Brackets in right-to-left text are mirrored. */
function runsOf(text: string, direction: Direction): Run[] {
  const result = bidi.getEmbeddingLevels(text, direction);
  const mirrored = bidi.getMirroredCharactersMap(text, result.levels);
  const runs: Run[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const character = withoutMarks(mirrored.get(index) ?? text[index]!);
    const level = result.levels[index]!;
    const last = runs.at(-1);
    if (last && last.level === level) last.text += character;
    else runs.push({ text: character, level });
  }
  return runs.filter((run) => run.text !== '');
}

/** Right-to-left words are drawn one by one, because the PDF writer places the words of a text from left to right. */
function splitWords({ text, level }: Run): Run[] {
  if (level % 2 === 0) return [{ text, level }];
  return (text.match(/\s+|\S+/g) ?? []).map((word) => ({
    text: isRightToLeftScript(word) ? word : Array.from(word).toReversed().join(''),
    level,
  }));
}

/** Rule L2: from the highest level down, every sequence at that level or above is reversed. */
function reorder(runs: readonly Run[]): Run[] {
  const ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    for (let start = 0; start < ordered.length; start += 1) {
      let end = start;
      while (end < ordered.length && ordered[end]!.level >= level) end += 1;
      if (end > start) ordered.splice(start, end - start, ...ordered.slice(start, end).toReversed());
      start = end;
    }
  }
  return ordered;
}
