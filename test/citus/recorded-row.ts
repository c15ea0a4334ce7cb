/** A row as the stores take it. */
import type { Json } from '../../src/formats/json.ts';
import { readJson } from '../../src/formats/json-reader.ts';
import { readRow, type Row } from '../../src/transactions/row.ts';
import { row } from '../harness/service.ts';

export function recordedRow(individualId: number, members: Record<string, unknown> = {}): Row {
  const reading = readRow(readJson(JSON.stringify(row(individualId, members))) as Json, '$');
  if ('errors' in reading) throw new Error(JSON.stringify(reading.errors));
  return reading.row;
}
