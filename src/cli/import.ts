/**
 * `ledgerline import`: transactions from NDJSON, CSV or camt.053. Each batch is one transaction, and a row that is stored
 * already is a duplicate. So an import that was killed is run again from the start, and the result is the same.
 */
import { setFlagsFromString } from 'node:v8';
import { StartError } from '../errors.ts';
import { UnusableFile } from '../transactions/import/unusable-file.ts';
import { ingest, type Totals } from '../transactions/record/ingest.ts';
import { importBatch } from '../transactions/limits.ts';
import { createRecordStore } from '../transactions/record/record.store.ts';
import { withDatabase } from './database.ts';
import { readerOf, type FormatOptions } from './import-options.ts';
import { openInput } from './input.ts';
import { count } from './progress.ts';
import { openReport } from './report.ts';

interface ImportOptions extends FormatOptions {
  dryRun?: boolean;
  report?: string;
}

const lanes = 3;

export async function importTransactions(file: string, options: ImportOptions): Promise<number> {
  // Rows outlive V8's young generation. By default V8 lets garbage grow to three times the live data of the old one. Less
  // than this would cost more time than it saves memory.
  setFlagsFromString('--heap-growing-percent=100');
  const read = readerOf(file, options);
  const { chunks, progress } = await openInput(file);
  const report = await openReport(options.report, file);
  const totals = await withDatabase(4 * lanes, async ({ db, clock }) => {
    const store = createRecordStore(db);
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
  const isReportComplete = await report.end();
  console.log(summary(totals, progress.seconds, options.dryRun ?? false));
  if (!isReportComplete) return 1;
  return totals.rejected + totals.conflict > 0 ? 2 : 0;
}

function summary(totals: Totals, seconds: number, dryRun: boolean): string {
  const rows = Object.values(totals).reduce((sum, each) => sum + each, 0);
  const parts = Object.entries(totals).map(([name, number]) => `${count(number)} ${name}`);
  const rate = count(Math.round(rows / Math.max(seconds, 0.001)));
  const start = dryRun ? 'Dry run, nothing was written: ' : '';
  const end = rows === 0 ? ' The input has no rows.' : '';
  return `${start}${count(rows)} rows in ${seconds.toFixed(1)} s (${rate} rows/s): ${parts.join(', ')}.${end}`;
}
