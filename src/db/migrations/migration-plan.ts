/** What `ledgerline migrate` would do, and which tables it would lock meanwhile. Making the plan locks nothing. */
import type { Sql } from '../sql.ts';
import { readSchema, refuseUnknownContracts, selectDue, withConnection, type MigrateOptions } from './migrate.ts';
import type { Migration } from './migration-files.ts';
import { schema } from '../database.ts';
import { splitStatements } from './split-statements.ts';
import { lockOf, type TableLock } from './table-locks.ts';

export interface TableSize {
  /** An estimate, as of the last analyze. */
  rows: number;
  bytes: number;
}

export interface PlannedLock extends TableLock {
  statement: string;
  size: TableSize | undefined;
}

export interface PlannedMigration {
  migration: Migration;
  locks: PlannedLock[];
}

export interface MigrationPlan {
  due: PlannedMigration[];
  functions: string[];
  /** Contract migrations that `ledgerline migrate` leaves for `--contract`. */
  waiting: string[];
}

export async function planMigrations(
  url: string,
  { folder, withContracts = false }: MigrateOptions = {},
): Promise<MigrationPlan> {
  const state = refuseUnknownContracts(await readSchema(url, folder));
  const due = selectDue(state, withContracts);
  const sizes = await withConnection(url, readSizes);
  return {
    due: due.map((migration) => ({ migration, locks: locksOf(migration, sizes) })),
    functions: state.pendingFunctions,
    waiting: state.pending.filter((each) => !due.includes(each)).map(({ name }) => name),
  };
}

/** A table that a migration makes itself has no users yet. */
export function locksOf({ text }: Migration, sizes: ReadonlyMap<string, TableSize>): PlannedLock[] {
  return splitStatements(text).flatMap((statement) => {
    const lock = lockOf(statement);
    if (!lock || (lock.table !== undefined && !sizes.has(lock.table))) return [];
    return [{ ...lock, statement, size: lock.table === undefined ? undefined : sizes.get(lock.table) }];
  });
}

async function readSizes(sql: Sql): Promise<Map<string, TableSize>> {
  const rows = await sql`
    select relname as name, greatest(reltuples, 0)::float8 as rows, pg_table_size(oid)::float8 as bytes
    from pg_class where relnamespace = to_regnamespace(${schema}) and relkind in ('r', 'p')`;
  return new Map(rows.map(({ name, rows: count, bytes }) => [name, { rows: count, bytes }]));
}
