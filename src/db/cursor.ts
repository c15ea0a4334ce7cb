/** Reads rows in parts, at the speed of their reader, from one snapshot. */
import { cancelWhenGone, type Cancelling } from './sessions/cancel.ts';
import type { DatabaseSession } from './sessions/session.ts';
import type { DatabaseRow } from './sql.ts';

export interface StreamedStatement<T> {
  statement: string;
  parameters: (string | number | null)[];
  rowsAtOnce: number;
  read(row: DatabaseRow): T;
}

/** There is no time limit between two parts: a reader may be slow. */
const opening = 'begin read only; set local idle_in_transaction_session_timeout = 0';

/**
 * Uses a cursor of PostgreSQL, which is planned for a tenth of the rows (`cursor_tuple_fraction`): so it scans the index
 * and sorts nothing. Its transaction ends with the session.
 */
export async function* readByCursor<T>(
  session: DatabaseSession,
  { statement, parameters, rowsAtOnce, read }: StreamedStatement<T>,
  cancelling: Cancelling,
): AsyncGenerator<T[]> {
  const { sql } = session;
  const run = (text: string, values: (string | number | null)[] = []) =>
    cancelWhenGone(session, cancelling, () => sql.unsafe(text, values));
  await run(opening);
  await run(`declare listed no scroll cursor for ${statement}`, parameters);
  for (;;) {
    const rows = await run(`fetch ${rowsAtOnce} from listed`);
    if (rows.length > 0) yield rows.map(read);
    if (rows.length < rowsAtOnce) return;
  }
}
