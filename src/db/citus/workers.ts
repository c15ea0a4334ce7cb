/** The workers of a Citus, and which of them the coordinator cannot reach. */
import type { Database } from '../database.ts';
import { errorCode, hasLostWorker, isFromPostgres, isTooLong } from '../failures.ts';

/**
 * Whether a statement failed because of a worker: SQLSTATE class 08 and 57P, sent by the coordinator. A machine that
 * answers nothing at all costs the statement its time.
 */
export function isWorkerAway(error: unknown): boolean {
  return isTooLong(error) || hasLostWorker(error) || (isFromPostgres(error) && /^(08|57P)/.test(errorCode(error)));
}

/** The groups of the workers that cannot be reached now. Each has one primary. */
export async function findAwayWorkers(db: Database): Promise<number[]> {
  const workers = await db.write`
    select groupid, nodename::text as name, nodeport as port from pg_catalog.pg_dist_node
    where noderole = 'primary' and groupid > 0`;
  const isAway = await Promise.all(
    workers.map(async ({ name, port }) => {
      try {
        const [row] = await db.write`select citus_check_connection_to_node(${name}, ${port}::int) as is_reached`;
        return !row!.is_reached;
      } catch (error) {
        if (isWorkerAway(error)) return true;
        throw error;
      }
    }),
  );
  return workers.filter((_, index) => isAway[index]).map(({ groupid }) => groupid);
}
