/** Databases on a Citus, for runs with TEST_DATABASE_URL: each is one on the coordinator and one on each worker. */
import postgres from 'postgres';
import { distributeTables } from '../../../src/db/citus/citus.ts';

/** Few, so that a database is soon made; more than workers, so that individuals are on different ones. */
const shardCount = 8;

export interface Node {
  host: string;
  port: number;
  isCoordinator: boolean;
}

/** The nodes that the database of TEST_DATABASE_URL knows; none if it is no Citus. */
export async function readNodes(sql: postgres.Sql): Promise<Node[]> {
  const [catalogue] = await sql`select to_regclass('pg_catalog.pg_dist_node') is not null as present`;
  if (!catalogue!.present) return [];
  const rows = await sql`
    select nodename, nodeport, groupid from pg_catalog.pg_dist_node where noderole = 'primary' order by groupid`;
  return rows.map(({ nodename, nodeport, groupid }) => ({
    host: nodename,
    port: nodeport,
    isCoordinator: groupid === 0,
  }));
}

/** SQLSTATE 55006: object_in_use. */
const inUse = '55006';
const attemptsInUse = 20;

/** Citus watches each database from a session of its own, which may take a while to end. */
async function whileInUse(run: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await run();
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== inUse || attempt === attemptsInUse) throw error;
    }
  }
}

/** Runs statements in a database of every node. */
export async function onNodes(url: string, nodes: Node[], database: string, statements: string[]): Promise<void> {
  for (const { host, port } of nodes) {
    const address = new URL(url);
    address.host = `${host}:${port}`;
    address.pathname = `/${database}`;
    const sql = postgres(address.href, { max: 1, onnotice: () => {} });
    try {
      for (const statement of statements) await whileInUse(() => sql.unsafe(statement));
    } finally {
      await sql.end();
    }
  }
}

/** Makes Citus know the nodes of a new database, which has the same name on each. */
export async function joinNodes(url: string, nodes: Node[], database: string): Promise<void> {
  await onNodes(url, nodes, database, ['create extension citus']);
  const workers = nodes.filter(({ isCoordinator }) => !isCoordinator);
  const coordinator = nodes.find(({ isCoordinator }) => isCoordinator)!;
  await onNodes(url, [coordinator], database, [
    `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`,
    ...workers.map(({ host, port }) => `select citus_add_node('${host}', ${port})`),
  ]);
}

export const distributeForTests = (url: string) => distributeTables(url, shardCount);

/** A database in use can be no template. */
export const leaveTemplate = (name: string) =>
  `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`;
