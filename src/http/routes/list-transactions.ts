import { checkRanges, filterMembers, filterOf } from '../../transactions/filter-input.ts';
import type { ListReply, ListRequest } from '../../transactions/list-transactions.ts';
import { body, int32, required, withDefault } from '../../formats/shape.ts';
import { jsonType, operation } from '../operation.ts';
import { transactionSchema } from './schemas.ts';

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
