/** The list's filters as they come in from outside, for the list, the totals and the export. */
import type { FieldErrors } from '../errors.ts';
import { decimal, filterText, optional, type ValuesOf } from '../formats/shape.ts';
import { parseFrom, parseTo } from '../values/instant.ts';
import { isAbove, parseAmountBound } from './amount.ts';
import type { Filter } from './filter.ts';
import { maxLengths } from './limits.ts';
import { foldCase, foldForSearch } from './transaction.ts';

const dateTime = (parse: typeof parseFrom) =>
  filterText({
    parse,
    message: 'The field {0} must be an ISO 8601 date-time.',
    schema: { format: 'date-time' },
  });

const amountBound = decimal(
  (text) => parseAmountBound(text),
  'The field {0} must be a decimal such as 10 or 10.50.',
  { type: ['string', 'number'], pattern: '^-?\\d{1,20}(\\.\\d+)?$' },
  true,
);

const facet = (maxLength: number) => filterText({ parse: foldCase, maxLength });

export const filterMembers = {
  timestampFrom: optional(dateTime(parseFrom), 'First moment, inclusive. A date alone starts with its day, UTC.'),
  timestampTo: optional(dateTime(parseTo), 'Last moment, inclusive. A date alone covers its whole day, UTC.'),
  amountFrom: optional(amountBound, 'Least amount, inclusive.'),
  amountTo: optional(amountBound, 'Largest amount, inclusive.'),
  transactionType: optional(facet(maxLengths.transactionType), 'Only this kind, ignoring case.'),
  transactionCategory: optional(facet(maxLengths.transactionCategory), 'Only this category, ignoring case.'),
  transactionStatus: optional(facet(maxLengths.transactionStatus), 'Only this status, ignoring case.'),
  currency: optional(facet(maxLengths.currency), 'Only this currency, ignoring case.'),
  search: optional(
    filterText({ parse: foldForSearch, maxLength: maxLengths.search }),
    'Part of a name, a note or an id, ignoring case. Accents may be left out.',
  ),
  asOf: optional(filterText(), 'The As-Of header of an earlier page: the rows stay those of that page.'),
};

export function checkRanges(values: ValuesOf<typeof filterMembers>, errors: FieldErrors): void {
  const { timestampFrom, timestampTo, amountFrom, amountTo } = values;
  if (timestampFrom && timestampTo && timestampFrom > timestampTo) {
    errors.TimestampFrom = ['The field TimestampFrom must not be later than TimestampTo.'];
  }
  if (amountFrom && amountTo && isAbove(amountFrom, amountTo)) {
    errors.AmountFrom = ['The field AmountFrom must not be greater than AmountTo.'];
  }
}

export function filterOf(values: ValuesOf<typeof filterMembers>): Filter {
  const { transactionType, transactionCategory, transactionStatus, currency, search } = values;
  return {
    from: values.timestampFrom,
    to: values.timestampTo,
    amountFrom: values.amountFrom,
    amountTo: values.amountTo,
    transactionType,
    transactionCategory,
    transactionStatus,
    currency,
    search,
  };
}
