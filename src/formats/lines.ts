/** Lines of a stream, however large it is and however long one of them. */
import { isUtf8 } from 'node:buffer';

export interface Line {
  number: number;
  /** Undefined where the line cannot be read; then `problem` says why. */
  text?: string;
  problem?: string;
}

/** A longer line is refused, and read past without being kept. */
export const longestLine = 1024 * 1024;

const newline = 10;

/** Some at a time, as they arrive. Empty lines are counted and left out. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let number = 0;
  let rest: Buffer[] = [];
  let restLength = 0;

  function take(bytes: Buffer): Line | undefined {
    number += 1;
    const length = restLength + bytes.length;
    const whole = rest.length > 0 ? Buffer.concat([...rest, bytes]) : bytes;
    rest = [];
    restLength = 0;
    if (length > longestLine) return { number, problem: `The line is longer than ${longestLine} bytes.` };
    return readLine(whole, number);
  }

  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = take(chunk.subarray(start, end));
      if (line) lines.push(line);
      start = end + 1;
    }
    restLength += chunk.length - start;
    if (restLength > longestLine) rest = [];
    else if (start < chunk.length) rest.push(chunk.subarray(start));
    if (lines.length > 0) yield lines;
  }
  const last = restLength > 0 ? take(Buffer.alloc(0)) : undefined;
  if (last) yield [last];
}

/** A byte order mark may stand before the first. */
function readLine(bytes: Buffer, number: number): Line | undefined {
  if (!isUtf8(bytes)) return { number, problem: 'The line is not valid UTF-8.' };
  const text = bytes.toString();
  const content = number === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text;
  return content.trim() === '' ? undefined : { number, text: content };
}
