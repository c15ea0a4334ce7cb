/** A stream of rows, recorded in batches. Memory stays the same however many rows come. */
import type { FieldErrors } from '../errors.ts';
import type { RecordPlanResult } from './record-rules.ts';
import type { Row, RowKey, RowReading } from './row.ts';

/** A row as it was read, and where it stood. */
export interface IncomingRow {
  line: number;
  reading: RowReading;
  /** What a row that could not be read calls itself. */
  claims?: RowKey;
}

export interface RowOutcome extends RowKey {
  line: number;
  result: RecordResultName;
  errors?: FieldErrors;
}

export type RecordResultName = 'created' | 'duplicate' | 'updated' | 'conflict' | 'rejected';
export type Totals = Record<RecordResultName, number>;

export interface IngestOptions {
  record(rows: readonly Row[]): Promise<RecordPlanResult[]>;
  lanes: number;
  batchSize: number;
  /** Called for each row that was neither created nor a duplicate. */
  report(outcome: RowOutcome): void;
  /** Called when rows have been recorded. */
  onProgress?(rows: number): void;
}

export const unknownIndividualErrors: FieldErrors = { IndividualId: ['Unknown individual.'] };

export async function ingest(incoming: AsyncIterable<IncomingRow[]>, options: IngestOptions): Promise<Totals> {
  const totals: Totals = { created: 0, duplicate: 0, updated: 0, conflict: 0, rejected: 0 };
  const lanes = Array.from({ length: options.lanes }, () => new Lane(options, settle));

  function settle(outcome: RowOutcome): void {
    totals[outcome.result] += 1;
    if (outcome.result !== 'created' && outcome.result !== 'duplicate') options.report(outcome);
  }

  try {
    for await (const rows of incoming) {
      for (const row of rows) {
        if ('errors' in row.reading) {
          settle({ line: row.line, ...row.claims!, result: 'rejected', errors: row.reading.errors });
          continue;
        }
        // Rows of one individual keep to one lane, and so to their order; lanes never wait for each other's locks.
        const lane = lanes[row.reading.row.individualId % lanes.length]!;
        lane.add(row.line, row.reading.row);
        if (lane.isFull) await lane.flush();
      }
    }
    for (const lane of lanes) await lane.flush();
  } finally {
    // Whatever failed, nothing may still be writing behind the caller's back.
    await Promise.allSettled(lanes.map((lane) => lane.settled()));
  }
  for (const lane of lanes) await lane.settled();
  return totals;
}

/** Fills one batch while the one before is on its way. */
class Lane {
  readonly #options: IngestOptions;
  readonly #settle: (outcome: RowOutcome) => void;
  #lines: number[] = [];
  #rows: Row[] = [];
  #underWay: Promise<void> = Promise.resolve();

  constructor(options: IngestOptions, settle: (outcome: RowOutcome) => void) {
    this.#options = options;
    this.#settle = settle;
  }

  get isFull(): boolean {
    return this.#rows.length >= this.#options.batchSize;
  }

  add(line: number, row: Row): void {
    this.#lines.push(line);
    this.#rows.push(row);
  }

  async flush(): Promise<void> {
    const [lines, rows] = [this.#lines, this.#rows];
    this.#lines = [];
    this.#rows = [];
    await this.#underWay;
    if (rows.length === 0) return;
    this.#underWay = this.#record(lines, rows);
    // It is awaited with the next batch; until then its failure is no surprise to anyone.
    this.#underWay.catch(() => {});
  }

  settled(): Promise<void> {
    return this.#underWay;
  }

  async #record(lines: number[], rows: Row[]): Promise<void> {
    const results = await this.#options.record(rows);
    results.forEach((result, index) => this.#settle(outcomeOf(lines[index]!, rows[index]!, result)));
    this.#options.onProgress?.(rows.length);
  }
}

function outcomeOf(line: number, { transactionId, individualId }: Row, result: RecordPlanResult): RowOutcome {
  return result === 'unknown-individual'
    ? { line, transactionId, individualId, result: 'rejected', errors: unknownIndividualErrors }
    : { line, transactionId, individualId, result };
}
