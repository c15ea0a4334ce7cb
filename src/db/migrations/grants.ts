/** The privileges that the role of the service needs: one table, used by `ledgerline grants`, doctor and the start. */
import type { Sql } from '../sql.ts';
import { schema } from '../database.ts';

type Privilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | 'TRUNCATE';

const readOnlyTables = new Set(['migrations', 'functions']);
const everyPrivilege: Privilege[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** A sandbox needs more, because it can be emptied. */
function tablePrivileges(table: string, isSandbox: boolean): Privilege[] {
  if (readOnlyTables.has(table)) return ['SELECT'];
  return isSandbox ? [...everyPrivilege, 'TRUNCATE'] : everyPrivilege;
}

/**
 * The statements that grant a role what the service needs. They are run after every migrate, since new tables need them
 * too.
 */
export async function grantStatements(sql: Sql, role: string): Promise<string[]> {
  const name = `"${role.replaceAll('"', '""')}"`;
  const tables = await readTables(sql);
  const byPrivileges = groupBy(tables, (table) => tablePrivileges(table, false).join(', '));
  return [
    `grant usage on schema ${schema} to ${name};`,
    ...[...byPrivileges].map(
      ([privileges, names]) =>
        `grant ${privileges.toLowerCase()} on ${names.map((table) => `${schema}.${table}`).join(', ')} to ${name};`,
    ),
    `grant usage, select, update on all sequences in schema ${schema} to ${name};`,
    `grant execute on all functions in schema ${schema} to ${name};`,
  ];
}

/** Uses one connection. */
export async function applyGrants(sql: Sql, statements: readonly string[]): Promise<void> {
  // Citus passes the statements on with the names of types as the search path shortens them, but workers have another
  // search path.
  await sql`set search_path = pg_catalog`;
  for (const statement of statements) await sql.unsafe(statement);
}

function groupBy(values: string[], keyOf: (value: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}

export interface MissingGrants {
  role: string;
  /** Such as `INSERT on messages`. */
  missing: string[];
}

/** Sequences are advanced, and set after an import. Functions are called. */
export async function missingGrants(sql: Sql, isSandbox: boolean): Promise<MissingGrants> {
  const tables = await readTables(sql);
  const wanted = tables.flatMap((table) =>
    tablePrivileges(table, isSandbox).map((privilege) => ({ table_name: table, privilege })),
  );
  const [row] = await sql`
    select current_user as role,
      coalesce(json_agg(h.privilege || ' on ' || h.name) filter (where not h.is_granted), '[]') as missing
    from (
      select w.privilege, w.table_name as name,
        has_table_privilege(${schema} || '.' || w.table_name, w.privilege) as is_granted
      from json_to_recordset(${JSON.stringify(wanted)}::text::json) as w (table_name text, privilege text)
      union all
      select w.privilege, 'the sequence ' || c.relname, has_sequence_privilege(c.oid, w.privilege)
      from pg_class c, (values ('USAGE'), ('SELECT'), ('UPDATE')) w (privilege)
      where c.relkind = 'S' and c.relnamespace = ${schema}::regnamespace
      union all
      select 'EXECUTE', 'the function ' || p.proname, has_function_privilege(p.oid, 'EXECUTE')
      from pg_proc p where p.pronamespace = ${schema}::regnamespace
    ) h`;
  return { role: row!.role, missing: row!.missing };
}

export async function hasRole(sql: Sql, role: string): Promise<boolean> {
  return (await sql`select from pg_roles where rolname = ${role}`).length > 0;
}

async function readTables(sql: Sql): Promise<string[]> {
  const rows = await sql`select tablename from pg_tables where schemaname = ${schema} order by tablename`;
  return rows.map(({ tablename }) => tablename);
}
