import type { Readable } from 'node:stream';
import { notTheirs, type FieldErrors } from '../../errors.ts';
import type { Observe } from '../../observe.ts';
import { body, list, required } from '../../formats/shape.ts';
import {
  ingest,
  unknownIndividualErrors,
  type IncomingRow,
  type RecordResultName,
  type Totals,
} from '../../transactions/ingest.ts';
import { readNdjson } from '../../transactions/ndjson.ts';
import type { RecordPlanResult } from '../../transactions/record-rules.ts';
import { claimedKey, readRow, rowSchema, type Row, type RowKey } from '../../transactions/row.ts';
import { json, operation, type Reply } from '../operation.ts';
import { Spill } from '../spill.ts';
import { exampleTransaction } from './schemas.ts';

const input = body('RecordTransactionsRequest', {
  transactions: required(list(rowSchema), 'The rows, applied in order.'),
});

export type RecordTransactions = (rows: readonly Row[]) => Promise<RecordPlanResult[]>;

interface Result extends RowKey {
  result: RecordResultName;
  errors?: FieldErrors;
}

export const recordTransactionsOperation = (recordTransactions: RecordTransactions, observe: Observe) =>
  operation({
    name: 'record-transactions',
    method: 'POST',
    path: '/app/record-transactions',
    tag: 'Transactions',
    summary: 'Record transactions',
    about:
      'One result for each row, in order; a bad row never stops the good ones, and sending a row again is safe. ' +
      'As application/x-ndjson, one row a line and as many as you like, the answer has a line, with its number, ' +
      'for each row that was neither created nor a duplicate, and a last line with the totals.',
    scopes: ['transactions:write'],
    input,
    inputRequired: true,
    largestBody: 32 * 1024 * 1024,
    example: { transactions: [{ individualId: 1, ...exampleTransaction }] },
    responses: { 200: { about: 'What became of each row.', schema: resultsSchema() } },

    async handle({ body: { transactions }, caller }) {
      const readings = transactions.map((row, index) => readRow(row, `$.transactions[${index}]`));
      const good = readings.flatMap((reading) => ('row' in reading ? [reading.row] : []));
      if (!good.every(({ individualId }) => mayName(caller.userId, individualId))) throw notTheirs();
      const applied = (await recordTransactions(good)).values();
      const results = readings.map((reading, index): Result => {
        if ('errors' in reading) return { ...claimedKey(transactions[index]!), result: 'rejected', ...reading };
        const { transactionId, individualId } = reading.row;
        const result = applied.next().value!;
        return result === 'unknown-individual'
          ? { transactionId, individualId, result: 'rejected', errors: unknownIndividualErrors }
          : { transactionId, individualId, result };
      });
      observeTotals(observe, countResults(results));
      return json(200, { results });
    },

    streams: {
      mediaTypes: ['application/x-ndjson', 'application/ndjson'],
      handle: ({ caller }, lines) => recordLines(lines, caller.userId, recordTransactions, observe),
    },
  });

/** The answer waits until all has been read: a client that sends everything first must never have to read. */
async function recordLines(
  lines: Readable,
  userId: number | undefined,
  record: RecordTransactions,
  observe: Observe,
): Promise<Reply> {
  const answer = new Spill();
  try {
    const totals = await ingest(ownRows(readNdjson(lines), userId), {
      record,
      lanes: 2,
      batchSize: 1000,
      report: (outcome) => answer.add(`${JSON.stringify(outcome)}\n`),
    });
    observeTotals(observe, totals);
    answer.add(`${JSON.stringify({ totals })}\n`);
    return { status: 200, body: await answer.read(), contentType: 'application/x-ndjson; charset=utf-8' };
  } catch (error) {
    await answer.discard();
    throw error;
  }
}

/** A token that may name one user brings in rows of that user only. */
async function* ownRows(
  incoming: AsyncIterable<IncomingRow[]>,
  userId: number | undefined,
): AsyncGenerator<IncomingRow[]> {
  for await (const rows of incoming) {
    yield userId === undefined ? rows : rows.map((row) => ownRow(row, userId));
  }
}

function ownRow(row: IncomingRow, userId: number): IncomingRow {
  if ('errors' in row.reading || mayName(userId, row.reading.row.individualId)) return row;
  const { transactionId, individualId } = row.reading.row;
  const errors = { IndividualId: ['The token is bound to another user.'] };
  return { line: row.line, reading: { errors }, claims: { transactionId, individualId } };
}

function mayName(userId: number | undefined, individualId: number): boolean {
  return userId === undefined || userId === individualId;
}

function countResults(results: Result[]): Totals {
  const totals: Totals = { created: 0, duplicate: 0, updated: 0, conflict: 0, rejected: 0 };
  for (const { result } of results) totals[result] += 1;
  return totals;
}

function observeTotals(observe: Observe, totals: Totals): void {
  for (const [result, rows] of Object.entries(totals)) {
    if (rows > 0) observe({ kind: 'recorded', result: result as RecordResultName, rows });
  }
}

function resultsSchema() {
  return {
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
  };
}
