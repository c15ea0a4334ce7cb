/** The list's filters as options of a command. */
import { Problem, StartError } from '../errors.ts';
import { JsonObject } from '../formats/json.ts';
import { body } from '../formats/shape.ts';
import { checkRanges, filterMembers } from '../transactions/filter-input.ts';
import { readNumber } from './read-number.ts';

export interface FilterOptions {
  from?: string;
  to?: string;
  amountFrom?: string;
  amountTo?: string;
  type?: string;
  category?: string;
  status?: string;
  currency?: string;
  search?: string;
}

const input = body('FilterOptions', filterMembers, checkRanges);

export function readFilterOptions(individual: string, options: FilterOptions) {
  const individualId = readNumber('The individual', individual);
  const given = {
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
    return { individualId, ...input.read(json) };
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
