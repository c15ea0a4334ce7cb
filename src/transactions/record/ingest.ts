/** A stream of rows, recorded in batches. The memory use does not depend on the number of rows. */
import { setImmediate } from 'node:timers/promises';
import type { FieldErrors } from '../../errors.ts';
import { rangeOf } from '../hash-individual.ts';
import type { BatchLimits } from '../limits.ts';
import type { RecordPlanResult } from './record-rules.ts';
import { sizeOf, type ClaimedKey, type Row, type RowReading } from '../row.ts';

/** A row as it was read, and the line it came from. */
export interface IncomingRow {
  line: number;
  reading: RowReading;
  /** The ids that a row claims if it could not be read. */
  claims?: ClaimedKey;
}

/** What became of a row. */
export interface RowResult extends ClaimedKey {
  result: RecordResultName;
  errors?: FieldErrors;
}

export interface RowOutcome extends RowResult {
  line: number;
}

export type RecordResultName = 'created' | 'duplicate' | 'updated' | 'conflict' | 'rejected';
export type Totals = Record<RecordResultName, number>;

export const noRows = (): Totals => ({ created: 0, duplicate: 0, updated: 0, conflict: 0, rejected: 0 });

export interface IngestOptions {
  /** `areLikelyNew`: all rows of the batch before were. */
  record(rows: readonly Row[], areLikelyNew: boolean): Promise<RecordPlanResult[]>;
  lanes: number;
  batch: BatchLimits;
  /** Called for each row that was neither created nor a duplicate. */
  report(outcome: RowOutcome): void;
  /** Resolves when the report can take more outcomes. */
  reportReady?(): Promise<void>;
  /** Called when rows have been recorded. */
  onProgress?(rows: number): void;
}

export async function ingest(incoming: AsyncIterable<IncomingRow[]>, options: IngestOptions): Promise<Totals> {
  const totals = noRows();
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
        // Rows of one individual stay in one lane, and so in order. Lanes never wait for each other's locks. On Citus a
        // lane has the individuals of some of the shards, since each shard in a batch needs its own statements.
        const lane = lanes[rangeOf(row.reading.row.individualId, lanes.length)]!;
        lane.add(row.line, row.reading.row);
        if (lane.isFull) await lane.flush();
      }
      await options.reportReady?.();
    }
    for (const lane of lanes) await lane.flush();
  } finally {
    // Even after a failure, no batch may still be writing when the caller continues.
    await Promise.allSettled(lanes.map((lane) => lane.settled()));
  }
  for (const lane of lanes) await lane.settled();
  return totals;
}

/** Fills one batch while the batch before it is being recorded. */
class Lane {
  readonly #options: IngestOptions;
  readonly #settle: (outcome: RowOutcome) => void;
  #lines: number[] = [];
  #rows: Row[] = [];
  #characters = 0;
  #wereNew = false;
  /** The previous batch. Its failure is kept, and thrown when the next batch is due. */
  #recording: Promise<{ error?: unknown }> = Promise.resolve({});

  constructor(options: IngestOptions, settle: (outcome: RowOutcome) => void) {
    this.#options = options;
    this.#settle = settle;
  }

  get isFull(): boolean {
    const { rows, characters } = this.#options.batch;
    return this.#rows.length >= rows || this.#characters >= characters;
  }

  add(line: number, row: Row): void {
    this.#lines.push(line);
    this.#rows.push(row);
    this.#characters += sizeOf(row);
  }

  async flush(): Promise<void> {
    const [lines, rows] = [this.#lines, this.#rows];
    this.#lines = [];
    this.#rows = [];
    this.#characters = 0;
    await this.settled();
    if (rows.length === 0) return;
    this.#recording = this.#record(lines, rows).then(
      () => ({}),
      (error: unknown) => ({ error }),
    );
  }

  async settled(): Promise<void> {
    const { error } = await this.#recording;
    if (error !== undefined) throw error;
  }

  async #record(lines: number[], rows: Row[]): Promise<void> {
    // In its own turn of the event loop: writing a batch takes about as much processor time as reading its last lines
    // did.
    await setImmediate();
    const results = await this.#options.record(rows, this.#wereNew);
    this.#wereNew = results.every((result) => result === 'created');
    results.forEach((result, index) => this.#settle({ line: lines[index]!, ...resultOf(rows[index]!, result) }));
    this.#options.onProgress?.(rows.length);
  }
}

const unknownIndividualErrors: FieldErrors = { IndividualId: ['Unknown individual.'] };

export function resultOf({ transactionId, individualId }: Row, result: RecordPlanResult): RowResult {
  return result === 'unknown-individual'
    ? { transactionId, individualId, result: 'rejected', errors: unknownIndividualErrors }
    : { transactionId, individualId, result };
}
