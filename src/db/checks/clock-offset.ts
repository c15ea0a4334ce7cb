/**
 * The difference between the clock of the database and that of this machine. Nodes share limits and codes, and so must
 * agree on the time.
 */
import type { Sql } from '../database.ts';

/** A smaller difference can be caused by the round trip of the measurement. */
export const tolerableSeconds = 2;

export async function readClockOffset(sql: Sql): Promise<number> {
  const before = Date.now();
  const [row] = await sql`select extract(epoch from clock_timestamp())::float8 * 1000 as now`;
  const after = Date.now();
  const theirs = row!.now as number;
  return (theirs < before ? theirs - before : Math.max(0, theirs - after)) / 1000;
}

export function describeOffset(seconds: number): string {
  return `${Math.abs(seconds).toFixed(1)} s ${seconds < 0 ? 'ahead of' : 'behind'} the clock of the database`;
}
