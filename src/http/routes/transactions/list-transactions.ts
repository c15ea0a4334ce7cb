import { checkRanges, filterMembers, filterOf } from '../../../transactions/filter-input.ts';
import type { ListReply, ListRequest } from '../../../transactions/list/list-transactions.ts';
import { integer, listOf, record } from '../../../formats/record.ts';
import { body, int32, required, withDefault } from '../../../formats/shape.ts';
import { jsonList, operation } from '../../operation.ts';
import { exampleTransaction, transactionShape } from './transaction-shape.ts';

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

const page = record('AllTransactionReportResponse', {
  transactions: required(listOf(transactionShape), 'The rows of the page.'),
  transactionCount: required(integer(), 'All rows that match the filter, over all pages.'),
});

export const listTransactionsOperation = (listTransactions: (request: ListRequest) => Promise<ListReply>) =>
  operation({
    name: 'get-all-transactions',
    method: 'POST',
    path: '/app/get-all-transactions',
    tag: 'Transactions',
    summary: 'List transactions',
    about:
      'Newest first, then by transactionId descending. A page past the end is empty; 404 only when the individual has no transactions at all.',
    scopes: ['transactions:read'],
    input,
    example: { individualId: 1, dataBatch: 1, dataBatchCount: 20 },
    responses: {
      200: {
        about: 'A page, and the count of all rows that match.',
        shape: page,
        example: { transactions: [exampleTransaction], transactionCount: 1 },
        headers: {
          'As-Of': 'Pins this list: send it as asOf, and later pages show the same rows while new ones arrive.',
        },
      },
    },
    errors: ['unknown-individual', 'no-transactions'],
    namesUser: ({ body: { individualId } }) => individualId,
    async handle({ body: values, owner }) {
      const { items, count, asOf } = await listTransactions({
        individualId: values.individualId,
        page: { number: values.dataBatch, size: values.dataBatchCount },
        filter: filterOf(values),
        asOf: values.asOf,
        owner,
      });
      return jsonList('transactions', items, count, asOf);
    },
  });
