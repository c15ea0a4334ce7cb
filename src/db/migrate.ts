/** Brings the schema up to date: the numbered files in `migrations/`, forward only, then the database functions. */
import { readdir, readFile } from 'node:fs/promises';
import postgres from 'postgres';
import { StartError } from '../errors.ts';
import { connectionOptions, schema } from './database.ts';
import { applyFunctions, pendingFunctions } from './functions.ts';

const folder = new URL('../../migrations/', import.meta.url);

export interface SchemaState {
  applied: string[];
  /** Migrations and function files that this release has and the database lacks. */
  pending: string[];
  /** Applied by a newer Ledgerline: this one does not know what they did. */
  unknown: string[];
}

export interface MigrateOptions {
  /** Puts back function definitions that the database has left behind. For a developer's database only. */
  latestFunctionsWin?: boolean;
}

/** Any fixed number does, as long as every release uses the same. */
const migrateLock = 7_352_846_911;

export async function readSchema(url: string): Promise<SchemaState> {
  return connected(url, async (sql) => {
    const { applied, pending, unknown } = await readMigrations(sql);
    return { applied, pending: [...pending, ...(await pendingFunctions(sql))], unknown };
  });
}

/** Of several that run at once, one works and the others wait; then they find nothing to do. */
export async function migrate(url: string, { latestFunctionsWin = false }: MigrateOptions = {}): Promise<string[]> {
  return connected(url, async (sql) => {
    await sql`select pg_advisory_lock(${migrateLock})`;
    await sql.unsafe(`create schema if not exists ${schema}`);
    await sql.unsafe(`
      create table if not exists ${schema}.migrations (
        name text primary key,
        applied_at timestamptz not null default now()
      )`);
    const { pending } = refuseNewer(await readMigrations(sql));
    for (const name of pending) await applyMigration(sql, name);
    const functions = await sql.begin((transaction) => applyFunctions(transaction, latestFunctionsWin));
    return [...pending, ...functions];
  });
}

export function refuseNewer(state: SchemaState): SchemaState {
  if (state.unknown.length === 0) return state;
  throw new StartError(
    `The database has been migrated by a newer Ledgerline (${state.unknown.join(', ')}). Start that one.`,
  );
}

async function applyMigration(sql: postgres.Sql, name: string): Promise<void> {
  const statements = await readFile(new URL(name, folder), 'utf8');
  await sql.begin(async (transaction) => {
    await transaction.unsafe(statements);
    await transaction`insert into migrations (name) values (${name})`;
  });
}

async function readMigrations(sql: postgres.Sql): Promise<SchemaState> {
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
