/**
 * A JSON reader that keeps what JSON.parse loses, the text of a number, and refuses with the sentences
 * of System.Text.Json, which the clients of this contract were generated for.
 */

export type Json = null | boolean | string | JsonNumber | Json[] | JsonObject;

export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Members in the order they came, repeated ones too; who reads it lets the last one count. Objects whose
 * members have the same names, as the rows of a list do, share the one list of names.
 */
export class JsonObject {
  readonly names: readonly string[];
  readonly values: readonly Json[];

  constructor(names: readonly string[], values: readonly Json[]) {
    this.names = names;
    this.values = values;
  }

  static of(members: Record<string, Json>): JsonObject {
    return new JsonObject(Object.keys(members), Object.values(members));
  }
}

export class MalformedJson extends Error {
  constructor(sentence: string, text: string, position: number) {
    const before = text.slice(0, position);
    const line = before.split('\n').length - 1;
    const column = Buffer.byteLength(before.slice(before.lastIndexOf('\n') + 1));
    super(`${sentence} Path: $ | LineNumber: ${line} | BytePositionInLine: ${column}.`);
    this.name = 'MalformedJson';
  }
}

const maxDepth = 64;

/** The names of the object read last: the next one's are likely the same, and then need not be read again. */
let lastNames: string[] = [];

export function readJson(text: string): Json {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

const quote = 34;
const plus = 43;
const comma = 44;
const minus = 45;
const dot = 46;
const colon = 58;
const backslash = 92;
const openArray = 91;
const closeArray = 93;
const openObject = 123;
const closeObject = 125;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): Json {
    const start = this.#next();
    switch (start) {
      case openObject:
        return this.#object(depth + 1);
      case openArray:
        return this.#array(depth + 1);
      case quote:
        return this.#string();
      case 116:
        return this.#literal('true', true);
      case 102:
        return this.#literal('false', false);
      case 110:
        return this.#literal('null', null);
      default:
        if (start === minus || isDigit(start)) return this.#number();
        if (start !== start) this.#fail(depth === 0 ? noTokens : openAtEnd);
        return this.#fail(`${this.#character()} is an invalid start of a value.`);
    }
  }

  end(): void {
    const rest = this.#next();
    if (rest === rest) this.#fail(`${this.#character()} is invalid after a single JSON value. Expected end of data.`);
  }

  #object(depth: number): JsonObject {
    this.#descend(depth, 'object');
    if (this.#next() === closeObject) {
      this.#at += 1;
      return new JsonObject([], []);
    }
    const expected = lastNames;
    let names: string[] | undefined;
    const values: Json[] = [];
    for (;;) {
      const name = this.#name(expected[values.length]);
      // From the first other name on, this object has a list of names of its own.
      if (name !== expected[values.length]) names ??= expected.slice(0, values.length);
      names?.push(name);
      this.#colon();
      values.push(this.value(depth));
      if (this.#separator(closeObject)) break;
    }
    if (!names && values.length === expected.length) return new JsonObject(expected, values);
    names ??= expected.slice(0, values.length);
    lastNames = names.some((name) => name.includes('"') || special.test(name)) ? [] : names;
    return new JsonObject(names, values);
  }

  #name(expected: string | undefined): string {
    const start = this.#next();
    if (start !== quote) {
      if (start !== start) this.#fail(openAtEnd);
      if (start === closeObject) this.#fail(trailingComma('object'));
      this.#fail(`${this.#character()} is an invalid start of a property name. Expected a '"'.`);
    }
    const end = expected === undefined ? 0 : this.#at + 1 + expected.length;
    if (
      expected !== undefined &&
      this.#text.charCodeAt(end) === quote &&
      this.#text.startsWith(expected, this.#at + 1)
    ) {
      this.#at = end + 1;
      return expected;
    }
    return this.#string();
  }

  #colon(): void {
    const found = this.#next();
    if (found !== colon) {
      if (found !== found) this.#fail(openAtEnd);
      this.#fail(`${this.#character()} is invalid after a property name. Expected a ':'.`);
    }
    this.#at += 1;
  }

  #array(depth: number): Json[] {
    this.#descend(depth, 'array');
    const array: Json[] = [];
    if (this.#next() === closeArray) {
      this.#at += 1;
      return array;
    }
    for (;;) {
      if (this.#next() === closeArray) this.#fail(trailingComma('array'));
      array.push(this.value(depth));
      if (this.#separator(closeArray)) return array;
    }
  }

  #descend(depth: number, kind: 'object' | 'array'): void {
    if (depth > maxDepth) {
      this.#fail(`The maximum configured depth of ${maxDepth} has been exceeded. Cannot read next JSON ${kind}.`);
    }
    this.#at += 1;
  }

  /** Steps over a comma, or over the end and says so. */
  #separator(close: number): boolean {
    const found = this.#next();
    if (found !== comma && found !== close) {
      if (found !== found) this.#fail(openAtEnd);
      this.#fail(`${this.#character()} is invalid after a value. Expected either ',', '}', or ']'.`);
    }
    this.#at += 1;
    return found === close;
  }

  #string(): string {
    const start = this.#at + 1;
    const end = this.#text.indexOf('"', start);
    const plain = end < 0 ? '' : this.#text.slice(start, end);
    // An escape may mean that the quote was not the end; a control character, that this is no string.
    if (end < 0 || special.test(plain)) return this.#escapedString(start, start);
    this.#at = end + 1;
    return plain;
  }

  #escapedString(start: number, firstEscape: number): string {
    const text = this.#text;
    let result = '';
    let from = start;
    let at = firstEscape;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === quote) break;
      if (code !== code) this.#failAt(at, 'Expected end of string, but instead reached end of data.');
      if (code < 32)
        this.#failAt(at, `${named(text, at)} is invalid within a JSON string. The string should be correctly escaped.`);
      if (code !== backslash) {
        at += 1;
        continue;
      }
      result += text.slice(from, at);
      const escape = text[at + 1] ?? '';
      if (escape === 'u') {
        result += this.#hex(at + 2);
        at += 6;
      } else {
        const plain = escapes[escape];
        if (plain === undefined) {
          if (escape === '') this.#failAt(at, 'Expected end of string, but instead reached end of data.');
          this.#failAt(
            at + 1,
            `${named(text, at + 1)} is an invalid escapable character within a JSON string. The string should be correctly escaped.`,
          );
        }
        result += plain;
        at += 2;
      }
      from = at;
    }
    result += text.slice(from, at);
    // Half of a surrogate pair is no character; no encoding could carry it any further.
    if (!result.isWellFormed()) {
      this.#failAt(at, 'Cannot read incomplete UTF-16 JSON text as string with missing low surrogate.');
    }
    this.#at = at + 1;
    return result;
  }

  #hex(at: number): string {
    const digits = this.#text.slice(at, at + 4);
    for (let index = 0; index < 4; index += 1) {
      if (/[0-9A-Fa-f]/.test(digits[index] ?? '')) continue;
      if (index >= digits.length) this.#failAt(at + index, 'Expected end of string, but instead reached end of data.');
      this.#failAt(
        at + index,
        `${named(this.#text, at + index)} is not a hex digit following '\\u' within a JSON string. The string should be correctly escaped.`,
      );
    }
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #number(): JsonNumber {
    const start = this.#at;
    if (this.#code() === minus) this.#at += 1;
    if (this.#text[this.#at] === '0') {
      this.#at += 1;
      if (isDigit(this.#code())) this.#fail(`Invalid leading zero before ${this.#character()}.`);
    } else {
      this.#digits("immediately after a sign character ('+' or '-')");
    }
    if (this.#code() === dot) {
      this.#at += 1;
      this.#digits("immediately after a decimal point ('.')");
    }
    if (this.#code() === 101 || this.#code() === 69) {
      this.#at += 1;
      if (this.#code() === plus || this.#code() === minus) this.#at += 1;
      this.#digits("immediately after a sign character ('+' or '-')");
    }
    const after = this.#code();
    if (after === after && !isDelimiter(after)) {
      this.#fail(`${this.#character()} is an invalid end of a number. Expected a delimiter.`);
    }
    return new JsonNumber(this.#text.slice(start, this.#at));
  }

  #digits(where: string): void {
    if (!isDigit(this.#code())) {
      if (this.#at >= this.#text.length) this.#fail("Expected a digit ('0'-'9'), but instead reached end of data.");
      this.#fail(`${this.#character()} is invalid within a number, ${where}. Expected a digit ('0'-'9').`);
    }
    while (isDigit(this.#code())) this.#at += 1;
  }

  #literal<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) {
      const given = /^[^\s,\]}]*/.exec(this.#text.slice(this.#at, this.#at + 20))![0];
      this.#fail(`'${given}' is an invalid JSON literal. Expected the literal '${word}'.`);
    }
    this.#at += word.length;
    return value;
  }

  /** The code of the next character that is not white space; NaN at the end. */
  #next(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return code;
      this.#at += 1;
    }
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }

  #character(): string {
    return named(this.#text, this.#at);
  }

  #fail(sentence: string): never {
    return this.#failAt(this.#at, sentence);
  }

  #failAt(position: number, sentence: string): never {
    throw new MalformedJson(sentence, this.#text, position);
  }
}

/** What a string cannot hold as it is. */
// oxlint-disable-next-line no-control-regex -- these are meant
const special = /[\\\u0000-\u001f]/;

const noTokens =
  'The input does not contain any JSON tokens. Expected the input to start with a valid JSON token, when isFinalBlock is true.';
const openAtEnd =
  'Expected depth to be zero at the end of the JSON payload. There is an open JSON object or array that should be closed.';
const trailingComma = (kind: 'object' | 'array') =>
  `The JSON ${kind} contains a trailing comma at the end which is not supported in this mode. Change the reader options.`;

const escapes: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
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

/** A character as it is named in a sentence: itself, or its code where it could not be seen. */
function named(text: string, at: number): string {
  const code = text.charCodeAt(at);
  return code > 32 && code < 127 ? `'${text[at]}'` : `'0x${code.toString(16).toUpperCase().padStart(2, '0')}'`;
}

/** JSON text again, with every number as it came. */
export function writeJson(value: Json): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (value instanceof JsonObject) {
    const members = value.names.map((name, index) => `${JSON.stringify(name)}:${writeJson(value.values[index]!)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}
