/** Reads rows in parts, at the speed of their reader, from one snapshot. */
import type postgres from 'postgres';
import { cancelWhenGone } from './cancel.ts';
import { failure } from './socket.ts';

export interface CursorStatement {
  statement: string;
  parameters: (string | number | null)[];
  rowsAtOnce: number;
}

/** There is no time limit between two parts: a reader may be slow. */
const opening = 'begin read only; set local idle_in_transaction_session_timeout = 0';

/** SQLSTATE 34000: invalid_cursor_name. The session of the cursor has ended, and the driver has opened another one. */
const noSuchCursor = '34000';

/**
 * Uses a cursor of PostgreSQL, because the driver's own (postgres.js 3.4.9) writes to a session that has ended in the
 * meantime. PostgreSQL plans it for a tenth of the rows (`cursor_tuple_fraction`), so it scans the index and sorts
 * nothing. `sql` must have one connection.
 */
export async function* readByCursor(
  sql: postgres.Sql,
  { statement, parameters, rowsAtOnce }: CursorStatement,
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
