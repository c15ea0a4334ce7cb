/**
 * Applies the database functions: one current definition per file in `src/db/functions/`, applied again when its
 * content is new. Every digest that was ever applied is kept, so that an older node, whose definitions are already
 * known to the database, never replaces newer definitions.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Sql } from '../sql.ts';
import { packageRoot } from '../../package-root.ts';
import { schema } from '../database.ts';

const folder = new URL('src/db/functions/', packageRoot);

interface FunctionFile {
  name: string;
  text: string;
  digest: string;
}

/**
 * Files whose content was never applied to this database. A node that has such files must not serve before they are
 * applied.
 */
export async function pendingFunctions(sql: Sql): Promise<string[]> {
  const seen = await readApplied(sql);
  return readFiles()
    .filter(({ name, digest }) => !seen.get(name)?.includes(digest))
    .map(({ name }) => name);
}

/**
 * Applies the pending files. With `latestWins` it also applies a definition that was replaced since. That is right for
 * a developer's sandbox after an edit is undone, and wrong for a production database with newer nodes.
 */
export async function applyFunctions(sql: Sql, latestWins: boolean): Promise<string[]> {
  const seen = await readApplied(sql);
  const isDue = ({ name, digest }: FunctionFile) =>
    latestWins ? seen.get(name)?.at(-1) !== digest : !seen.get(name)?.includes(digest);
  const due = readFiles().filter(isDue);
  // Functions may call each other in any order of their files.
  await sql`set local check_function_bodies = off`;
  for (const { name, text, digest } of due) {
    await sql.unsafe(text);
    await sql`insert into functions (name, digest) values (${name}, ${digest})`;
  }
  return due.map(({ name }) => name);
}

/** The digests by file, oldest first. */
async function readApplied(sql: Sql): Promise<Map<string, string[]>> {
  const [ledger] = await sql`select to_regclass(${`${schema}.functions`}) is not null as present`;
  const rows = ledger?.present ? await sql`select name, digest from functions order by id` : [];
  const byName = new Map<string, string[]>();
  for (const { name, digest } of rows) byName.set(name, [...(byName.get(name) ?? []), digest]);
  return byName;
}

/** Synchronous: dozens of small files take a tenth of the processor time, and nothing is served yet. */
function readFiles(): FunctionFile[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    return { name, text, digest: createHash('sha256').update(text).digest('hex') };
  });
}
