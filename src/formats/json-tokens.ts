/** The tokens of JSON: strings, numbers and literals, each read from a position in a text. */
import { JsonNumber, MalformedJson, positionAfter, type TextPosition } from './json.ts';

export const quote = 34;
const plus = 43;
export const comma = 44;
export const minus = 45;
const dot = 46;
export const colon = 58;
const backslash = 92;
export const openArray = 91;
export const closeArray = 93;
export const openObject = 123;
export const closeObject = 125;

/**
 * A longer string is checked but not decoded: it is too long for every field. Longer names are refused, and numbers
 * with more digits in one of their three parts.
 */
export const longestToken = 128 * 1024;

/** Characters that a string cannot contain unescaped, and the backslash. */
// oxlint-disable-next-line no-control-regex -- these are meant
export const special = /[\\\u0000-\u001f]/;

export const openAtEnd =
  'Expected depth to be zero at the end of the JSON payload. There is an open JSON object or array that should be closed.';
const stringAtEnd = 'Expected end of string, but instead reached end of data.';

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isDelimiter(code: number): boolean {
  return (
    code === comma ||
    code === closeArray ||
    code === closeObject ||
    code === 32 ||
    code === 10 ||
    code === 13 ||
    code === 9
  );
}

/** A character in an error message: the character itself, or its code if it cannot be printed. */
function named(text: string, at: number): string {
  const code = text.charCodeAt(at);
  return code > 32 && code < 127 ? `'${text[at]}'` : `'0x${code.toString(16).toUpperCase().padStart(2, '0')}'`;
}

export class JsonTokens {
  /** The part of the whole text that is being read. */
  protected text: string;
  /** Where that part starts in the whole text. */
  #start: TextPosition = { line: 0, column: 0 };
  protected at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Drops the first characters, which were read, and appends a further part of the whole text. */
  protected replace(read: number, further: string): void {
    // Half of a surrogate pair would be counted as a character of its own.
    const count = isHighSurrogate(this.text.charCodeAt(read - 1)) ? read - 1 : read;
    this.#start = positionAfter(this.#start, this.text.slice(0, count));
    this.text = this.text.slice(count) + further;
    this.at -= count;
  }

  /** Reads a string that needs no decoding. Otherwise it reads nothing and returns undefined. */
  protected plainString(): string | undefined {
    const start = this.at + 1;
    const end = this.text.indexOf('"', start);
    if (end < 0 || end - start > longestToken) return undefined;
    const plain = this.text.slice(start, end);
    // An escape may mean that the quote was not the end; a control character, that this is not a string.
    if (special.test(plain)) return undefined;
    this.at = end + 1;
    return plain;
  }

  /** Checks a string up to its closing quote, and finds that; undefined if it is past `position`. */
  protected findQuote(position: number): number | undefined {
    const text = this.text;
    let at = this.at;
    while (at < position) {
      const code = text.charCodeAt(at);
      if (code === quote) return at;
      if (code === backslash) at = this.#skipEscape(at);
      else if (code >= 32) at += 1;
      else if (code !== code) this.#failAt(at, stringAtEnd);
      else
        this.#failAt(at, `${named(text, at)} is invalid within a JSON string. The string should be correctly escaped.`);
    }
    this.at = at;
    return undefined;
  }

  #skipEscape(at: number): number {
    const escape = this.text[at + 1] ?? '';
    if (escape === 'u') return this.#skipHex(at + 2);
    if (escape === '') this.#failAt(at, stringAtEnd);
    if (!'"\\/bfnrt'.includes(escape)) {
      this.#failAt(
        at + 1,
        `${named(this.text, at + 1)} is an invalid escapable character within a JSON string. The string should be correctly escaped.`,
      );
    }
    return at + 2;
  }

  #skipHex(start: number): number {
    for (let at = start; at < start + 4; at += 1) {
      if (/[0-9A-Fa-f]/.test(this.text[at] ?? '')) continue;
      if (at >= this.text.length) this.#failAt(at, stringAtEnd);
      this.#failAt(
        at,
        `${named(this.text, at)} is not a hex digit following '\\u' within a JSON string. The string should be correctly escaped.`,
      );
    }
    return start + 4;
  }

  /** Takes a checked string. */
  protected decode(text: string): string {
    const decoded = text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
    // Half of a surrogate pair is not a character, and cannot be encoded.
    if (decoded.isWellFormed()) return decoded;
    return this.fail('Cannot read incomplete UTF-16 JSON text as string with missing low surrogate.');
  }

  protected number(): JsonNumber {
    const start = this.at;
    if (this.#code() === minus) this.at += 1;
    if (this.text[this.at] === '0') {
      this.at += 1;
      if (isDigit(this.#code())) this.fail(`Invalid leading zero before ${this.character()}.`);
    } else {
      this.#digits("immediately after a sign character ('+' or '-')");
    }
    if (this.#code() === dot) {
      this.at += 1;
      this.#digits("immediately after a decimal point ('.')");
    }
    if (this.#code() === 101 || this.#code() === 69) {
      this.at += 1;
      if (this.#code() === plus || this.#code() === minus) this.at += 1;
      this.#digits("immediately after a sign character ('+' or '-')");
    }
    const after = this.#code();
    if (after === after && !isDelimiter(after)) {
      this.fail(`${this.character()} is an invalid end of a number. Expected a delimiter.`);
    }
    return new JsonNumber(this.text.slice(start, this.at));
  }

  #digits(where: string): void {
    if (!isDigit(this.#code())) {
      if (this.at >= this.text.length) this.fail("Expected a digit ('0'-'9'), but instead reached end of data.");
      this.fail(`${this.character()} is invalid within a number, ${where}. Expected a digit ('0'-'9').`);
    }
    const longest = this.at + longestToken;
    while (isDigit(this.#code())) {
      this.at += 1;
      if (this.at > longest) this.fail(`The number has more than ${longestToken} digits.`);
    }
  }

  protected literal<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) {
      const given = /^[^\s,\]}]*/.exec(this.text.slice(this.at, this.at + 20))![0];
      this.fail(`'${given}' is an invalid JSON literal. Expected the literal '${word}'.`);
    }
    this.at += word.length;
    return value;
  }

  #code(): number {
    return this.text.charCodeAt(this.at);
  }

  protected character(): string {
    return named(this.text, this.at);
  }

  protected fail(sentence: string): never {
    return this.#failAt(this.at, sentence);
  }

  #failAt(position: number, sentence: string): never {
    // Caught by `advance`, which makes it the result. An Error would carry a stack for each malformed line.
    // oxlint-disable-next-line no-throw-literal
    throw new MalformedJson(sentence, positionAfter(this.#start, this.text.slice(0, position)));
  }
}
