/** Rows from CSV of any dialect. Every cell is a text until the row's own rules read it. */
import { parse, type CsvError, type Info } from 'csv-parse';
import { JsonObject } from '../json.ts';
import { incoming, unreadable } from './ndjson.ts';
import type { IncomingRow } from './ingest.ts';
import { rowFields } from './row.ts';

export type DateOrder = 'iso' | 'dmy' | 'mdy';

export interface CsvOptions {
  delimiter: string;
  quote: string;
  encoding: string;
  /** From our field to the file's column. */
  map: Record<string, string>;
  /** Values for fields that the file does not have. */
  constants: Record<string, string>;
  decimalComma: boolean;
  /** A negative amount is a debit, another a credit. */
  signed: boolean;
  dates: DateOrder;
}

/** What stops a whole file, with the line it was found on. */
export class UnusableFile extends Error {
  constructor(line: number, why: string) {
    super(`line ${line}: ${why}`);
    this.name = 'UnusableFile';
  }
}

const largestRecord = 1024 * 1024;
const atOnce = 500;

interface Parsed {
  record: string[];
  info: Info;
}

export async function* readCsv(chunks: AsyncIterable<Buffer>, options: CsvOptions): AsyncGenerator<IncomingRow[]> {
  const skipped: IncomingRow[] = [];
  const parser = parse({
    delimiter: options.delimiter,
    quote: options.quote === '' ? false : options.quote,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: largestRecord,
    on_skip: (error: CsvError | undefined) => {
      if (error) skipped.push(unreadable(Number(error.lines), sentence(error.message)));
      return undefined;
    },
  });
  void feed(chunks, options.encoding, parser);
  let columns: (string | undefined)[] | undefined;
  let width = 0;
  let rows: IncomingRow[] = [];
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      if (!columns) {
        columns = fieldsOf(record, options, info.lines);
        width = record.length;
        continue;
      }
      rows.push(
        record.length === width
          ? readRecord(record, columns, info.lines, options)
          : misshapen(record, width, info.lines),
      );
      if (rows.length + skipped.length >= atOnce) {
        yield [...rows, ...skipped.splice(0)];
        rows = [];
      }
    }
  } catch (error) {
    if (!isCsvError(error)) throw error;
    rows.push(unreadable(Number(error.lines), sentence(error.message)));
  }
  yield [...rows, ...skipped];
}

/** What cannot be decoded is marked, and refused with its row. */
async function feed(chunks: AsyncIterable<Buffer>, encoding: string, parser: ReturnType<typeof parse>): Promise<void> {
  const decoder = new TextDecoder(encoding);
  try {
    for await (const chunk of chunks) {
      if (!parser.write(decoder.decode(chunk, { stream: true })))
        await new Promise((resolve) => parser.once('drain', resolve));
    }
    parser.end(decoder.decode());
  } catch (error) {
    parser.destroy(error as Error);
  }
}

function fieldsOf(header: string[], { map, constants }: CsvOptions, line: number): (string | undefined)[] {
  const named = header.map((name) => name.trim());
  for (const [field, column] of Object.entries(map)) {
    if (!named.includes(column)) {
      throw new UnusableFile(line, `there is no column "${column}" for ${field}; the columns are ${named.join(' | ')}`);
    }
  }
  const fields = named.map((name) => {
    const mapped = Object.keys(map).find((field) => map[field] === name);
    return mapped ?? rowFields.find((field) => field.toLowerCase() === name.toLowerCase() && !(field in map));
  });
  const missing = ['individualId', 'transactionId', 'amount', 'currency', 'timeStamp'].filter(
    (field) => !fields.includes(field) && !(field in constants),
  );
  if (missing.length > 0) {
    throw new UnusableFile(
      line,
      `there is no column for ${missing.join(', ')}; the columns are ${named.join(' | ')}. ` +
        'Name them with --map, give a fixed value with --set, or another --delimiter',
    );
  }
  return fields;
}

function readRecord(record: string[], columns: (string | undefined)[], line: number, options: CsvOptions): IncomingRow {
  const members: Record<string, string> = { ...options.constants };
  for (let index = 0; index < record.length; index += 1) {
    const field = columns[index];
    const cell = record[index]!;
    if (cell.includes('\uFFFD'))
      return unreadable(line, `The text is not valid ${options.encoding}; another --encoding may be.`);
    if (field === undefined) continue;
    if (field === 'amount') {
      const amount = readAmount(cell, options);
      members.amount = options.signed ? amount.replace(/^-/, '') : amount;
      if (options.signed) members.transactionCategory = amount.startsWith('-') ? 'Debit' : 'Credit';
    } else {
      members[field] = field === 'timeStamp' ? readDate(cell, options.dates) : cell;
    }
  }
  return incoming(line, JsonObject.of(members));
}

function readAmount(cell: string, { decimalComma }: CsvOptions): string {
  const text = cell.trim();
  return decimalComma ? text.replaceAll(/[.\s'\u00A0\u202F]/g, '').replace(',', '.') : text;
}

/** 31.12.2025 14:30 as 2025-12-31T14:30; what does not look like it is left for the row's own rules. */
function readDate(cell: string, order: DateOrder): string {
  const match = order === 'iso' ? null : /^\s*(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:[ T,]+(\S+))?\s*$/.exec(cell);
  if (!match) return cell;
  const [, first, second, year, time] = match;
  const [day, month] = order === 'dmy' ? [first!, second!] : [second!, first!];
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${time ? `T${time}` : ''}`;
}

function misshapen(record: string[], width: number, line: number): IncomingRow {
  return unreadable(line, `The line has ${record.length} columns, the first line has ${width}.`);
}

function isCsvError(error: unknown): error is CsvError {
  return error instanceof Error && (error as CsvError).code?.startsWith('CSV_');
}

function sentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`;
}
