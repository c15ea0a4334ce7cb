/** Detects a connection pooler in transaction or statement mode, in which each transaction may get another session. */
import type { Sql } from '../sql.ts';
import { parseAddress } from '../sessions/address.ts';
import { openConnection } from '../sessions/pool.ts';
import { cannotBeUsed } from './explain-failure.ts';

/** `connections`: how many the node may open. */
export const describeTransactionPooling = (connections: number) => ({
  cause: 'it is reached through a pooler in transaction or statement mode',
  cure:
    `Set pool_mode = session in the pooler, with a default_pool_size of at least ${connections} for this node, or ` +
    `connect to PostgreSQL itself: this node opens at most ${connections} connections.`,
});

export async function refuseTransactionPooling(url: string, sql: Sql, connections: number): Promise<void> {
  if (await isTransactionPooled(url, sql))
    throw cannotBeUsed(parseAddress(url), describeTransactionPooling(connections));
}

/** Enough to be sure: such a pooler gives the most recently used session to the next client. */
const rounds = 5;

/** Of this connection and a new one. */
export async function isTransactionPooled(url: string, sql: Sql): Promise<boolean> {
  const other = openConnection(url, 5);
  try {
    return await shareSessions(sql, other);
  } finally {
    await other.end({ timeout: 1 });
  }
}

/**
 * Two connections ask in turn which session they have. With PostgreSQL itself, and with a pooler in session mode, each
 * keeps its own. In transaction or statement mode they use the same session in turn, and the settings of the service's
 * session (the search path, the statement timeout) would be lost, or would apply to other clients.
 */
export async function shareSessions(first: Sql, second: Sql): Promise<boolean> {
  const ofFirst = new Set<number>();
  const ofSecond = new Set<number>();
  for (let round = 0; round < rounds; round += 1) {
    ofFirst.add(await readSession(first));
    ofSecond.add(await readSession(second));
  }
  return ofFirst.size + ofSecond.size > 2 || new Set([...ofFirst, ...ofSecond]).size < 2;
}

/** Not prepared: in transaction mode another client may have the session in which it was prepared. */
async function readSession(sql: Sql): Promise<number> {
  const [row] = await sql.unsafe('select pg_backend_pid() as session');
  return row!.session;
}
