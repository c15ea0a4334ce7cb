/** Rows some at a time, as slow as their reader, from one snapshot. */
import type postgres from 'postgres';
import { cancelWhenGone } from './cancel.ts';
import { failure } from './socket.ts';

export interface ReadStatement {
  statement: string;
  parameters: (string | number | null)[];
  rowsAtOnce: number;
}

/** A reader may take its time between two pieces. */
const opening = 'begin read only; set local idle_in_transaction_session_timeout = 0';

/** SQLSTATE 34000: invalid_cursor_name. The session that had it has ended, and the driver has opened another. */
const noSuchCursor = '34000';

/**
 * Uses a cursor of PostgreSQL: the driver's own (postgres.js 3.4.9) writes to a session that has ended in the meantime.
 * Planned for a tenth of the rows (`cursor_tuple_fraction`), so that the index is walked along and nothing is sorted.
 * `sql` must have one connection.
 */
export async function* readByCursor(
  sql: postgres.Sql,
  { statement, parameters, rowsAtOnce }: ReadStatement,
  signal: AbortSignal | undefined,
): AsyncGenerator<postgres.Row[]> {
  await sql.unsafe(opening);
  await cancelWhenGone(sql.unsafe(`declare listed no scroll cursor for ${statement}`, parameters), signal);
  for (;;) {
    const rows = await cancelWhenGone(sql.unsafe(`fetch ${rowsAtOnce} from listed`), signal).catch(explain);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsAtOnce) return;
  }
}

function explain(error: { code?: unknown }): never {
  throw error.code === noSuchCursor ? failure('CONNECTION_CLOSED') : error;
}
