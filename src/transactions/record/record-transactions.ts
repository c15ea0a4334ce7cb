/** Records rows in batches, in order. A row that was sent before is a duplicate, never a second row. */
import type { Clock } from '../../values/clock.ts';
import type { Owner } from '../../sharing/slots.ts';
import { serviceBatch } from '../limits.ts';
import type { RecordPlanResult } from './record-rules.ts';
import type { RecordStore } from './record.store.ts';
import { sizeOf, type Row } from '../row.ts';

export function createRecordTransactions(store: RecordStore, clock: Clock) {
  return async function recordTransactions(rows: readonly Row[], owner?: Owner): Promise<RecordPlanResult[]> {
    const results: RecordPlanResult[] = [];
    for (const batch of batchesOf(rows)) {
      const recorded = await store.recordBatch(batch, clock.now(), owner);
      results.push(...recorded);
    }
    return results;
  };
}

function* batchesOf(rows: readonly Row[]): Generator<Row[]> {
  let batch: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    batch.push(row);
    characters += sizeOf(row);
    if (batch.length < serviceBatch.rows && characters < serviceBatch.characters) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
