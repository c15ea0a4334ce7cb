import { checkRanges, filterMembers, filterOf } from '../../../transactions/filter-input.ts';
import type { ListReply, ListRequest } from '../../../transactions/list/list-transactions.ts';
import type { Operator } from '../../../audit/operator-actions.ts';
import { integer, listOf, record } from '../../../formats/record.ts';
import { body, int32, required, withDefault } from '../../../formats/shape.ts';
import { jsonText, noStore, operation, operatorWrite } from '../../operation.ts';
import { exampleTransaction, transactionShape } from '../transactions/transaction-shape.ts';

const input = body(
  'OperatorTransactionsRequest',
  {
    dataBatch: withDefault(int32(), 1, 'Page number, starts at 1.'),
    dataBatchCount: withDefault(int32(1, 100), 20, 'Page size.'),
    ...filterMembers,
  },
  checkRanges,
);

const page = record('OperatorTransactions', {
  transactions: required(listOf(transactionShape), 'The rows of the page, newest first.'),
  transactionCount: required(integer(), 'All rows, over all pages.'),
});

type ListUserTransactions = (who: Operator, request: ListRequest) => Promise<ListReply>;

/** A POST, since the call is audited. */
export const operatorTransactionsOperation = (listUserTransactions: ListUserTransactions) =>
  operation({
    ...operatorWrite,
    name: 'operator-transactions',
    method: 'POST',
    path: '/operator/users/{id}/transactions',
    summary: 'List a user’s transactions',
    about: 'A customer’s transactions, newest first. The call is audited.',
    input,
    example: { dataBatch: 1, dataBatchCount: 20 },
    responses: {
      200: {
        about: 'A page, and the count of all rows.',
        shape: page,
        example: { transactions: [exampleTransaction], transactionCount: 1 },
        headers: { 'As-Of': 'Pins this list: send it as asOf.' },
      },
    },
    errors: ['unknown-individual', 'no-transactions'],
    async handle({ id, body: values, caller: { subject, client }, owner }) {
      const { items, count, asOf } = await listUserTransactions(
        { subject, client },
        {
          individualId: id,
          page: { number: values.dataBatch, size: values.dataBatchCount },
          filter: filterOf(values),
          asOf: values.asOf,
          owner,
        },
      );
      return jsonText(200, `{"transactions":[${items}],"transactionCount":${count}}`, { 'as-of': asOf, ...noStore });
    },
  });
