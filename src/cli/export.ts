/** `ledgerline export`: an individual's transactions, exactly the rows that the list would give. */
import { StartError } from '../errors.ts';
import { formatRows, type ExportFormat } from '../transactions/export/export-transactions.ts';
import { serviceItself } from '../sharing/slots.ts';
import { filterOf } from '../transactions/filter-input.ts';
import { createTransactionsStore } from '../transactions/transactions.store.ts';
import { createPrivacyStore } from '../privacy/privacy.store.ts';
import { commandLineActor } from './command-line-actor.ts';
import { withDatabase } from './database.ts';
import { readNumber } from './read-number.ts';
import { readFilterOptions, type FilterOptions } from './filter-options.ts';
import { writeOutput } from './output.ts';

interface ExportOptions extends FilterOptions {
  format: string;
  output?: string;
  /** Adds the details of each row. */
  details?: boolean;
  /** Reads the retained rows of an erased user. */
  erased?: boolean;
}

export async function exportTransactions(individual: string, options: ExportOptions): Promise<number> {
  if (options.erased) return exportErased(individual, options);
  const { individualId, ...values } = readFilterOptions(individual, options);
  const format = formatOf(options.format);
  await withDatabase(2, async ({ db }) => {
    const store = createTransactionsStore(db);
    const total = await store.countAll(individualId);
    if (total === undefined) throw new StartError(`There is no individual ${individualId}.`);
    const hasDetails = options.details ?? false;
    const filter = filterOf(values);
    const bodies = store.readAll({ individualId, filter, upTo: total, hasDetails, owner: serviceItself });
    await writeOutput(formatRows(bodies, format, hasDetails), options.output);
  });
  return 0;
}

/** Exports everything that is retained of an erased user, with details. Filters do not apply. */
async function exportErased(individual: string, options: ExportOptions): Promise<number> {
  const userId = readNumber('The user', individual);
  const format = formatOf(options.format);
  await withDatabase(2, async ({ db, clock }) => {
    const store = createPrivacyStore(db);
    if (!(await store.isErased(userId))) throw new StartError(`The user ${userId} was not erased.`);
    await store.recordAccess(userId, 'export-erased', commandLineActor(), clock.now());
    await writeOutput(formatRows(store.readRetained(userId), format, true), options.output);
  });
  return 0;
}

function formatOf(format: string): ExportFormat {
  if (format === 'csv' || format === 'ndjson') return format;
  throw new StartError(`There is no format ${format}; the formats are csv and ndjson.`);
}
