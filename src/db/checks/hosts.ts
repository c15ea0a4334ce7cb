/** What each host of a database URL is at the moment: for `ledgerline doctor`. */
import type { Sql } from '../sql.ts';
import type { DatabaseAddress, DatabaseEndpoint } from '../sessions/address.ts';
import { askHost, readDatabaseId, readIsStandby } from '../sessions/route.ts';

export interface HostState {
  isStandby: boolean;
  /** The same on a primary and its standbys; empty if the server does not provide it. */
  databaseId: string;
  /** Increases by one with every promotion; 0 if the server does not provide it. */
  timeline: number;
  /** How far the host is in the write-ahead log, in bytes; null if the server does not provide it. */
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
    address.endpoints.map(async (endpoint) => {
      try {
        return { endpoint, state: await askHost(address, endpoint, readState) };
      } catch (error) {
        return { endpoint, state: { error } };
      }
    }),
  );
}

/**
 * The name of a WAL file has the timeline of a primary in its first eight digits, and cannot be asked of a standby,
 * whose control file has it instead.
 */
const statements = {
  primary: `
    select ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int as timeline,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as position, null::float8 as seconds`,
  standby: `
    select greatest(c.timeline_id, r.min_recovery_end_timeline) as timeline,
      pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as position,
      extract(epoch from now() - pg_last_xact_replay_timestamp())::float8 as seconds
    from pg_control_checkpoint() c, pg_control_recovery() r`,
};

async function readState(sql: Sql): Promise<HostState> {
  const isStandby = await readIsStandby(sql);
  const [row] = await sql.unsafe(isStandby ? statements.standby : statements.primary);
  const { timeline, position, seconds: secondsSinceChange } = row!;
  return { isStandby, databaseId: await readDatabaseId(sql), timeline, position, secondsSinceChange };
}
