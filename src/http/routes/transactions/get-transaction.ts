import { jsonText, operation } from '../../operation.ts';
import { body, int32, optional, required, text } from '../../../formats/shape.ts';
import { maxLengths } from '../../../transactions/limits.ts';
import { detailedTransactionShape, exampleDetails, exampleTransaction } from './transaction-shape.ts';

export const getTransactionInput = body('GetTransactionRequest', {
  transactionId: required(text({ trim: true, maxLength: maxLengths.transactionId }), 'Transaction identifier.'),
  individualId: optional(int32(), 'The individual. A transfer between two individuals is in both wallets.'),
});

export const getTransactionOperation = (
  getTransaction: (transactionId: string, individualId?: number) => Promise<string>,
) =>
  operation({
    name: 'get-transaction',
    method: 'POST',
    path: '/app/get-transaction',
    tag: 'Transactions',
    summary: 'Get a transaction',
    about:
      'Without individualId, a token that is bound to a user reads the transaction of that user. Another token gets the transaction if only one individual has that id, and 400 if several have it.',
    scopes: ['transactions:read'],
    input: getTransactionInput,
    example: { transactionId: 'demo-00001' },
    responses: {
      200: {
        about: 'The transaction, with the details that were recorded.',
        shape: detailedTransactionShape,
        example: { ...exampleTransaction, ...exampleDetails },
      },
    },
    errors: ['unknown-transaction', 'ambiguous-transaction'],
    namesUser: ({ body: { individualId } }) => individualId,
    async handle({ body: { transactionId, individualId }, caller }) {
      const found = await getTransaction(transactionId, individualId ?? caller.userId);
      return jsonText(200, found);
    },
  });
