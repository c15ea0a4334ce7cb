/**
 * `ledgerline import`: transactions from NDJSON, CSV or camt.053. Each batch is one transaction, and a row that is stored
 * already is a duplicate. So an import that was killed is run again from the start, and the result is the same.
 */
import { setFlagsFromString } from 'node:v8';
import { ServiceClock } from '../values/clock.ts';
import { StartError } from '../errors.ts';
import { readCamt } from '../transactions/import/import-camt.ts';
import { readCsv, UnusableFile, type DateOrder } from '../transactions/import/import-csv.ts';
import { ingest, type IncomingRow, type Totals } from '../transactions/record/ingest.ts';
import { importBatch } from '../transactions/limits.ts';
import { readNdjson } from '../transactions/import/ndjson.ts';
import { createRecordStore } from '../transactions/record/record.store.ts';
import { rowFields } from '../transactions/row.ts';
import { withDatabase } from './database.ts';
import { openInput, Report } from './input.ts';
import { count } from './progress.ts';

export interface ImportOptions {
  format?: string;
  map?: string;
  set?: string;
  delimiter: string;
  quote: string;
  encoding: string;
  decimalComma?: boolean;
  signed?: boolean;
  dates: string;
  individual?: string;
  accounts?: string;
  dryRun?: boolean;
  report?: string;
}

const lanes = 3;

export async function importTransactions(file: string, options: ImportOptions): Promise<number> {
  // Rows outlive V8's young generation. By default V8 lets garbage grow to three times the live data of the old one. Less
  // than this would cost more time than it saves memory.
  setFlagsFromString('--heap-growing-percent=100');
  const format = formatOf(file, options.format);
  const read = readerOf(format, options);
  const { chunks, progress } = await openInput(file);
  const report = new Report(options.report);
  const totals = await withDatabase(4 * lanes, async (db) => {
    const store = createRecordStore(db);
    const clock = new ServiceClock();
    const recordOf = (areLikelyNew: boolean) => {
      if (options.dryRun) return store.tryBatch;
      return areLikelyNew ? store.recordNewBatch : store.recordBatch;
    };
    return ingest(read(chunks), {
      record: (rows, areLikelyNew) => recordOf(areLikelyNew)(rows, clock.now()),
      lanes,
      batch: importBatch,
      report: (outcome) => {
        if (outcome.result !== 'updated') report.add({ ...outcome });
      },
      onProgress: (rows) => progress.addRows(rows),
    });
  }).catch((error: unknown) => {
    progress.end();
    if (error instanceof UnusableFile) throw new StartError(`${file}, ${error.message}.`);
    throw error;
  });
  progress.end();
  await report.end(options.report);
  console.log(summary(totals, progress.seconds, options.dryRun ?? false));
  return totals.rejected + totals.conflict > 0 ? 2 : 0;
}

function summary(totals: Totals, seconds: number, dryRun: boolean): string {
  const rows = Object.values(totals).reduce((sum, each) => sum + each, 0);
  const parts = Object.entries(totals).map(([name, number]) => `${count(number)} ${name}`);
  const rate = count(Math.round(rows / Math.max(seconds, 0.001)));
  return `${dryRun ? 'Dry run, nothing was written: ' : ''}${count(rows)} rows in ${seconds.toFixed(1)} s (${rate} rows/s): ${parts.join(', ')}.`;
}

type Format = 'ndjson' | 'csv' | 'camt.053';

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

function readerOf(
  format: Format,
  options: ImportOptions,
): (chunks: AsyncIterable<Buffer>) => AsyncIterable<IncomingRow[]> {
  if (format === 'ndjson') return readNdjson;
  if (format === 'camt.053') {
    const accounts = pairs('--accounts', options.accounts);
    return (chunks) => readCamt(chunks, { individual: options.individual, accounts });
  }
  const individual = options.individual === undefined ? {} : { individualId: options.individual };
  const csv = {
    delimiter: options.delimiter === '\\t' ? '\t' : options.delimiter,
    quote: options.quote,
    encoding: checkEncoding(options.encoding),
    map: checkFields('--map', pairs('--map', options.map)),
    constants: checkFields('--set', { ...individual, ...pairs('--set', options.set) }),
    decimalComma: options.decimalComma ?? false,
    signed: options.signed ?? false,
    dates: checkDates(options.dates),
  };
  return (chunks) => readCsv(chunks, csv);
}

/** name=value,name=value */
function pairs(option: string, text: string | undefined): Record<string, string> {
  return Object.fromEntries(
    (text ?? '').split(',').flatMap((pair) => {
      if (pair.trim() === '') return [];
      const [name, ...value] = pair.split('=');
      if (value.length === 0) throw new StartError(`${option} has "${pair}"; write it as name=value,name=value.`);
      return [[name!.trim(), value.join('=').trim()]];
    }),
  );
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
