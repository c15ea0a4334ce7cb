/** `ledgerline export`: an individual's transactions, exactly the rows that the list would give. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Problem, StartError } from '../errors.ts';
import { JsonObject } from '../formats/json.ts';
import { body, int32, required } from '../formats/shape.ts';
import { formatRows, type ExportFormat } from '../transactions/export-transactions.ts';
import { serviceItself } from '../slots.ts';
import { checkRanges, filterMembers, filterOf } from '../transactions/filter-input.ts';
import { createTransactionsStore } from '../transactions/transactions.store.ts';
import { ServiceClock } from '../clock.ts';
import { createPrivacyStore } from '../privacy/privacy.store.ts';
import { withDatabase } from './database.ts';
import { commandLineActor, readUserId } from './erase-user.ts';

export interface ExportOptions {
  format: string;
  output?: string;
  from?: string;
  to?: string;
  amountFrom?: string;
  amountTo?: string;
  type?: string;
  category?: string;
  status?: string;
  currency?: string;
  search?: string;
  /** Reads the retained rows of an erased user. */
  erased?: boolean;
}

const input = body('Export', { individualId: required(int32(), 'Whose.'), ...filterMembers }, checkRanges);

export async function exportTransactions(individual: string, options: ExportOptions): Promise<number> {
  if (options.erased) return exportErased(individual, options);
  const { individualId, ...values } = readOptions(individual, options);
  const format = formatOf(options.format);
  await withDatabase(2, async (db) => {
    const store = createTransactionsStore(db);
    const total = await store.countAll(individualId);
    if (total === undefined) throw new StartError(`There is no individual ${individualId}.`);
    const rows = formatRows(
      store.readAll({ individualId, filter: filterOf(values), upTo: total, owner: serviceItself }),
      format,
    );
    await write(rows, options.output);
  });
  return 0;
}

/** Exports everything that is retained of an erased user. Filters do not apply. */
async function exportErased(individual: string, options: ExportOptions): Promise<number> {
  const userId = readUserId(individual);
  const format = formatOf(options.format);
  await withDatabase(2, async (db) => {
    const store = createPrivacyStore(db);
    if (!(await store.isErased(userId))) throw new StartError(`The user ${userId} was not erased.`);
    await store.recordAccess(userId, 'export-erased', commandLineActor(), new ServiceClock().now());
    await write(formatRows(store.readRetained(userId), format), options.output);
  });
  return 0;
}

async function write(rows: AsyncIterable<string>, output: string | undefined): Promise<void> {
  const target = output === undefined ? process.stdout : createWriteStream(output, { mode: 0o600 });
  await pipeline(rows, target, { end: target !== process.stdout });
}

function readOptions(individual: string, options: ExportOptions) {
  const given = {
    individualId: individual,
    timestampFrom: options.from,
    timestampTo: options.to,
    amountFrom: options.amountFrom,
    amountTo: options.amountTo,
    transactionType: options.type,
    transactionCategory: options.category,
    transactionStatus: options.status,
    currency: options.currency,
    search: options.search,
  };
  const json = JsonObject.of(Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? null])));
  try {
    return input.read(json);
  } catch (error) {
    if (error instanceof Problem)
      throw new StartError(
        Object.values(error.details.errors ?? {})
          .flat()
          .join('\n'),
      );
    throw error;
  }
}

function formatOf(format: string): ExportFormat {
  if (format === 'csv' || format === 'ndjson') return format;
  throw new StartError(`There is no format ${format}; the formats are csv and ndjson.`);
}
