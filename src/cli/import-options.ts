/** The options of `ledgerline import`: checked before anything is opened, and turned into a reader of the file. */
import { StartError } from '../errors.ts';
import { readCamt } from '../transactions/import/import-camt.ts';
import { readCsv, type DateOrder } from '../transactions/import/import-csv.ts';
import { readNdjson } from '../transactions/import/ndjson.ts';
import type { IncomingRow } from '../transactions/record/ingest.ts';
import { rowFields } from '../transactions/row.ts';
import { readNumber } from './read-number.ts';

/** The options that say how a file is read. */
export interface FormatOptions {
  format?: string;
  map?: string;
  set?: string;
  delimiter?: string;
  quote?: string;
  encoding?: string;
  decimalComma?: boolean;
  signed?: boolean;
  dates?: string;
  individual?: string;
  accounts?: string;
}

type Format = 'ndjson' | 'csv' | 'camt.053';

const formatsOfOption: Record<Exclude<keyof FormatOptions, 'format'>, readonly Format[]> = {
  map: ['csv'],
  set: ['csv'],
  delimiter: ['csv'],
  quote: ['csv'],
  encoding: ['csv'],
  decimalComma: ['csv'],
  signed: ['csv'],
  dates: ['csv'],
  individual: ['csv', 'camt.053'],
  accounts: ['camt.053'],
};

type RowReader = (chunks: AsyncIterable<Buffer>) => AsyncIterable<IncomingRow[]>;

export function readerOf(file: string, options: FormatOptions): RowReader {
  const format = formatOf(file, options.format);
  refuseOptionsOfOthers(format, options);
  if (format === 'ndjson') return readNdjson;
  const individual = options.individual === undefined ? undefined : readId('--individual', options.individual);
  if (format === 'csv') return csvReader(individual, options);
  const accounts = readAccounts(options.accounts);
  return (chunks) => readCamt(chunks, { individual, accounts });
}

function formatOf(file: string, given: string | undefined): Format {
  const endings: Record<string, Format> = {
    ndjson: 'ndjson',
    jsonl: 'ndjson',
    json: 'ndjson',
    csv: 'csv',
    xml: 'camt.053',
  };
  const ending = file.toLowerCase().replace(/\.gz$/, '').split('.').at(-1)!;
  const format = given ?? endings[ending] ?? 'ndjson';
  if (format === 'ndjson' || format === 'csv' || format === 'camt.053') return format;
  throw new StartError(`There is no format ${format}; the formats are ndjson, csv and camt.053.`);
}

function refuseOptionsOfOthers(format: Format, options: FormatOptions): void {
  for (const [name, formats] of Object.entries(formatsOfOption)) {
    if (options[name as keyof FormatOptions] === undefined || formats.includes(format)) continue;
    const option = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new StartError(
      `--${option} is for ${formats.join(' and ')}, and the file is read as ${format}. ` +
        'Leave it out, or name another --format.',
    );
  }
}

function csvReader(individual: string | undefined, options: FormatOptions): RowReader {
  const csv = {
    ...readDialect(options.delimiter ?? ',', options.quote ?? '"'),
    encoding: checkEncoding(options.encoding ?? 'utf-8'),
    map: readMap(options.map),
    constants: readConstants(individual, options),
    decimalComma: options.decimalComma ?? false,
    signed: options.signed ?? false,
    dates: checkDates(options.dates ?? 'iso'),
  };
  return (chunks) => readCsv(chunks, csv);
}

function readDialect(given: string, quote: string): { delimiter: string; quote: string } {
  const delimiter = given === '\\t' ? '\t' : given;
  if (quote.length > 1 || /[\r\n]/.test(quote))
    throw new StartError('--quote must be one character, or empty if no cell has quotes.');
  if (delimiter === '' || /[\r\n]/.test(delimiter) || (quote !== '' && delimiter.includes(quote)))
    throw new StartError('--delimiter must be at least one character, without line breaks and the quote character.');
  return { delimiter, quote };
}

function readMap(text: string | undefined): Record<string, string> {
  const map = checkFields('--map', pairs('--map', text));
  const columns = Object.values(map);
  const repeated = columns.find((column, index) => columns.indexOf(column) !== index);
  if (repeated !== undefined) throw new StartError(`--map uses the column "${repeated}" for several fields.`);
  return map;
}

/** Two options must not give one field, or one of them would be ignored. */
function readConstants(individual: string | undefined, { set, signed }: FormatOptions): Record<string, string> {
  const constants = checkFields('--set', pairs('--set', set));
  const refuse = (field: string, option: string) => {
    if (field in constants) throw new StartError(`${option} and --set both give ${field}; leave one of them out.`);
  };
  if (signed) refuse('transactionCategory', '--signed');
  if (individual === undefined) {
    if (constants.individualId !== undefined) readId('individualId in --set', constants.individualId);
    return constants;
  }
  refuse('individualId', '--individual');
  return { ...constants, individualId: individual };
}

/** Accounts may be written in groups of four characters. */
function readAccounts(text: string | undefined): Map<string, string> {
  const accounts = Object.entries(pairs('--accounts', text?.replaceAll(/\s/g, '')));
  return new Map(
    accounts.map(([account, given]) => [account, readId(`The individual of ${account} in --accounts`, given)]),
  );
}

/** As text, like the cells of a file. */
function readId(name: string, given: string): string {
  return String(readNumber(name, given));
}

/** name=value,name=value */
function pairs(option: string, text: string | undefined): Record<string, string> {
  const read: Record<string, string> = {};
  for (const pair of (text ?? '').split(',')) {
    if (pair.trim() === '') continue;
    const [name, ...value] = pair.split('=');
    if (value.length === 0) throw new StartError(`${option} has "${pair}"; write it as name=value,name=value.`);
    if (Object.hasOwn(read, name!.trim())) throw new StartError(`${option} has ${name!.trim()} twice.`);
    read[name!.trim()] = value.join('=').trim();
  }
  return read;
}

function checkFields(option: string, given: Record<string, string>): Record<string, string> {
  const unknown = Object.keys(given).find((name) => !rowFields.includes(name));
  if (unknown === undefined) return given;
  throw new StartError(`${option} names ${unknown}, which is no field; the fields are ${rowFields.join(', ')}.`);
}

function checkEncoding(encoding: string): string {
  try {
    return new TextDecoder(encoding).encoding;
  } catch {
    throw new StartError(`There is no encoding ${encoding}; try utf-8, windows-1252 or iso-8859-15.`);
  }
}

function checkDates(order: string): DateOrder {
  if (order === 'iso' || order === 'dmy' || order === 'mdy') return order;
  throw new StartError(`--dates must be iso, dmy or mdy, not ${order}.`);
}
