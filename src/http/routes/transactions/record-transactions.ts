import { setImmediate } from 'node:timers/promises';
import { causeOf, notTheirs, type Problem } from '../../../errors.ts';
import type { Json } from '../../../formats/json.ts';
import { fieldErrors, listOf, nullable, record, responseOnly, word } from '../../../formats/record.ts';
import { body, optional, required, text } from '../../../formats/shape.ts';
import type { Observe } from '../../../monitoring/observe.ts';
import type { Owner } from '../../../sharing/slots.ts';
import {
  ingest,
  noRows,
  resultOf,
  type IncomingRow,
  type RowResult,
  type Totals,
} from '../../../transactions/record/ingest.ts';
import { maxReportedRows, maxRowsInBody, serviceBatch } from '../../../transactions/limits.ts';
import { readNdjson } from '../../../transactions/import/ndjson.ts';
import type { RecordPlanResult } from '../../../transactions/record/record-rules.ts';
import {
  claimedKey,
  keptOfRow,
  readRows,
  rowSchema,
  type ClaimedKey,
  type Row,
  type RowReading,
} from '../../../transactions/row.ts';
import { jsonText, operation, type Reply } from '../../operation.ts';
import { Spill } from '../../body/spill.ts';
import { exampleTransaction } from './transaction-shape.ts';

const input = body('RecordTransactionsRequest', {
  transactions: required(
    // The operation reads the rows itself.
    listOf({ schema: rowSchema, kept: keptOfRow, read: (row: Json) => row }, maxRowsInBody),
    'The rows, applied in order.',
  ),
});

type RecordTransactions = (rows: readonly Row[], owner: Owner) => Promise<RecordPlanResult[]>;

interface RecordServices {
  recordTransactions: RecordTransactions;
  /** The refusal if there is no room for rows of this owner. */
  findRecordRefusal(owner: Owner): Problem | undefined;
  observer: { observe: Observe };
}

const ndjsonType = 'application/x-ndjson';

const resultNames = ['created', 'duplicate', 'updated', 'conflict', 'rejected'] as const;

const resultsShape = record('RecordTransactionsResponse', {
  results: required(
    listOf(
      record('RecordResult', {
        transactionId: required(nullable(text()), 'As the row gave it.'),
        individualId: required(
          responseOnly<ClaimedKey['individualId']>({ type: ['number', 'string', 'null'] }),
          'As the row gave it.',
        ),
        result: required(word(resultNames), 'What became of the row.'),
        errors: optional(fieldErrors(), 'Why a row was rejected.'),
      }),
    ),
    'One for each row, in order.',
  ),
});

export const recordTransactionsOperation = ({
  recordTransactions,
  findRecordRefusal: findRefusal,
  observer: { observe },
}: RecordServices) =>
  operation({
    name: 'record-transactions',
    method: 'POST',
    path: '/app/record-transactions',
    tag: 'Transactions',
    summary: 'Record transactions',
    about:
      'One result for each row, in order; a bad row never stops the good ones, and sending a row again is safe. ' +
      'As application/x-ndjson, with one row per line and any number of rows, the answer has a line, with its number, ' +
      'for each row that was neither created nor a duplicate, and a last line with the totals. After 100,000 such ' +
      'lines only the totals follow, with `truncated: true`. A line is at most 65,536 bytes long.',
    scopes: ['transactions:write'],
    input,
    largestBody: 32 * 1024 * 1024,
    findRefusal,
    example: { transactions: [{ individualId: 1, ...exampleTransaction }] },
    responses: {
      200: {
        about: 'What became of each row.',
        shape: resultsShape,
        example: { results: [{ transactionId: exampleTransaction.transactionId, individualId: 1, result: 'created' }] },
        contentType: ndjsonType,
        examples: { [ndjsonType]: `${JSON.stringify({ totals: { ...noRows(), created: 1 } })}\n` },
      },
    },

    async handle({ body: { transactions }, caller, owner }) {
      const readings = await readRows(transactions, '$.transactions');
      const rows = readings.flatMap((reading) => ('row' in reading ? [reading.row] : []));
      if (!rows.every(({ individualId }) => mayName(caller.userId, individualId))) throw notTheirs();
      const results = resultsOf(transactions, readings, await recordTransactions(rows, owner));
      const { text, totals } = await writeResults(results);
      observeTotals(observe, totals);
      return jsonText(200, text);
    },

    streams: {
      mediaTypes: [ndjsonType, 'application/ndjson'],
      example: `${JSON.stringify({ individualId: 1, ...exampleTransaction })}\n`,
      handle: ({ caller, owner }, lines) =>
        recordLines(lines, caller.userId, (rows) => recordTransactions(rows, owner), observe),
    },
  });

function* resultsOf(
  sent: readonly Json[],
  readings: readonly RowReading[],
  recorded: RecordPlanResult[],
): Generator<RowResult> {
  let next = 0;
  for (const [index, reading] of readings.entries()) {
    if ('errors' in reading) {
      yield { ...claimedKey(sent[index]!), result: 'rejected', ...reading };
      continue;
    }
    yield resultOf(reading.row, recorded[next]!);
    next += 1;
  }
}

/** The number of results that are written before the event loop does other work. */
const resultsPerTurn = 250;

async function writeResults(results: Iterable<RowResult>): Promise<{ text: string; totals: Totals }> {
  const totals = noRows();
  const parts: string[] = [];
  for (const result of results) {
    totals[result.result] += 1;
    parts.push(JSON.stringify(result));
    if (parts.length % resultsPerTurn === 0) await setImmediate();
  }
  return { text: `{"results":[${parts.join(',')}]}`, totals };
}

/** The answer starts after all rows have been read: many clients send everything before they read. */
async function recordLines(
  lines: AsyncIterable<Buffer>,
  userId: number | undefined,
  record: (rows: readonly Row[]) => Promise<RecordPlanResult[]>,
  observe: Observe,
): Promise<Reply> {
  const answer = new Spill();
  let reported = 0;
  try {
    const totals = await ingest(ownRows(readNdjson(lines), userId), {
      record,
      lanes: 2,
      batch: serviceBatch,
      report(outcome) {
        reported += 1;
        if (reported <= maxReportedRows) answer.add(`${JSON.stringify(outcome)}\n`);
      },
      reportReady: () => answer.ready(),
    });
    await answer.ready();
    observeTotals(observe, totals);
    if (answer.error !== undefined) observe({ kind: 'answer-truncated', reason: causeOf(answer.error) });
    const isTruncated = reported > maxReportedRows || answer.error !== undefined;
    const last = `${JSON.stringify({ totals, ...(isTruncated && { truncated: true }) })}\n`;
    return { status: 200, body: answer.read(last), contentType: `${ndjsonType}; charset=utf-8` };
  } catch (error) {
    await answer.discard();
    throw error;
  }
}

/** A token that is bound to a user may record rows of that user only. */
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

function observeTotals(observe: Observe, totals: Totals): void {
  for (const [result, rows] of Object.entries(totals)) {
    if (rows > 0) observe({ kind: 'recorded', result, rows });
  }
}
