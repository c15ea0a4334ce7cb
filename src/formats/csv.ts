/**
 * Reads CSV (RFC 4180, any delimiter and quote). A broken record makes only its own line unreadable. Why this is not a
 * library: docs/decisions/0005-csv.md.
 */

export interface CsvRecord {
  /** The line it starts on. */
  line: number;
  /** Undefined if it cannot be read; then `problem` says why. */
  cells?: string[];
  problem?: string;
}

export interface CsvDialect {
  delimiter: string;
  /** Empty if cells are never quoted. */
  quote: string;
}

/** In characters. A quote that is never closed must neither consume the remaining file nor fill the memory. */
const largestRecord = 1024 * 1024;

/** Yields records in parts, as the text arrives. Empty lines are counted and left out. */
export async function* readCsvRecords(texts: AsyncIterable<string>, dialect: CsvDialect): AsyncGenerator<CsvRecord[]> {
  let text = '';
  let line = 1;
  let skipping = false;

  function* take(isLast: boolean): Generator<CsvRecord> {
    let start = 0;
    while (start < text.length) {
      const found = skipping ? toLineEnd(text, start) : readRecord(text, start, dialect, isLast);
      const tooLong = found.end < 0 && !found.open && text.length - start >= largestRecord;
      if (found.end < 0 && !isLast && text.length - start < largestRecord) break;
      // A quote that is never closed makes only its own line unreadable, and reading continues with the next line.
      const end = found.end >= 0 ? found.end : found.open ? behindLine(text, start) : text.length;
      const content = text.slice(start, end);
      if (!skipping && content.trim() !== '') yield { line, ...(tooLong ? { problem: lineTooLong } : resultOf(found)) };
      skipping = tooLong && !isLast;
      line += newlines(content);
      start = end;
    }
    text = text.slice(start);
  }

  for await (const part of texts) {
    text += part;
    yield [...take(false)];
  }
  yield [...take(true)];
}

const lineTooLong = `The line is longer than ${largestRecord} characters.`;

interface Found {
  cells?: string[];
  problem?: string;
  /** Whether a quote is open where the text ends. */
  open?: true;
  /** The position after the line break; -1 if it has not arrived yet. */
  end: number;
}

function resultOf({ cells, problem }: Found): Omit<CsvRecord, 'line'> {
  return cells ? { cells } : { problem: problem ?? 'A quote is opened here and never closed.' };
}

function toLineEnd(text: string, from: number): Found {
  const newline = text.indexOf('\n', from);
  return { end: newline < 0 ? -1 : newline + 1 };
}

function readRecord(text: string, start: number, { delimiter, quote }: CsvDialect, isLast: boolean): Found {
  const { end } = toLineEnd(text, start);
  const stop = end < 0 ? text.length : end - 1;
  const line = text.slice(start, text[stop - 1] === '\r' && stop > start ? stop - 1 : stop);
  if (quote === '' || !line.includes(quote)) return { cells: line.split(delimiter), end };
  return readQuoted(text, start, delimiter, quote, isLast);
}

function readQuoted(text: string, start: number, delimiter: string, quote: string, isLast: boolean): Found {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    let cell: string;
    if (text.startsWith(quote, at)) {
      const close = closingQuote(text, at + quote.length, quote);
      if (close < 0) return { open: true, end: -1 };
      cell = text.slice(at + quote.length, close).replaceAll(quote + quote, quote);
      at = close + quote.length;
    } else {
      const end = cellEnd(text, at, delimiter);
      cell = text.slice(at, end);
      at = end;
    }
    cells.push(cell);
    const rest = text.slice(at, at + Math.max(2, delimiter.length));
    if (rest.startsWith(delimiter)) at += delimiter.length;
    else if (rest.startsWith('\n') || rest.startsWith('\r\n')) return { cells, end: at + (rest[0] === '\r' ? 2 : 1) };
    // Only a part of a delimiter or line break may have arrived so far.
    else if (rest === '' || rest === '\r' || (!isLast && rest.length < delimiter.length)) return { cells, end: -1 };
    else
      return { problem: `There is text behind the closing quote of column ${cells.length}.`, ...toLineEnd(text, at) };
  }
}

/** A doubled quote means one quote in the text. */
function closingQuote(text: string, from: number, quote: string): number {
  let at = text.indexOf(quote, from);
  while (at >= 0 && text.startsWith(quote, at + quote.length)) at = text.indexOf(quote, at + 2 * quote.length);
  return at;
}

function cellEnd(text: string, from: number, delimiter: string): number {
  const newline = text.indexOf('\n', from);
  const stop = newline < 0 ? text.length : text[newline - 1] === '\r' ? newline - 1 : newline;
  const next = text.indexOf(delimiter, from);
  return next >= 0 && next < stop ? next : stop;
}

function behindLine(text: string, from: number): number {
  const { end } = toLineEnd(text, from);
  return end < 0 ? text.length : end;
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
