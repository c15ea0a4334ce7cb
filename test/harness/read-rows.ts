/** The rows that `ledgerline import` reads from a file with this content, without a database. */
import { readerOf, type FormatOptions } from '../../src/cli/import-options.ts';
import type { IncomingRow } from '../../src/transactions/record/ingest.ts';

export async function readRows(
  content: string | Buffer,
  options: FormatOptions = {},
  file = 'rows.csv',
): Promise<IncomingRow[]> {
  async function* chunks() {
    if (content.length > 0) yield Buffer.from(content);
  }
  const rows: IncomingRow[] = [];
  for await (const some of readerOf(file, options)(chunks())) rows.push(...some);
  return rows;
}

/** The individual of each row, or why it was refused. */
export function individualsOf(rows: IncomingRow[]) {
  return rows.map(({ reading }) => ('row' in reading ? reading.row.individualId : reading.errors));
}
