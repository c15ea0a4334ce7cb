import { periods, type Period } from '../../../transactions/period.ts';
import type { TotalsReply, TotalsRequest } from '../../../transactions/summarize-transactions.ts';
import { integer, listOf, number, record } from '../../../formats/record.ts';
import { body, filterText, int32, required, text, withDefault } from '../../../formats/shape.ts';
import { jsonList, operation } from '../../operation.ts';
import { timeZoneMember } from './time-zone-member.ts';
import { checkRanges, filterMembers, filterOf } from '../../../transactions/filter-input.ts';

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
    timeZone: timeZoneMember('IANA time zone of the periods.'),
    ...filterMembers,
  },
  checkRanges,
);

const period = record('TransactionPeriod', {
  from: required(text({ schema: { format: 'date' } }), 'First day of the period, in the time zone.'),
  currency: required(text(), 'ISO 4217 code.'),
  count: required(integer(), 'All rows, whatever their status.'),
  moneyIn: required(number(), 'Sum of the credits, without rejected and cancelled ones. Exact.'),
  moneyOut: required(number(), 'Sum of the debits, without rejected and cancelled ones. Exact.'),
  other: required(number(), 'Sum of the rows that are neither, without rejected and cancelled ones. Exact.'),
});

const totals = record('SummarizeTransactionsResponse', {
  periods: required(listOf(period), 'The periods, newest first.'),
  transactionCount: required(integer(), 'All rows that match the filter.'),
});

export const summarizeTransactionsOperation = (summarize: (request: TotalsRequest) => Promise<TotalsReply>) =>
  operation({
    name: 'summarize-transactions',
    method: 'POST',
    path: '/app/summarize-transactions',
    tag: 'Transactions',
    summary: 'Get totals',
    about: 'By day, week or month and by currency, newest first, over exactly the rows that the list would return.',
    scopes: ['transactions:read'],
    input,
    example: { individualId: 1, by: 'month', timeZone: 'Europe/Berlin' },
    responses: {
      200: {
        about: 'The periods that have rows.',
        shape: totals,
        headers: { 'As-Of': 'Pins the rows that were summed up.' },
      },
    },
    errors: ['unknown-individual', 'no-transactions'],
    namesUser: ({ body: { individualId } }) => individualId,
    async handle({ body: values, owner }) {
      const { individualId, by, timeZone } = values;
      const { items, count, asOf } = await summarize({
        individualId,
        by,
        timeZone,
        filter: filterOf(values),
        asOf: values.asOf,
        owner,
      });
      return jsonList('periods', items, count, asOf);
    },
  });
