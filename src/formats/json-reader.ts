/**
 * Reads JSON. It keeps the text of numbers, and refuses with the sentences of System.Text.Json, which the clients
 * of this contract were generated for. It reads token by token, so that reading a large text can pause anywhere.
 */
import {
  closeArray,
  closeObject,
  colon,
  comma,
  isDigit,
  JsonTokens,
  longestToken,
  minus,
  openArray,
  openAtEnd,
  openObject,
  quote,
  special,
} from './json-tokens.ts';
import { JsonNumber, JsonObject, MalformedJson, type Json } from './json.ts';

/**
 * Which parts of a text become values. The other parts are checked and dropped, so that a caller cannot make the
 * service keep more values in memory than it uses.
 */
export interface Kept {
  /** Members of an object by lower-case name. Other members are dropped. */
  members?: ReadonlyMap<string, Kept>;
  /** Items of an array, if they are kept. */
  items?: Kept;
  /** Items after this number are dropped. */
  maxItems?: number;
  /** Everything inside is kept, up to this number of values. */
  maxValues?: number;
}

const keepEverything: Kept = { maxValues: Infinity };

/** Reads a text in one step. */
export function readJson(text: string): Json | MalformedJson {
  const reader = new JsonReader(text, keepEverything);
  reader.advance(Infinity);
  return reader.result!;
}

const maxDepth = 64;

/** The names of the object read last: the next object's are likely the same, and then need not be read again. */
let lastNames: string[] = [];

/** An object or array that is not complete yet. */
interface Container {
  isObject: boolean;
  kept: Kept | undefined;
  values: Json[];
  /** The names of `lastNames`, until a name differs; from then on `names` contains the object's own names. */
  expected: string[];
  names: string[] | undefined;
  /** The name of the member that is being read. */
  name: string;
  /** How the value that is being read is kept; undefined if it is dropped. */
  valueKept: Kept | undefined;
}

/** What comes next. The first item or name may be the end of its container instead. */
type State = 'value' | 'string' | 'first-item' | 'item' | 'first-name' | 'name' | 'colon' | 'separator' | 'end';

export class JsonReader extends JsonTokens {
  readonly #kept: Kept;
  readonly #open: Container[] = [];
  #container: Container | undefined;
  #state: State = 'value';
  #stringStart = 0;
  /** Whether the text comes in parts. */
  #hasParts = false;
  /** How many values may still be kept inside a member that is kept whole. */
  #valuesLeft = Infinity;
  #root: Json = null;
  /** Set when the text was read to its end, or is malformed. */
  result: Json | MalformedJson | undefined;

  constructor(text: string, kept: Kept) {
    super(text);
    this.#kept = kept;
  }

  /** The number of characters that are still to be read. */
  get unread(): number {
    return this.text.length - this.at;
  }

  /** Adds a further part of the text, and drops what is no longer needed of the part before it. */
  append(further: string): void {
    this.#hasParts = true;
    const isNeeded = this.#state === 'string' && this.at - this.#stringStart <= longestToken;
    const dropped = isNeeded ? this.#stringStart : this.at;
    this.#stringStart = isNeeded ? 0 : -Infinity;
    this.replace(dropped, further);
  }

  /** Reads the next `count` characters, and the rest of the token there. True when there is a result. */
  advance(count: number): boolean {
    const position = this.at + count;
    try {
      while (this.result === undefined && this.at < position) this.#step(position);
    } catch (error) {
      if (!(error instanceof MalformedJson)) throw error;
      this.result = error;
    }
    return this.result !== undefined;
  }

  #step(position: number): void {
    if (this.#state === 'string') return this.#continueString(position);
    const code = this.#skipSpace(position);
    if (code === undefined) return;
    switch (this.#state) {
      case 'separator':
        return this.#separator(code, this.#container!);
      case 'first-name':
        return code === closeObject ? this.#close(this.#container!) : this.#name(code, this.#container!);
      case 'name':
        return this.#name(code, this.#container!);
      case 'colon':
        return this.#colon(code);
      case 'first-item':
        return code === closeArray ? this.#close(this.#container!) : this.#item(code, this.#container!);
      case 'item':
        return this.#item(code, this.#container!);
      case 'value':
        return this.#value(code);
      default:
        return this.#end(code);
    }
  }

  /** The code of the next character that is not white space: NaN at the end, undefined if it is past `position`. */
  #skipSpace(position: number): number | undefined {
    const text = this.text;
    let at = this.at;
    let code = text.charCodeAt(at);
    while ((code === 32 || code === 10 || code === 13 || code === 9) && at < position) {
      at += 1;
      code = text.charCodeAt(at);
    }
    this.at = at;
    return at < position ? code : undefined;
  }

  #value(start: number): void {
    if (start === quote) return this.#string();
    if (start === openObject || start === openArray) return this.#openContainer(start === openObject);
    if (start === minus || isDigit(start)) return this.#complete(this.number());
    if (start === 116) return this.#complete(this.literal('true', true));
    if (start === 102) return this.#complete(this.literal('false', false));
    if (start === 110) return this.#complete(this.literal('null', null));
    if (start !== start) this.fail(this.#container ? openAtEnd : noTokens);
    this.fail(`${this.character()} is an invalid start of a value.`);
  }

  #item(start: number, container: Container): void {
    if (start === closeArray) this.fail(trailingComma('array'));
    container.valueKept = this.#keptInside(container);
    this.#value(start);
  }

  #openContainer(isObject: boolean): void {
    if (this.#open.length >= maxDepth) {
      const kind = isObject ? 'object' : 'array';
      this.fail(`The maximum configured depth of ${maxDepth} has been exceeded. Cannot read next JSON ${kind}.`);
    }
    const container: Container = {
      isObject,
      kept: this.#container ? this.#container.valueKept : this.#kept,
      values: [],
      expected: isObject ? lastNames : [],
      names: undefined,
      name: '',
      valueKept: undefined,
    };
    this.#open.push(container);
    this.#container = container;
    this.at += 1;
    this.#state = isObject ? 'first-name' : 'first-item';
  }

  #keptInside({ kept, isObject, name, values }: Container): Kept | undefined {
    if (kept === keepEverything || kept === undefined) return kept;
    if (kept.maxValues !== undefined) {
      this.#valuesLeft -= 1;
      return this.#valuesLeft >= 0 ? kept : undefined;
    }
    if (!isObject) return values.length < (kept.maxItems ?? Infinity) ? kept.items : undefined;
    const member = kept.members?.get(name) ?? kept.members?.get(name.toLowerCase());
    if (member?.maxValues !== undefined) this.#valuesLeft = member.maxValues;
    return member;
  }

  /** A value was read. */
  #complete(value: Json): void {
    const container = this.#container;
    if (!container) {
      this.#root = value;
      this.#state = 'end';
      return;
    }
    if (container.valueKept !== undefined) this.#add(container, value);
    // Most often there is no white space before it.
    if (this.text.charCodeAt(this.at) === comma) this.#separator(comma, container);
    else this.#state = 'separator';
  }

  #add(container: Container, value: Json): void {
    const { values, expected, name } = container;
    if (container.isObject && name !== expected[values.length]) container.names ??= expected.slice(0, values.length);
    container.names?.push(this.#hasParts ? copied(name) : name);
    values.push(this.#hasParts ? copiedValue(value) : value);
  }

  #separator(found: number, container: Container): void {
    if (found === comma) {
      this.at += 1;
      this.#state = container.isObject ? 'name' : 'item';
    } else if (found === (container.isObject ? closeObject : closeArray)) this.#close(container);
    else if (found !== found) this.fail(openAtEnd);
    else this.fail(`${this.character()} is invalid after a value. Expected either ',', '}', or ']'.`);
  }

  #close({ isObject, values, expected, names: ownNames }: Container): void {
    this.at += 1;
    this.#open.pop();
    this.#container = this.#open.at(-1);
    if (!isObject) return this.#complete(values);
    if (!ownNames && values.length === expected.length) return this.#complete(new JsonObject(expected, values));
    const names = ownNames ?? expected.slice(0, values.length);
    if (values.length > 0) lastNames = names.some((name) => name.includes('"') || special.test(name)) ? [] : names;
    this.#complete(new JsonObject(names, values));
  }

  #end(rest: number): void {
    if (rest === rest) this.fail(`${this.character()} is invalid after a single JSON value. Expected end of data.`);
    this.result = this.#root;
  }

  #name(start: number, container: Container): void {
    if (start !== quote) {
      if (start !== start) this.fail(openAtEnd);
      if (start === closeObject) this.fail(trailingComma('object'));
      this.fail(`${this.character()} is an invalid start of a property name. Expected a '"'.`);
    }
    this.#readName(container);
    // Most often there is no white space before it.
    if (this.text.charCodeAt(this.at) === colon) this.#colon(colon);
    else this.#state = 'colon';
  }

  #readName(container: Container): void {
    const expected = container.expected[container.values.length];
    if (expected !== undefined) {
      const end = this.at + 1 + expected.length;
      if (this.text.charCodeAt(end) === quote && this.text.startsWith(expected, this.at + 1)) {
        this.at = end + 1;
        container.name = expected;
        return;
      }
    }
    container.name = this.plainString() ?? this.#escapedName();
  }

  #colon(found: number): void {
    if (found !== colon) {
      if (found !== found) this.fail(openAtEnd);
      this.fail(`${this.character()} is invalid after a property name. Expected a ':'.`);
    }
    this.at += 1;
    this.#container!.valueKept = this.#keptInside(this.#container!);
    this.#state = 'value';
  }

  #string(): void {
    const plain = this.plainString();
    if (plain !== undefined) return this.#complete(plain);
    this.at += 1;
    this.#stringStart = this.at;
    this.#state = 'string';
  }

  #continueString(position: number): void {
    const end = this.findQuote(position);
    if (end === undefined) return;
    const isTooLong = end - this.#stringStart > longestToken;
    this.at = end + 1;
    this.#complete(isTooLong ? tooLong : this.decode(this.text.slice(this.#stringStart, end)));
  }

  #escapedName(): string {
    this.at += 1;
    const start = this.at;
    const end = this.findQuote(start + longestToken);
    if (end === undefined) this.fail(`The property name is longer than ${longestToken} characters.`);
    this.at = end + 1;
    return this.decode(this.text.slice(start, end));
  }
}

/** A slice of a text keeps the whole text in memory; a copy of the slice does not. V8 copies the shortest by itself. */
function copied(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1);
}

function copiedValue(value: Json): Json {
  if (typeof value === 'string') return copied(value);
  return value instanceof JsonNumber ? new JsonNumber(copied(value.text)) : value;
}

/**
 * In place of a string that is too long for every field. Every field refuses it: it is too long as well, and neither
 * a number nor blank, as a part of the string could be.
 */
const tooLong = 'x'.repeat(longestToken + 1);

const noTokens =
  'The input does not contain any JSON tokens. Expected the input to start with a valid JSON token, when isFinalBlock is true.';

const trailingComma = (kind: 'object' | 'array') =>
  `The JSON ${kind} contains a trailing comma at the end which is not supported in this mode. Change the reader options.`;
