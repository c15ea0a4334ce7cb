/**
 * After a restore, moves the ids of users and endpoints and the positions of events past those that were given out after
 * the backup. The restored database would give the same ones to others.
 */
import type { Database } from '../database.ts';
import { largestId } from '../../values/id.ts';

/** More than a service gives out between two backups. All ids are below 2,147,483,648, so 200 restores fit. */
const restoreStep = 10_000_000;

/** Endpoints are few. */
const endpointStep = 1000;

/**
 * The sequence begins again at 1 after the largest integer, where ids are in use. So some must be left: as many as a
 * service gives out before somebody sees that they run short.
 */
export const idsLeft = 1_000_000;
const lastIdAfter = largestId - idsLeft;

export interface MovedIds {
  /** The last id that the restored database has given out. */
  from: number;
  /** The id after which it continues. */
  to: number;
  hasMoved: boolean;
}

/** Moves the ids of users on to `idsAfter`, else by a step. Moves nothing if there is no room for that. */
export async function moveUserIds(db: Database, idsAfter: number | undefined): Promise<MovedIds> {
  const [row] = await db.write`select last_value::float8 - (not is_called)::int as last from user_ids`;
  const from = Number(row!.last);
  const to = idsAfter ?? from + restoreStep;
  if (to < from || to > lastIdAfter) return { from, to, hasMoved: false };
  // A service may give out ids meanwhile.
  if (to > 0) await db.write`select setval('user_ids', greatest(${to}::bigint, last_value)) from user_ids`;
  return { from, to, hasMoved: true };
}

/** Cursors that were given out after the backup stay valid, and miss no event that comes now. */
export async function moveEventPositions(db: Database): Promise<void> {
  await db.write`update event_log set last_position = last_position + ${restoreStep}`;
}

export async function moveEndpointIds(db: Database): Promise<void> {
  await db.write`select setval('webhook_endpoint_ids', last_value + ${endpointStep}) from webhook_endpoint_ids`;
}
