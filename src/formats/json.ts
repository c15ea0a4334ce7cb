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

  constructor(sentence: string, text: string, position: number) {
    const { line, column } = positionIn(text, position);
    this.message = `${sentence} Path: $ | LineNumber: ${line} | BytePositionInLine: ${column}.`;
  }
}

/** Lines of a longer text are not counted: that would block the event loop. */
const longestCountedText = 1024 * 1024;

function positionIn(text: string, position: number): { line: number; column: number } {
  const before = text.slice(0, position);
  if (position > longestCountedText) return { line: 0, column: Buffer.byteLength(before) };
  const line = before.split('\n').length - 1;
  return { line, column: Buffer.byteLength(before.slice(before.lastIndexOf('\n') + 1)) };
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
