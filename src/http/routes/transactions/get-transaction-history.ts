import { Readable } from 'node:stream';
import { listOf, record } from '../../../formats/record.ts';
import { required } from '../../../formats/shape.ts';
import { jsonType, operation } from '../../operation.ts';
import { getTransactionInput } from './get-transaction.ts';
import { versionShape } from './transaction-shape.ts';

type GetHistory = (transactionId: string, individualId?: number) => Promise<AsyncIterable<string[]>>;

const historyShape = record('TransactionHistory', { history: required(listOf(versionShape), 'Oldest first.') });

export const getTransactionHistoryOperation = (getHistory: GetHistory) =>
  operation({
    name: 'get-transaction-history',
    method: 'POST',
    path: '/app/get-transaction-history',
    tag: 'Transactions',
    summary: 'Get a transaction’s history',
    about:
      'Oldest first; the last one is the transaction as it is now. The transaction is identified as in get-transaction.',
    scopes: ['transactions:read'],
    input: getTransactionInput,
    example: { transactionId: 'demo-00001' },
    responses: { 200: { about: 'The versions.', shape: historyShape } },
    errors: ['unknown-transaction', 'ambiguous-transaction'],
    namesUser: ({ body: { individualId } }) => individualId,
    async handle({ body: { transactionId, individualId }, caller }) {
      const versions = await getHistory(transactionId, individualId ?? caller.userId);
      return { status: 200, body: Readable.from(writeHistory(versions)), contentType: jsonType };
    },
  });

async function* writeHistory(versions: AsyncIterable<string[]>): AsyncGenerator<string> {
  let before = '{"history":[';
  for await (const some of versions) {
    if (some.length === 0) continue;
    yield before + some.join(',');
    before = ',';
  }
  yield before === ',' ? ']}' : `${before}]}`;
}
