/** How transactions get in. Rows are applied in batches, in order; a row sent twice is a duplicate, never a second row. */
import type { Clock } from '../clock.ts';
import type { RecordPlanResult } from './record-rules.ts';
import type { Row } from './row.ts';
import type { RecordStore } from './record.store.ts';

const batchSize = 1000;

export function createRecordTransactions(store: RecordStore, clock: Clock) {
  return async function recordTransactions(rows: readonly Row[]): Promise<RecordPlanResult[]> {
    const results: RecordPlanResult[] = [];
    for (let start = 0; start < rows.length; start += batchSize) {
      results.push(...(await store.recordBatch(rows.slice(start, start + batchSize), clock.now())));
    }
    return results;
  };
}
