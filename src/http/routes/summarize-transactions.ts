import {
  parseTimeZone,
  periods,
  type Period,
  type TotalsReply,
  type TotalsRequest,
} from '../../transactions/totals.ts';
import { body, filterText, int32, required, withDefault } from '../../formats/shape.ts';
import { jsonType, operation } from '../operation.ts';
import { checkRanges, filterMembers, filterOf } from '../../transactions/filter-input.ts';

const input = body(
  'SummarizeTransactionsRequest',
  {
    individualId: required(int32(), 'Customer identifier.'),
    by: withDefault(
      filterText<Period>({
        parse: (name) => periods.find((period) => period === name.toLowerCase()),
        message: 'The field {0} must be day, week or month.',
        schema: { enum: [...periods, null] },
      }),
      'day',
      'Length of a period; weeks begin on Monday.',
    ),
    timeZone: withDefault(
      filterText({ parse: parseTimeZone, message: 'The field {0} must be the name of an IANA time zone.' }),
      'UTC',
      'IANA time zone whose days are meant.',
    ),
    ...filterMembers,
  },
  checkRanges,
);

const money = (description: string) => ({ type: 'number', description });

export const summarizeTransactionsOperation = (summarize: (request: TotalsRequest) => Promise<TotalsReply>) =>
  operation({
    name: 'summarize-transactions',
    method: 'POST',
    path: '/app/summarize-transactions',
    tag: 'Transactions',
    summary: 'Sum up an individual’s transactions',
    about: 'By day, week or month and by currency, newest first, over exactly the rows the list would give.',
    scopes: ['transactions:read'],
    input,
    inputRequired: true,
    example: { individualId: 1, by: 'month', timeZone: 'Europe/Berlin' },
    responses: {
      200: {
        about: 'The periods that have rows.',
        schema: {
          title: 'SummarizeTransactionsResponse',
          type: 'object',
          required: ['periods', 'transactionCount'],
          properties: {
            periods: {
              type: 'array',
              items: {
                title: 'TransactionPeriod',
                type: 'object',
                required: ['from', 'currency', 'count', 'moneyIn', 'moneyOut', 'other'],
                properties: {
                  from: { type: 'string', format: 'date', description: 'First day of the period, in the time zone.' },
                  currency: { type: 'string' },
                  count: { type: 'integer', description: 'All rows, whatever their status.' },
                  moneyIn: money('Credits but for rejected and cancelled ones, exact.'),
                  moneyOut: money('Debits but for rejected and cancelled ones, exact.'),
                  other: money('Rows that are neither, but for rejected and cancelled ones, exact.'),
                },
              },
            },
            transactionCount: { type: 'integer', description: 'All rows that match the filter.' },
          },
        },
        headers: { 'As-Of': 'Pins the rows that were summed up.' },
      },
      404: { about: 'The individual has no transactions.' },
    },
    namesUser: ({ body: { individualId } }) => individualId,
    async handle({ body: values }) {
      const { individualId, by, timeZone } = values;
      const { items, count, asOf } = await summarize({
        individualId,
        by,
        timeZone,
        filter: filterOf(values),
        asOf: values.asOf,
      });
      return {
        status: 200,
        body: `{"periods":[${items}],"transactionCount":${count}}`,
        contentType: jsonType,
        headers: { 'as-of': asOf },
      };
    },
  });
