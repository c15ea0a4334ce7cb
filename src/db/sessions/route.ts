/** Which of several hosts to connect to: the one that is the primary now. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseAddress, DatabaseEndpoint } from './address.ts';
import { failure } from '../failures.ts';
import { valueWithin } from '../../network/give-time.ts';
import { DatabaseSession } from './session.ts';
import type { Sql } from '../sql.ts';

/** None of several hosts can be used. It has the reason of each, in the order of the URL. */
export class NoUsableHost extends Error {
  readonly code = 'NO_USABLE_HOST';
  readonly hosts: readonly { endpoint: DatabaseEndpoint; error: unknown }[];

  constructor(hosts: NoUsableHost['hosts']) {
    super('NO_USABLE_HOST');
    this.hosts = hosts;
  }
}

export interface Route {
  /** The host to connect to. Searches for it if it is not known. */
  endpoint(): Promise<DatabaseEndpoint>;
  /** Called when the endpoint may have changed its role: the next call searches again. */
  forget(): void;
}

/** How long the other hosts may still answer after the first one did: two servers may both claim to be the primary. */
const otherMilliseconds = 1000;
/** The pause after a search that found nothing, so that many connections do not cause too many searches. */
const pauseMilliseconds = 400;

/** The host with the highest rank is used. `any` is for reading from standbys: one of the hosts that answer, by chance. */
const readRank = {
  async primary(sql: Sql): Promise<number> {
    if (await readIsStandby(sql)) throw failure('25006');
    return readTimeline(sql);
  },
  any: async () => Math.random(),
};

export function openRoute(address: DatabaseAddress, accepts: keyof typeof readRank = 'primary'): Route {
  const { endpoints } = address;
  let current: DatabaseEndpoint | undefined = endpoints.length === 1 ? endpoints[0] : undefined;
  let searching: Promise<DatabaseEndpoint> | undefined;
  let lastTimeline = 0;

  async function search(): Promise<DatabaseEndpoint> {
    try {
      const { endpoint, rank } = await findBest();
      if (accepts === 'any') return endpoint;
      // An old primary that is running again lacks everything that was written since.
      if (rank < lastTimeline) throw failure('STALE_PRIMARY');
      lastTimeline = rank;
      return endpoint;
    } catch (error) {
      await sleep(pauseMilliseconds * (0.5 + Math.random()));
      throw error;
    }
  }

  async function findBest(): Promise<{ endpoint: DatabaseEndpoint; rank: number }> {
    const found: { endpoint: DatabaseEndpoint; rank: number }[] = [];
    const asked = endpoints.map(async (endpoint) => {
      found.push({ endpoint, rank: await askHost(address, endpoint, readRank[accepts]) });
    });
    try {
      await Promise.any(asked);
    } catch (error) {
      const { errors } = error as AggregateError;
      throw new NoUsableHost(endpoints.map((endpoint, index) => ({ endpoint, error: errors[index] })));
    }
    await Promise.race([Promise.allSettled(asked), sleep(otherMilliseconds)]);
    return found.reduce((best, each) => (each.rank > best.rank ? each : best));
  }

  return {
    async endpoint() {
      if (current) return current;
      searching ??= search().finally(() => (searching = undefined));
      return (current = await searching);
    },
    forget() {
      if (endpoints.length > 1) current = undefined;
    },
  };
}

const askMilliseconds = 3000;

/** Asks one host, whatever it is at the moment. One that stops answering must not hold up a search. */
export async function askHost<T>(
  address: DatabaseAddress,
  endpoint: DatabaseEndpoint,
  ask: (sql: Sql) => Promise<T>,
): Promise<T> {
  const { settings } = address;
  const session = await DatabaseSession.open({ address, endpoint, settings, isPipelined: false });
  try {
    return await inTime(ask(session.sql), askMilliseconds);
  } finally {
    session.destroy();
  }
}

/** The result of a query, or an error with the code `PROBE_TIMEOUT` if it does not come in time. */
export function inTime<T>(query: PromiseLike<T>, milliseconds: number): Promise<T> {
  return valueWithin(query, milliseconds, () => {
    throw failure('PROBE_TIMEOUT');
  });
}

export async function readIsStandby(sql: Sql): Promise<boolean> {
  const [row] = await sql`select pg_is_in_recovery() as is_standby`;
  return row!.is_standby;
}

/**
 * The first eight digits of the name of a WAL file. Some services that are compatible with PostgreSQL do not have it.
 */
export async function readTimeline(sql: Sql): Promise<number> {
  try {
    const [row] = await sql`select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline`;
    return Number.parseInt(row!.timeline, 16);
  } catch {
    return 0;
  }
}

/**
 * The cluster and the database in it: the same on a primary and its standbys, and another for a database that was
 * restored from a dump. Some services that are compatible with PostgreSQL do not have it.
 */
export async function readDatabaseId(sql: Sql): Promise<string> {
  try {
    const [row] = await sql`
      select c.system_identifier || ' ' || d.oid as id
      from pg_control_system() c, pg_database d where d.datname = current_database()`;
    return row!.id;
  } catch {
    return '';
  }
}
