/** Brings the schema up to date from the numbered files in `migrations/`, forward only. */
import { readdir, readFile } from 'node:fs/promises';
import postgres from 'postgres';
import { StartError } from '../errors.ts';
import { connectionOptions, schema } from './database.ts';

const folder = new URL('../../migrations/', import.meta.url);

export interface SchemaState {
  applied: string[];
  pending: string[];
  /** Applied by a newer Ledgerline: this one does not know what they did. */
  unknown: string[];
}

export async function readSchema(url: string): Promise<SchemaState> {
  return connected(url, stateOf);
}

export async function migrate(url: string): Promise<string[]> {
  return connected(url, async (sql) => {
    await sql.unsafe(`create schema if not exists ${schema}`);
    await sql.unsafe(`
      create table if not exists ${schema}.migrations (
        name text primary key,
        applied_at timestamptz not null default now()
      )`);
    const { pending } = refuseNewer(await stateOf(sql));
    const applied: string[] = [];
    for (const name of pending) if (await apply(sql, name)) applied.push(name);
    return applied;
  });
}

export function refuseNewer(state: SchemaState): SchemaState {
  if (state.unknown.length === 0) return state;
  throw new StartError(
    `The database has been migrated by a newer Ledgerline (${state.unknown.join(', ')}). Start that one.`,
  );
}

async function apply(sql: postgres.Sql, name: string): Promise<boolean> {
  const statements = await readFile(new URL(name, folder), 'utf8');
  return sql.begin(async (transaction) => {
    // The row goes in first: of two that migrate at once the second waits here, and then has nothing to do.
    const [first] = await transaction`
      insert into migrations (name) values (${name}) on conflict do nothing returning name`;
    if (first) await transaction.unsafe(statements);
    return first !== undefined;
  });
}

async function stateOf(sql: postgres.Sql): Promise<SchemaState> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const [ledger] = await sql`select to_regclass(${`${schema}.migrations`}) is not null as present`;
  const rows = ledger?.present ? await sql`select name from migrations order by name` : [];
  const applied = rows.map(({ name }) => String(name));
  return {
    applied,
    pending: files.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !files.includes(name)),
  };
}

async function connected<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  // No limit on time: an index over millions of rows takes what it takes.
  const sql = postgres(url, { ...connectionOptions(0), max: 1 });
  try {
    await requireVersion(sql);
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function requireVersion(sql: postgres.Sql): Promise<void> {
  const [row] = await sql`select current_setting('server_version_num')::int as version`;
  if (row!.version < 150000) {
    throw new StartError(
      `DATABASE_URL leads to PostgreSQL ${Math.floor(row!.version / 10000)}; Ledgerline needs 15 or newer.`,
    );
  }
}
