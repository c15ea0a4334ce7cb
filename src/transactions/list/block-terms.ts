/**
 * The terms of a block: which of its rows have which words, and which letters and digits, so that most searches are
 * counted without the texts. A word consists of letters from a to z, so a search of such letters can only be found inside
 * a word. Why: docs/decisions/0006-every-filter-at-any-size.md.
 *
 * They are one text of ASCII, which is read twenty times as fast as any other: the number of rows, each letter and digit
 * as `{a`, each word, and after each of these its rows, in characters that no word has. So the end of a word is where its
 * rows begin.
 */

/**
 * Separates the search texts of two rows. If a text contains this character, the rows of its block are read instead.
 */
export const rowSeparator = '\u0002';

const separator = rowSeparator.charCodeAt(0);
const letterA = 97;
const letterZ = 122;
const digit0 = 48;
const digit9 = 57;
const isLetter = (byte: number) => byte >= letterA && byte <= letterZ;
const singleCharacters = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz');
const singleMark = 123;

/** The rows of a word: all of them, */
const everyRow = 126;
/** or a bit for each row, six of them in a character, */
const bitmap = 124;
/** or the distance from each to the next, in digits of five bits, of which the last one has this bit too. */
const lastDigit = 32;
/** Bitmaps and distances are written as the characters from space (0) to underscore (63). */
const zero = 32;

/** With more, a block has no terms. A small block may have as much as one of 1,000 rows. */
const maxWordsOfRow = 8;
const maxBytesOfRow = 64;

/** The terms of a block with so many rows, whose search texts are separated. Null if they take too much room. */
export function writeTerms(texts: string, rowCount: number): string | null {
  const bytes = Buffer.from(texts);
  const limit = Math.max(rowCount, 1000);
  const words = new Words(bytes, limit * maxWordsOfRow);
  const singles = new Int32Array(2 * rowCount);
  if (!readTexts(bytes, words, singles)) return null;
  const target = Buffer.allocUnsafe(limit * maxBytesOfRow);
  const size = writeSingles(target, target.write(String(rowCount)), singles);
  return writeWords(target, size, words, rowCount);
}

/** Notes the words of all rows, and in `singles` a bit for each digit of a row, and then one for each of its letters. */
function readTexts(bytes: Buffer, words: Words, singles: Int32Array): boolean {
  let row = 0;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (!isLetter(byte)) {
      if (byte === separator) row += 1;
      else if (byte >= digit0 && byte <= digit9) singles[2 * row]! |= bitOf(byte);
      at += 1;
      continue;
    }
    const start = at;
    let hash = 0;
    let letters = 0;
    for (; at < bytes.length; at += 1) {
      const letter = bytes[at]!;
      if (!isLetter(letter)) break;
      hash = (Math.imul(hash, multiplier) + letter) | 0;
      letters |= bitOf(letter);
    }
    singles[2 * row + 1]! |= letters;
    if (!words.add(start, at, hash, row)) return false;
  }
  return true;
}

const bitOf = (byte: number) => 1 << (byte & 31);

/** Secret, so that nobody can choose names that have the same hash. */
const multiplier = (Math.random() * 2 ** 32) | 1;

/** The different words of some texts, and the rows that have them. Faster than a Map, which needs each word as a string. */
class Words {
  /** The number of words. The first is 1. */
  count = 0;
  /** The number of their rows, added up. */
  found = 0;
  readonly bytes: Buffer;
  /** Where each word is found first, and where it ends there. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** How many rows have it. */
  readonly counts: Int32Array;
  readonly #hashes: Int32Array;
  readonly #lastRows: Int32Array;
  /** A hash table. */
  readonly #slots: Int32Array;
  readonly #maxWords: number;
  /** Each row with each of its words, in the order of the rows. */
  readonly #wordAt: Int32Array;
  readonly #rowAt: Int32Array;

  constructor(bytes: Buffer, maxWords: number) {
    this.bytes = bytes;
    this.#maxWords = maxWords;
    this.starts = new Int32Array(maxWords + 1);
    this.ends = new Int32Array(maxWords + 1);
    this.counts = new Int32Array(maxWords + 1);
    this.#hashes = new Int32Array(maxWords + 1);
    this.#lastRows = new Int32Array(maxWords + 1);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * maxWords)));
    this.#wordAt = new Int32Array(Math.ceil(bytes.length / 2));
    this.#rowAt = new Int32Array(Math.ceil(bytes.length / 2));
  }

  /** Returns false if there are too many words. */
  add(start: number, end: number, hash: number, row: number): boolean {
    const slot = this.#findSlot(start, end, hash);
    let word = this.#slots[slot]!;
    if (word === 0) {
      if (this.count === this.#maxWords) return false;
      this.count += 1;
      word = this.count;
      this.#slots[slot] = word;
      this.#hashes[word] = hash;
      this.starts[word] = start;
      this.ends[word] = end;
    } else if (this.#lastRows[word] === row) return true;
    this.#lastRows[word] = row;
    this.counts[word]! += 1;
    this.#wordAt[this.found] = word;
    this.#rowAt[this.found] = row;
    this.found += 1;
    return true;
  }

  #findSlot(start: number, end: number, hash: number): number {
    const last = this.#slots.length - 1;
    let slot = (Math.imul(hash, 0x9e3779b1) >>> 12) & last;
    for (let word = this.#slots[slot]!; word !== 0; word = this.#slots[slot]!) {
      if (this.#hashes[word] === hash && this.#isAt(word, start, end)) return slot;
      slot = (slot + 1) & last;
    }
    return slot;
  }

  #isAt(word: number, start: number, end: number): boolean {
    let known = this.starts[word]!;
    if (this.ends[word]! - known !== end - start) return false;
    for (let at = start; at < end; at += 1, known += 1) if (this.bytes[known] !== this.bytes[at]) return false;
    return true;
  }

  /** The rows of the first word, then those of the second, and so on. */
  sortRows(): Int32Array {
    const next = new Int32Array(this.count + 2);
    for (let word = 1; word <= this.count; word += 1) next[word + 1] = next[word]! + this.counts[word]!;
    const sorted = new Int32Array(this.found);
    for (let at = 0; at < this.found; at += 1) sorted[next[this.#wordAt[at]!]!++] = this.#rowAt[at]!;
    return sorted;
  }
}

/** Returns where they end. */
function writeSingles(target: Buffer, from: number, singles: Int32Array): number {
  let size = from;
  const rows = new Int32Array(singles.length / 2);
  for (const single of singleCharacters) {
    let length = 0;
    for (let at = Number(isLetter(single)); at < singles.length; at += 2) {
      // Without a branch, which processors would not predict.
      rows[length] = at >> 1;
      length += (singles[at]! >>> (single & 31)) & 1;
    }
    if (length === 0) continue;
    target[size++] = singleMark;
    target[size++] = single;
    size = writeRows(target, size, rows, 0, length, rows.length);
  }
  return size;
}

function writeWords(target: Buffer, from: number, words: Words, rowCount: number): string | null {
  const { bytes, starts, ends, counts } = words;
  const sorted = words.sortRows();
  let size = from;
  let row = 0;
  for (let word = 1; word <= words.count; word += 1) {
    const [start, end, rows] = [starts[word]!, ends[word]!, counts[word]!];
    if (size + end - start + Math.min(4 * rows, rowCount) > target.length) return null;
    for (let at = start; at < end; at += 1) target[size++] = bytes[at]!;
    size = writeRows(target, size, sorted, row, row + rows, rowCount);
    row += rows;
  }
  return target.toString('latin1', 0, size);
}

/** Returns where they end. */
function writeRows(target: Buffer, at: number, rows: Int32Array, from: number, to: number, rowCount: number): number {
  let size = at;
  if (to - from === rowCount) {
    target[size] = everyRow;
    return size + 1;
  }
  if ((to - from) * 6 > rowCount) {
    target[size++] = bitmap;
    const end = size + Math.ceil(rowCount / 6);
    target.fill(zero, size, end);
    for (let index = from; index < to; index += 1) target[size + ((rows[index]! / 6) | 0)]! += 1 << (rows[index]! % 6);
    return end;
  }
  let next = 0;
  for (let index = from; index < to; index += 1) {
    let distance = rows[index]! - next;
    for (; distance >= 32; distance >>= 5) target[size++] = zero + (distance & 31);
    target[size++] = zero + lastDigit + distance;
    next = rows[index]! + 1;
  }
  return size;
}

/** Whether rows with a text are counted by terms. */
export const isCountedByTerms = (search: string): boolean => /^([a-z]+|\d)$/.test(search);

/** The number of rows that contain such a text. */
export function countTerms(terms: string, search: string): number {
  const wanted = search.length === 1 ? `{${search}` : search;
  const rowCount = Number.parseInt(terms, 10);
  const found = new Uint8Array(Math.ceil(rowCount / 6));
  for (let at = terms.indexOf(wanted); at !== -1; at = terms.indexOf(wanted, at)) {
    at += wanted.length;
    let code = terms.charCodeAt(at);
    for (; isLetter(code); code = terms.charCodeAt(at)) at += 1;
    if (code === everyRow) return rowCount;
    at = code === bitmap ? addBitmap(terms, at + 1, found) : addDistances(terms, at, found);
  }
  let sum = 0;
  for (const bits of found) sum += bitsIn[bits]!;
  return sum;
}

const bitsIn = Uint8Array.from({ length: 64 }, (_, bits) => bits.toString(2).replaceAll('0', '').length);

function addBitmap(terms: string, from: number, found: Uint8Array): number {
  for (let index = 0; index < found.length; index += 1) found[index]! |= terms.charCodeAt(from + index) - zero;
  return from + found.length;
}

function addDistances(terms: string, from: number, found: Uint8Array): number {
  let [at, row, shift] = [from, 0, 0];
  for (let digit = terms.charCodeAt(at) - zero; digit < 64; digit = terms.charCodeAt(at) - zero) {
    at += 1;
    row += (digit & 31) << shift;
    shift += 5;
    if (digit < lastDigit) continue;
    found[(row / 6) | 0]! |= 1 << (row % 6);
    row += 1;
    shift = 0;
  }
  return at;
}
