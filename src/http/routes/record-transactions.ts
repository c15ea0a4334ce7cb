import { notTheirs } from '../../errors.ts';
import type { Observe } from '../../observe.ts';
import type { RecordPlanResult } from '../../transactions/record-rules.ts';
import { claimedKey, readRow, rowSchema } from '../../transactions/row.ts';
import type { Transaction } from '../../transactions/transaction.ts';
import { body, list, required } from '../../shape.ts';
import { json, operation } from '../operation.ts';
import { exampleTransaction } from './schemas.ts';

const input = body('RecordTransactionsRequest', {
  transactions: required(list(rowSchema), 'The rows, applied in order.'),
});

const unknownIndividual = { IndividualId: ['Unknown individual.'] };

export type RecordTransactions = (rows: readonly Transaction[]) => Promise<RecordPlanResult[]>;

export const recordTransactionsOperation = (recordTransactions: RecordTransactions, observe: Observe) =>
  operation({
    name: 'record-transactions',
    method: 'POST',
    path: '/app/record-transactions',
    tag: 'Transactions',
    summary: 'Record transactions',
    about: 'One result for each row, in order; a bad row never stops the good ones, and sending a row again is safe.',
    scopes: ['transactions:write'],
    input,
    inputRequired: true,
    largestBody: 32 * 1024 * 1024,
    example: { transactions: [{ individualId: 1, ...exampleTransaction }] },
    responses: {
      200: {
        about: 'What became of each row.',
        schema: {
          title: 'RecordTransactionsResponse',
          type: 'object',
          required: ['results'],
          properties: {
            results: {
              type: 'array',
              items: {
                title: 'RecordResult',
                type: 'object',
                required: ['transactionId', 'individualId', 'result'],
                properties: {
                  transactionId: { type: ['string', 'null'] },
                  individualId: { type: ['integer', 'string', 'null'] },
                  result: { enum: ['created', 'duplicate', 'updated', 'conflict', 'rejected'] },
                  errors: {
                    type: 'object',
                    additionalProperties: { type: 'array', items: { type: 'string' } },
                    description: 'Why a row was rejected.',
                  },
                },
              },
            },
          },
        },
      },
    },
    async handle({ body: { transactions }, caller }) {
      const readings = transactions.map((row, index) => readRow(row, `$.transactions[${index}]`));
      const good = readings.flatMap((reading) => ('row' in reading ? [reading.row] : []));
      if (caller.userId !== undefined && good.some(({ individualId }) => individualId !== caller.userId))
        throw notTheirs();
      const applied = (await recordTransactions(good)).values();
      const results = readings.map((reading, index) => {
        if ('errors' in reading)
          return { ...claimedKey(transactions[index]!), result: 'rejected', errors: reading.errors };
        const { transactionId, individualId } = reading.row;
        const result = applied.next().value!;
        return result === 'unknown-individual'
          ? { transactionId, individualId, result: 'rejected', errors: unknownIndividual }
          : { transactionId, individualId, result };
      });
      for (const [result, rows] of countBy(results.map(({ result: name }) => name))) {
        observe({ kind: 'recorded', result: result as RecordPlanResult, rows });
      }
      return json(200, { results });
    },
  });

function countBy(names: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
