/** The lines of a stream of bytes, of any length and number. */
import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';

export interface Line {
  lineNumber: number;
  /** Undefined if the line cannot be read; then `problem` says why. */
  text?: string;
  problem?: string;
}

/** In bytes, without the line's end. A longer line is refused, and not kept while it is read. */
const longestLine = 65_536;

/** The number of lines between two pauses for other work, however many lines a chunk has. */
const linesPerTurn = 100;

/** Why a file whose lines end like this is refused: all of it would be its first line. */
export const loneReturns =
  'the lines end with a carriage return alone; save the file with line ends of Unix or Windows';

const newline = 10;
const carriageReturn = 13;

/** Yields lines in parts, as they arrive. Empty lines are counted and left out. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  const reader = new LineReader();
  let leftInTurn = linesPerTurn;
  for await (const chunk of chunks) {
    reader.add(chunk);
    for (let lines = reader.take(leftInTurn); lines.length > 0; lines = reader.take(leftInTurn)) {
      yield lines;
      leftInTurn -= lines.length;
      if (leftInTurn > 0) continue;
      leftInTurn = linesPerTurn;
      await setImmediate();
    }
  }
  const last = reader.takeRest();
  if (last) yield [last];
}

class LineReader {
  #lineNumber = 0;
  #chunk: Buffer = Buffer.alloc(0);
  #start = 0;
  /** The start of a line that continues in the next chunk. */
  #rest: Buffer[] = [];
  #restLength = 0;

  add(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#start = 0;
  }

  /** Returns up to `count` of the lines that end in the chunk. */
  take(count: number): Line[] {
    const lines: Line[] = [];
    while (lines.length < count) {
      const end = this.#chunk.indexOf(newline, this.#start);
      if (end < 0) {
        this.#keepRest();
        break;
      }
      const line = this.#line(this.#chunk.subarray(this.#start, end));
      if (line) lines.push(line);
      this.#start = end + 1;
    }
    return lines;
  }

  takeRest(): Line | undefined {
    return this.#restLength > 0 ? this.#line(Buffer.alloc(0)) : undefined;
  }

  #keepRest(): void {
    const rest = this.#chunk.subarray(this.#start);
    this.#start = this.#chunk.length;
    this.#restLength += rest.length;
    // One more byte may be the carriage return of the line's end.
    if (this.#restLength > longestLine + 1) this.#rest = [];
    else if (rest.length > 0) this.#rest.push(rest);
  }

  #line(end: Buffer): Line | undefined {
    this.#lineNumber += 1;
    const length = this.#restLength + end.length;
    if (length === 0) return undefined;
    const bytes = this.#rest.length > 0 ? Buffer.concat([...this.#rest, end]) : end;
    this.#rest = [];
    this.#restLength = 0;
    const hasReturn = bytes.at(-1) === carriageReturn;
    if (length - (hasReturn ? 1 : 0) > longestLine) {
      return { lineNumber: this.#lineNumber, problem: `The line is longer than ${longestLine} bytes.` };
    }
    return readLine(bytes, this.#lineNumber);
  }
}

/** A byte order mark may come before the first line. */
function readLine(bytes: Buffer, lineNumber: number): Line | undefined {
  if (!isUtf8(bytes)) return { lineNumber, problem: 'The line is not valid UTF-8.' };
  const text = bytes.toString();
  const content = lineNumber === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text;
  return content.trim() === '' ? undefined : { lineNumber, text: content };
}
