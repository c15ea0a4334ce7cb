/** JSON values as the service handles them: numbers keep their text, objects keep repeated members. */

export type Json = null | boolean | string | JsonNumber | Json[] | JsonObject;

/** A number as it was written. JSON.parse would round 9007199254740993.17 and turn 12.50 into 12.5. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Members in their original order, including repeated ones; for a reader the last one counts. Objects with the same
 * member names, such as the rows of a list, share one array of names.
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

/**
 * Why a text is not JSON. A plain value without a stack: a stream may contain a million malformed lines. The message
 * has the form of System.Text.Json, which the clients of this contract were generated for.
 */
export class MalformedJson {
  readonly message: string;

  constructor(sentence: string, { line, column }: TextPosition) {
    this.message = `${sentence} Path: $ | LineNumber: ${line} | BytePositionInLine: ${column}.`;
  }
}

/** The number of lines before it, and of bytes before it in its line. */
export interface TextPosition {
  line: number;
  column: number;
}

/** The position behind a text that starts at `start`. */
export function positionAfter(start: TextPosition, text: string): TextPosition {
  let { line } = start;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === 10) line += 1;
  const inLine = Buffer.byteLength(text.slice(text.lastIndexOf('\n') + 1));
  return { line, column: line === start.line ? start.column + inLine : inLine };
}

/** JSON text without white space, with every number as it was written. */
export function writeJson(value: Json): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (value instanceof JsonObject) {
    const members = value.names.map((name, index) => `${JSON.stringify(name)}:${writeJson(value.values[index]!)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}
