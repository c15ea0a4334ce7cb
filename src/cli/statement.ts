/** `ledgerline statement`: the statement that `POST /app/statement` makes. */
import { randomBytes } from 'node:crypto';
import { deriveKeys } from '../crypto/digest-keys.ts';
import { StartError } from '../errors.ts';
import { serviceItself } from '../sharing/slots.ts';
import { createPageTokens } from '../transactions/list/page-token.ts';
import { filterOf } from '../transactions/filter-input.ts';
import { parseLocale } from '../transactions/locale.ts';
import { createMakeStatement, DocumentDesk } from '../transactions/export/make-statement.ts';
import { createTransactionsStore } from '../transactions/transactions.store.ts';
import { firstInstant, lastInstant, parseInstant } from '../values/instant.ts';
import { momentsOfDay, parseTimeZone } from '../values/time-zone.ts';
import { withDatabase } from './database.ts';
import { readFilterOptions, type FilterOptions } from './filter-options.ts';
import { writeOutput } from './output.ts';

interface StatementOptions extends FilterOptions {
  output?: string;
  timeZone: string;
  locale: string;
}

export async function statement(individual: string, options: StatementOptions): Promise<number> {
  const timeZone = parseTimeZone(options.timeZone) ?? fail(`There is no time zone ${options.timeZone}.`);
  const locale = parseLocale(options.locale) ?? fail(`${options.locale} is not a language tag such as en or de-AT.`);
  const { individualId, ...values } = readFilterOptions(individual, withDaysOf(timeZone, options));
  await withDatabase(2, async ({ config, db, clock }) => {
    const makeStatement = createMakeStatement({
      store: createTransactionsStore(db),
      clock,
      // Nobody sees the token of a statement that is a file.
      pageTokens: createPageTokens(deriveKeys([randomBytes(32)], 'page tokens')),
      extraFont: config.statementFont,
      brand: config.brand.value,
      desk: new DocumentDesk(1, (work) => work()),
    });
    const filter = filterOf(values);
    const request = { individualId, filter, timeZone, locale, asOf: undefined, owner: serviceItself };
    await writeOutput((await makeStatement(request)).chunks, options.output);
  });
  return 0;
}

/** A date alone is the day that the statement shows, which is that of its time zone. */
function withDaysOf(timeZone: string, options: StatementOptions): StatementOptions {
  const { from, to } = options;
  return {
    ...options,
    ...(isDay(from) && { from: momentsOfDay(from, timeZone).first }),
    ...(isDay(to) && { to: momentsOfDay(to, timeZone).last }),
  };
}

/** The first and the last date of all mean no bound. Something that is no date is refused with the other options. */
function isDay(text: string | undefined): text is string {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text) || parseInstant(text) === undefined) return false;
  return !firstInstant.startsWith(text) && !lastInstant.startsWith(text);
}

function fail(message: string): never {
  throw new StartError(message);
}
