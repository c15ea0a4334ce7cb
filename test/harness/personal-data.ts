/** Looks for texts about a person in every column of every table. */
import type { Service } from './service.ts';

export async function tablesWith({ sql }: Pick<Service, 'sql'>, ...texts: string[]): Promise<string[]> {
  const tables = await sql`select tablename from pg_tables where schemaname = 'ledgerline' order by tablename`;
  const found: string[] = [];
  for (const { tablename } of tables) {
    const rows = await sql.unsafe(
      `select from ledgerline.${tablename} t, unnest($1::text[]) text where position(text in t::text) > 0 limit 1`,
      [texts],
    );
    if (rows.length > 0) found.push(String(tablename));
  }
  return found;
}
