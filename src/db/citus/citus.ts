/**
 * Citus: which tables are distributed, and whether they are in a database. A database that has the extension, but no
 * distributed tables, behaves like any other PostgreSQL. Why these tables: docs/citus.md.
 */
import type { Sql } from '../sql.ts';
import { StartError } from '../../errors.ts';
import { openDatabase, type Database, type DatabaseOptions, type DatabaseTransaction } from '../database.ts';
import { requireSchema, withConnection } from '../migrations/migrate.ts';
import { openConnection, schema, type Pool } from '../sessions/pool.ts';

export interface DistributedTable {
  table: string;
  /** The column with the individual, by which rows are placed. */
  column: string;
}

/** Tables that grow with an individual and are written in its transactions. All others stay on the coordinator. */
export const distributedTables: readonly DistributedTable[] = [
  { table: 'transactions', column: 'individual_id' },
  { table: 'transaction_details', column: 'individual_id' },
  { table: 'transaction_history', column: 'individual_id' },
  { table: 'transaction_blocks', column: 'individual_id' },
  { table: 'user_event_outbox', column: 'user_id' },
  { table: 'users', column: 'id' },
];

/** Opens a database with the statements that fit it: those for distributed tables, or those for one PostgreSQL. */
export async function openDetected(options: Omit<DatabaseOptions, 'isDistributed'>): Promise<Database> {
  const sql = openConnection(options.url, detectSeconds);
  try {
    return openDatabase({ ...options, isDistributed: await detect(sql) });
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Either all of the tables are distributed or none: the statements support only these two cases. */
async function detect(sql: Sql): Promise<boolean> {
  const found = await readDistributed(sql);
  const missing = distributedTables.map(({ table }) => table).filter((table) => !found.includes(table));
  if (found.length > 0 && missing.length > 0)
    throw new StartError(`Not distributed yet: ${missing.join(', ')}. Run \`ledgerline distribute\` again.`);
  return found.length > 0;
}

const detectSeconds = 10;

/** The names of the tables that are distributed. */
async function readDistributed(sql: Sql): Promise<string[]> {
  const [catalogue] = await sql`select to_regclass('pg_catalog.pg_dist_partition') is not null as present`;
  if (!catalogue!.present) return [];
  const rows = await sql`
    select c.relname as name from pg_catalog.pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where c.relnamespace = to_regnamespace(${schema}) and p.partmethod = 'h'`;
  return rows.map(({ name }) => String(name));
}

export interface Distribution {
  /** Tables that were distributed now, with the number of rows that were moved. */
  distributed: { table: string; rows: number }[];
  /** Tables that were distributed before. */
  present: string[];
  /** Tables that stay on the coordinator. */
  local: string[];
  workers: number;
  shards: number;
}

/**
 * Distributes the tables that are not distributed yet, each with its rows. Each table is a separate step, so that the
 * finished steps remain if a later one fails, and the next run continues from there. No node may run meanwhile.
 */
export async function distributeTables(url: string, shardCount: number): Promise<Distribution> {
  return withConnection(url, async (sql) => {
    await requireSchema(sql);
    await requireExtension(sql);
    const present = await readDistributed(sql);
    const distributed: Distribution['distributed'] = [];
    for (const { table, column } of distributedTables) {
      if (present.includes(table)) continue;
      distributed.push({ table, rows: await distributeTable(sql, { table, column }, shardCount) });
    }
    return { distributed, present, ...(await readLayout(sql)) };
  });
}

async function requireExtension(sql: Sql): Promise<void> {
  const rows = await sql`select from pg_extension where extname = 'citus'`;
  if (rows.length > 0) return;
  throw new StartError('The database has no Citus: run `create extension citus` in it, as docs/citus.md says.');
}

/** The existing rows are copied to the shards, and then removed from the coordinator. */
async function distributeTable(sql: Pool, { table, column }: DistributedTable, shardCount: number) {
  const name = `${schema}.${table}`;
  const anchor = `${schema}.${distributedTables[0]!.table}`;
  const [count] = await sql.unsafe(`select count(*)::float8 as rows from ${name}`);
  await sql.transaction(async (transaction) => {
    if (table === 'user_event_outbox') await numberByEvents(transaction);
    await (name === anchor
      ? transaction`select create_distributed_table(${name}, ${column}, colocate_with => 'none', shard_count => ${shardCount})`
      : transaction`select create_distributed_table(${name}, ${column}, colocate_with => ${anchor})`);
  });
  if (count!.rows > 0) await sql`select truncate_local_data_after_distributing_table(${name}::text::regclass)`;
  return Number(count!.rows);
}

/**
 * On the workers the number in the outbox is the event's own sequence number: see docs/decisions/0004-events.md. It
 * takes two steps, since keys are unique.
 */
async function numberByEvents(sql: DatabaseTransaction): Promise<void> {
  await sql`
    update user_event_outbox set id = -1 - case when type = 'user.created' then 0 else sequence end`;
  await sql`update user_event_outbox set id = -1 - id`;
}

async function readLayout(sql: Sql): Promise<Pick<Distribution, 'local' | 'workers' | 'shards'>> {
  const distributed = new Set(await readDistributed(sql));
  const tables = await sql`select tablename from pg_tables where schemaname = ${schema} order by tablename`;
  const [nodes] = await sql`select count(*)::int as workers from citus_get_active_worker_nodes()`;
  const [shards] = await sql`
    select count(*)::int as shards from pg_catalog.pg_dist_shard where logicalrelid = to_regclass(${`${schema}.users`})`;
  return {
    local: tables.map(({ tablename }) => String(tablename)).filter((table) => !distributed.has(table)),
    workers: nodes!.workers,
    shards: shards!.shards,
  };
}

export interface CitusNode {
  name: string;
  /** Null if the coordinator cannot reach the node. */
  settings: { walLevel: string; preparedTransactions: number; synchronousCommit: string } | null;
}

/** The coordinator and the workers; none if no table is distributed. */
export async function readNodeSettings(sql: Sql): Promise<CitusNode[]> {
  if ((await readDistributed(sql)).length === 0) return [];
  const rows = await sql`
    select n.nodename || ':' || n.nodeport as name, r.success, r.result
    from run_command_on_all_nodes($$select json_build_object('walLevel', current_setting('wal_level'),
      'preparedTransactions', current_setting('max_prepared_transactions')::int,
      'synchronousCommit', current_setting('synchronous_commit'))$$,
      give_warning_for_connection_errors => true) r
    join pg_catalog.pg_dist_node n on n.nodeid = r.nodeid order by n.groupid`;
  return rows.map(({ name, success, result }) => ({ name, settings: success ? JSON.parse(result) : null }));
}
