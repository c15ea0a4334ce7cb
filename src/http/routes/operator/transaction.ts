import type { Operator } from '../../../audit/operator-actions.ts';
import { body, required, text } from '../../../formats/shape.ts';
import { maxLengths } from '../../../transactions/limits.ts';
import { jsonText, noStore, operation, operatorWrite } from '../../operation.ts';
import { detailedTransactionShape, exampleDetails, exampleTransaction } from '../transactions/transaction-shape.ts';

const input = body('OperatorTransactionRequest', {
  transactionId: required(text({ trim: true, maxLength: maxLengths.transactionId }), 'Transaction identifier.'),
});

type ReadUserTransaction = (who: Operator, individualId: number, transactionId: string) => Promise<string>;

/** A POST, since the call is audited. */
export const operatorTransactionOperation = (readUserTransaction: ReadUserTransaction) =>
  operation({
    ...operatorWrite,
    name: 'operator-transaction',
    method: 'POST',
    path: '/operator/users/{id}/transaction',
    summary: 'Get a transaction of a user',
    about: 'A customer’s transaction with its details. The call is audited.',
    input,
    example: { transactionId: 'demo-00001' },
    responses: {
      200: {
        about: 'The transaction, with the details that were recorded.',
        shape: detailedTransactionShape,
        example: { ...exampleTransaction, ...exampleDetails },
      },
    },
    errors: ['unknown-transaction'],
    async handle({ id, body: { transactionId }, caller: { subject, client } }) {
      return jsonText(200, await readUserTransaction({ subject, client }, id, transactionId), noStore);
    },
  });
