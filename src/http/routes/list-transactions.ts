import type { FieldErrors } from '../../errors.ts';
import { isAbove, parseAmountBound } from '../../transactions/amount.ts';
import type { Filter } from '../../transactions/filter.ts';
import { parseFrom, parseTo } from '../../transactions/instant.ts';
import type { ListReply, ListRequest } from '../../transactions/list-transactions.ts';
import { fold } from '../../transactions/transaction.ts';
import { jsonType, operation } from '../operation.ts';
import { body, decimal, filterText, int32, optional, required, withDefault, type ValuesOf } from '../../shape.ts';
import { transactionSchema } from './schemas.ts';

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

const facet = filterText({ parse: fold });

/** What the list, the totals and the export are narrowed by. */
export const filterMembers = {
  timestampFrom: optional(dateTime(parseFrom), 'First moment, inclusive. A date alone starts with its day, UTC.'),
  timestampTo: optional(dateTime(parseTo), 'Last moment, inclusive. A date alone covers its whole day, UTC.'),
  amountFrom: optional(amountBound, 'Least amount, inclusive.'),
  amountTo: optional(amountBound, 'Largest amount, inclusive.'),
  transactionType: optional(facet, 'Only this kind, ignoring case.'),
  transactionCategory: optional(facet, 'Only this category, ignoring case.'),
  transactionStatus: optional(facet, 'Only this status, ignoring case.'),
  currency: optional(facet, 'Only this currency, ignoring case.'),
  search: optional(facet, 'Part of a name, a note or an id, ignoring case.'),
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

const input = body(
  'AllTransactionRequestModel',
  {
    individualId: required(int32(), 'Customer identifier, as user creation returned it.'),
    dataBatch: required(int32(), 'Page number, starts at 1.'),
    dataBatchCount: withDefault(int32(1, 1000), 20, 'Page size.'),
    ...filterMembers,
  },
  checkRanges,
);

export const listTransactionsOperation = (listTransactions: (request: ListRequest) => Promise<ListReply>) =>
  operation({
    name: 'get-all-transactions',
    method: 'POST',
    path: '/app/get-all-transactions',
    tag: 'Transactions',
    summary: 'List an individual’s transactions',
    about:
      'Newest first, then by transactionId descending. A page past the end is empty; 404 only when the individual has no transactions at all.',
    scopes: ['transactions:read'],
    input,
    inputRequired: true,
    example: { individualId: 1, dataBatch: 1, dataBatchCount: 20 },
    responses: {
      200: {
        about: 'A page, and the count of all rows that match.',
        schema: {
          title: 'AllTransactionReportResponse',
          type: 'object',
          required: ['transactions', 'transactionCount'],
          properties: {
            transactions: { type: 'array', items: transactionSchema },
            transactionCount: { type: 'integer', description: 'All rows that match the filter, over all pages.' },
          },
        },
        headers: { 'As-Of': 'Pins this list: send it as asOf, and pages hold still while rows arrive.' },
      },
      404: { about: 'The individual has no transactions.' },
    },
    namesUser: ({ body: { individualId } }) => individualId,
    async handle({ body: values }) {
      const { items, count, asOf } = await listTransactions({
        individualId: values.individualId,
        page: { number: values.dataBatch, size: values.dataBatchCount },
        filter: filterOf(values),
        asOf: values.asOf,
      });
      return {
        status: 200,
        body: `{"transactions":[${items}],"transactionCount":${count}}`,
        contentType: jsonType,
        headers: { 'as-of': asOf },
      };
    },
  });
