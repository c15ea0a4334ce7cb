/** Brings the schema up to date: the numbered files in `migrations/`, forward only, then the database functions. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../sql.ts';
import { StartError } from '../../errors.ts';
import { schema } from '../database.ts';
import { errorCode } from '../failures.ts';
import { applyFunctions, pendingFunctions } from './functions.ts';
import { readMigrationFiles, type Migration, type MigrationKind } from './migration-files.ts';
import { openConnection, type Pool } from '../sessions/pool.ts';
import { splitStatements } from './split-statements.ts';

export interface SchemaState {
  applied: string[];
  /** Migrations that this release has and the database lacks. */
  pending: Migration[];
  /** Function files of this release that were never applied to the database. */
  pendingFunctions: string[];
  /** Migrations that a newer release has applied; this release does not have their files. */
  unknown: { name: string; kind: MigrationKind }[];
}

export interface MigrateOptions {
  /** Also applies function definitions that were replaced since. For a developer's database only. */
  latestFunctionsWin?: boolean;
  /** Also applies `contract` migrations, which stop older nodes. A database without any migration gets them anyway. */
  withContracts?: boolean;
  /** Another folder than `migrations/`, for tests. */
  folder?: URL;
  /** How long a statement waits for a lock. All requests that need the table wait behind it. */
  lockMilliseconds?: number;
  onRetry?(migration: string, attempt: number): void;
}

/** The first of the migrations that became 0001_schema.sql before the first release. */
const unreleasedMigration = '0001_core.sql';
const unreleasedText =
  'This database was made by a Ledgerline from before version 0.2.0, whose schema cannot be upgraded. ' +
  'Export what you need with the Ledgerline that made it (`ledgerline export`). Then start with --fresh if it is the ' +
  "sandbox's own database, else with a new database in DATABASE_URL, and import it " +
  '(`ledgerline import-users`, `ledgerline import`).';

/** Any fixed number is right if every release uses the same. */
const migrateLock = 7_352_846_911;
const lockPollMilliseconds = 100;

const attemptsForLocks = 20;
const retryMilliseconds = 3000;

export async function readSchema(url: string, folder?: URL): Promise<SchemaState> {
  return withConnection(url, (sql) => readSchemaOn(sql, folder));
}

/**
 * What a node of this release needs and the database lacks. A pending `contract` is not needed: it only removes what
 * this release no longer uses.
 */
export function missingFrom({ pending, pendingFunctions: functions }: SchemaState): string[] {
  return [...pending.filter(({ kind }) => kind === 'expand').map(({ name }) => name), ...functions];
}

/** A node works on any schema, unless a newer release has removed something that it may use. */
export function refuseUnknownContracts(state: SchemaState): SchemaState {
  const contracts = state.unknown.filter(({ kind }) => kind === 'contract').map(({ name }) => name);
  if (contracts.length === 0) return state;
  throw new StartError(
    `The database has been migrated by a newer Ledgerline (${contracts.join(', ')}). Start that one.`,
  );
}

/** Refuses a schema on which this release cannot work. */
export async function requireSchema(sql: Sql): Promise<void> {
  const missing = missingFrom(refuseUnknownContracts(await readSchemaOn(sql)));
  if (missing.length > 0)
    throw new StartError(`The database lacks ${missing.join(', ')}. Run \`ledgerline migrate\` first.`);
}

/** If several run at the same time, one works and the others wait; then they find nothing to do. */
export async function runMigrations(url: string, options: MigrateOptions = {}): Promise<string[]> {
  return withConnection(url, (sql) => runMigrationsOn(sql, options));
}

/** On a connection that the caller ends; until then no other one gets its turn. */
export async function runMigrationsOn(sql: Pool, options: MigrateOptions = {}): Promise<string[]> {
  await takeTurn(sql);
  await prepareLedger(sql);
  const state = refuseUnknownContracts(await readSchemaOn(sql, options.folder));
  const due = selectDue(state, options.withContracts ?? false);
  for (const migration of due) await withLockRetries(migration, options, () => apply(sql, migration, options));
  const functions = await sql.transaction((transaction) =>
    applyFunctions(transaction, options.latestFunctionsWin ?? false),
  );
  return [...due.map(({ name }) => name), ...functions];
}

/**
 * Polls instead of waiting in the database: a session that waits there has a snapshot, and `create index concurrently`
 * waits for every snapshot that is older than its own. Both would wait forever.
 */
async function takeTurn(sql: Sql): Promise<void> {
  for (;;) {
    const [row] = await sql`select pg_try_advisory_lock(${migrateLock}) as taken`;
    if (row!.taken) return;
    await sleep(lockPollMilliseconds);
  }
}

async function prepareLedger(sql: Sql): Promise<void> {
  await sql.unsafe(`create schema if not exists ${schema}`);
  await sql.unsafe(`
    create table if not exists ${schema}.migrations (
      name text primary key,
      applied_at timestamptz not null default now(),
      kind text not null
    )`);
}

/** The order is kept: nothing is applied after a contract that was not requested. */
export function selectDue({ applied, pending }: SchemaState, withContracts: boolean): Migration[] {
  const isNew = applied.length === 0;
  const first = withContracts || isNew ? -1 : pending.findIndex(({ kind }) => kind === 'contract');
  if (first < 0) return pending;
  const behind = pending.slice(first).find(({ kind }) => kind === 'expand');
  if (behind) {
    throw new StartError(
      `${pending[first]!.name} has to be applied before ${behind.name}, and stops nodes of older releases. ` +
        'When none of them runs any more, run `ledgerline migrate --contract`.',
    );
  }
  return pending.slice(0, first);
}

/** SQLSTATE 55P03: lock_not_available, which lock_timeout raises; 40P01: deadlock_detected. */
const lockCodes = new Set(['55P03', '40P01']);

/**
 * While a statement waits for a lock, every request that needs the table waits behind it. So it gives up after a while,
 * and tries again.
 */
async function withLockRetries(
  { name }: Migration,
  { lockMilliseconds = 3000, onRetry }: MigrateOptions,
  work: () => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!lockCodes.has(errorCode(error))) throw error;
      if (attempt === attemptsForLocks) {
        throw new StartError(
          `${name} could not get its locks in ${attempt} attempts; nothing of it was applied. ` +
            'Look for long transactions in pg_stat_activity, then run `ledgerline migrate` again.',
        );
      }
      onRetry?.(name, attempt);
      await sleep(Math.min(retryMilliseconds, lockMilliseconds) * (0.5 + Math.random()));
    }
  }
}

async function apply(sql: Pool, migration: Migration, { lockMilliseconds = 3000 }: MigrateOptions) {
  const { name, kind, text } = migration;
  if (migration.isOutsideTransaction) {
    for (const statement of splitStatements(text)) await runAlone(sql, statement);
    await sql`insert into migrations (name, kind) values (${name}, ${kind})`;
    return;
  }
  await sql.transaction(async (transaction) => {
    await transaction.unsafe(`set local lock_timeout = ${lockMilliseconds}`);
    await transaction.unsafe(text);
    await transaction`insert into migrations (name, kind) values (${name}, ${kind})`;
  });
}

const concurrentIndex = /^create (?:unique )?index concurrently if not exists "?(\w+)"?/i;

/** Statements outside a transaction must allow a second run, since they run again after a failure. */
async function runAlone(sql: Sql, statement: string): Promise<void> {
  const index = concurrentIndex.exec(statement.replaceAll(/\s+/g, ' '))?.[1];
  // An interrupted run leaves an index that is updated but never used, and `if not exists` would accept it.
  const [broken] = index
    ? await sql`select from pg_index where indexrelid = to_regclass(${`${schema}.${index}`}) and not indisvalid`
    : [];
  if (broken) await sql.unsafe(`drop index concurrently ${schema}.${index}`);
  await sql.unsafe(statement);
}

export async function readSchemaOn(sql: Sql, folder?: URL): Promise<SchemaState> {
  const files = await readMigrationFiles(folder);
  const [ledger] = await sql`select to_regclass(${`${schema}.migrations`}) is not null as present`;
  const rows = ledger?.present ? await sql`select name, kind from migrations order by name` : [];
  const applied = rows.map(({ name }) => String(name));
  if (applied.includes(unreleasedMigration)) throw new StartError(unreleasedText);
  return {
    applied,
    pending: files.filter(({ name }) => !applied.includes(name)),
    pendingFunctions: await pendingFunctions(sql),
    unknown: rows
      .filter(({ name }) => !files.some((file) => file.name === name))
      .map(({ name, kind }) => ({ name: String(name), kind: kind === 'expand' ? 'expand' : 'contract' })),
  };
}

export async function withConnection<T>(url: string, work: (sql: Pool) => Promise<T>): Promise<T> {
  // No time limit: building an index over millions of rows may take long.
  const sql = openConnection(url, 0);
  try {
    await requireVersion(sql);
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function requireVersion(sql: Sql): Promise<void> {
  // Not prepared, see `isTransactionPooled`.
  const [row] = await sql.unsafe(`select current_setting('server_version_num')::int as version`);
  if (row!.version < 150000) {
    throw new StartError(
      `DATABASE_URL leads to PostgreSQL ${Math.floor(row!.version / 10000)}; Ledgerline needs 15 or newer.`,
    );
  }
}
