/** Rows from CSV of any dialect. Every cell is a text until the rules of rows parse it. */
import { readCsvRecords, type CsvRecord } from '../../formats/csv.ts';
import { JsonObject, MalformedJson, type Json } from '../../formats/json.ts';
import { readJson } from '../../formats/json-reader.ts';
import { loneReturns } from '../../formats/lines.ts';
import { withoutLongNumbers } from '../details/account-numbers.ts';
import { decimalDetails } from '../details/details.ts';
import { incoming, unreadable } from './ndjson.ts';
import type { IncomingRow } from '../record/ingest.ts';
import { rowFields } from '../row.ts';
import { UnusableFile } from './unusable-file.ts';

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
  /** A negative amount is a debit, any other a credit. */
  signed: boolean;
  dates: DateOrder;
}

export async function* readCsv(chunks: AsyncIterable<Buffer>, options: CsvOptions): AsyncGenerator<IncomingRow[]> {
  let columns: (string | undefined)[] | undefined;
  for await (const records of readCsvRecords(decoded(chunks, options.encoding), options)) {
    const rows: IncomingRow[] = [];
    for (const record of records) {
      const { line, cells, problem } = record;
      if (!columns) columns = fieldsOf(headerOf(record), options, line);
      else rows.push(cells ? readRecord(cells, columns, line, options) : unreadable(line, problem!));
    }
    yield rows;
  }
  if (!columns) throw new UnusableFile(1, 'the file is empty; its first line must have the names of the columns');
}

function headerOf({ line, cells, problem }: CsvRecord): string[] {
  if (!cells) throw new UnusableFile(line, `the names of the columns cannot be read. ${problem!.replace(/\.$/, '')}`);
  if (cells.some((name) => name.includes('\r'))) throw new UnusableFile(line, loneReturns);
  return cells;
}

/** Bytes that cannot be decoded are marked, and their row is refused. */
async function* decoded(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

function fieldsOf(header: string[], { map, constants, signed }: CsvOptions, line: number): (string | undefined)[] {
  const named = header.map((name) => name.trim());
  for (const [field, column] of Object.entries(map)) {
    if (!named.includes(column)) {
      throw new UnusableFile(line, `there is no column "${column}" for ${field}; the columns are ${listed(named)}`);
    }
  }
  const fields = named.map((name) => {
    const mapped = Object.keys(map).find((field) => map[field] === name);
    return mapped ?? rowFields.find((field) => field.toLowerCase() === name.toLowerCase() && !(field in map));
  });
  refuseTwice(fields, line);
  const contradicted = [...Object.keys(constants), ...(signed ? ['transactionCategory'] : [])].find((field) =>
    fields.includes(field),
  );
  if (contradicted !== undefined) {
    throw new UnusableFile(
      line,
      `there is a column for ${contradicted}, which an option gives too (--individual, --set or --signed). ` +
        'Leave out the option or the column',
    );
  }
  const missing = ['individualId', 'transactionId', 'amount', 'currency', 'timeStamp'].filter(
    (field) => !fields.includes(field) && !(field in constants),
  );
  if (missing.length > 0) {
    throw new UnusableFile(
      line,
      `there is no column for ${missing.join(', ')}; the columns are ${listed(named)}. ` +
        'Name them with --map, give a fixed value with --set, or another --delimiter',
    );
  }
  return fields;
}

/** Only one of the columns could be stored. */
function refuseTwice(fields: (string | undefined)[], line: number): void {
  const repeated = fields.find((field, index) => field !== undefined && fields.indexOf(field) !== index);
  if (repeated !== undefined) throw new UnusableFile(line, `there are several columns for ${repeated}`);
}

/** The first line of a file without column names is a row, which may have a card number. */
function listed(columns: readonly string[]): string {
  return withoutLongNumbers(columns.join(' | '));
}

function readRecord(cells: string[], columns: (string | undefined)[], line: number, options: CsvOptions): IncomingRow {
  if (cells.length !== columns.length) {
    return unreadable(line, `The line has ${cells.length} columns, the first line has ${columns.length}.`);
  }
  const members: Record<string, Json> = { ...options.constants };
  for (let index = 0; index < cells.length; index += 1) {
    const field = columns[index];
    const cell = cells[index]!;
    if (cell.includes('\uFFFD'))
      return unreadable(line, `The text is not valid ${options.encoding}; another --encoding may be.`);
    if (field === undefined) continue;
    if (field === 'amount') {
      const amount = readAmount(cell, options);
      members.amount = options.signed ? amount.replace(/^-/, '') : amount;
      if (options.signed) members.transactionCategory = amount.startsWith('-') ? 'Debit' : 'Credit';
    } else {
      members[field] = readCell(field, cell, options);
    }
  }
  return incoming(line, JsonObject.of(members));
}

function readCell(field: string, cell: string, options: CsvOptions): Json {
  if (field === 'timeStamp') return readDate(cell, options.dates);
  if (decimalDetails.has(field)) return readAmount(cell, options);
  if (field !== 'additionalData' || cell.trim() === '') return cell;
  const data = readJson(cell);
  // A text that is not JSON is refused under its field, like any other value that is not an object.
  return data instanceof MalformedJson ? cell : data;
}

function readAmount(cell: string, { decimalComma }: CsvOptions): string {
  const text = cell.trim();
  return decimalComma ? text.replaceAll(/[.\s'\u00A0\u202F]/g, '').replace(',', '.') : text;
}

/** 31.12.2025 14:30 as 2025-12-31T14:30. Other text is left unchanged for the rules of rows. */
function readDate(cell: string, order: DateOrder): string {
  const match = order === 'iso' ? null : /^\s*(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:[ T,]+(\S+))?\s*$/.exec(cell);
  if (!match) return cell;
  const [, first, second, year, time] = match;
  const [day, month] = order === 'dmy' ? [first!, second!] : [second!, first!];
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${time ? `T${time}` : ''}`;
}
