/** What each host of a database URL is at the moment: for `ledgerline doctor`. */
import type { Sql } from '../sql.ts';
import type { DatabaseAddress, DatabaseEndpoint } from '../sessions/address.ts';
import { askHost, readDatabaseId } from '../sessions/route.ts';

export interface HostState {
  isStandby: boolean;
  /** The same on a primary and its standbys; empty if the server does not provide it. */
  databaseId: string;
  /** Increases by one with every promotion. */
  timeline: number;
  /** How far the host is in the write-ahead log, in bytes; null if a standby has applied nothing of it. */
  position: number | null;
  /** Of a standby: how long ago the last transaction was that it has applied; null if it has applied none. */
  secondsSinceChange: number | null;
}

export interface Host {
  endpoint: DatabaseEndpoint;
  /** Its state, or why it cannot be asked. */
  state: HostState | { error: unknown };
}

export function readHosts(address: DatabaseAddress): Promise<Host[]> {
  return Promise.all(
    address.endpoints.map(async (endpoint) => ({
      endpoint,
      state: await askHost(address, endpoint, readState).catch((error: unknown) => ({ error })),
    })),
  );
}

/**
 * The name of a WAL file has the timeline of a primary in its first eight digits, and cannot be asked of a standby,
 * whose control file has it instead.
 */
async function readState(sql: Sql): Promise<HostState> {
  const [row] = await sql`
    select s.is_standby as "isStandby",
      case when s.is_standby
        then (select greatest(c.timeline_id, r.min_recovery_end_timeline) from pg_control_checkpoint() c, pg_control_recovery() r)
        else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int end as timeline,
      pg_wal_lsn_diff(case when s.is_standby then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, '0/0')::float8
        as position,
      case when s.is_standby then extract(epoch from now() - pg_last_xact_replay_timestamp())::float8 end
        as "secondsSinceChange"
    from pg_is_in_recovery() as s (is_standby)`;
  return { ...(row as Omit<HostState, 'databaseId'>), databaseId: await readDatabaseId(sql) };
}
