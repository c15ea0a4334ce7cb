/** Connections to one database, each prepared before it is used. */
import { Socket } from 'node:net';
import postgres from 'postgres';
import { parseAddress, type DatabaseAddress, type DatabaseEndpoint } from './address.ts';
import { createRoute, type Role, type Route } from './route.ts';
import { prepareSession, startupPadding } from './session.ts';
import { failure, openSocket } from './socket.ts';
import { resendUnsent } from './unsent.ts';

export const schema = 'ledgerline';

const connectMilliseconds = 3000;

export interface PoolOptions {
  address: DatabaseAddress;
  route: Pick<Route, 'endpoint'>;
  /** How many connections. */
  max: number;
  /** 0: no limit. */
  statementSeconds: number;
  /**
   * Whether plans may read whole tables. Plans are kept, so a plan made while a table was small would still be used
   * after it has grown.
   */
  mayScan: boolean;
  /** Whether a statement keeps its first plan. Citus has no plan for parameters whose values it does not know. */
  plansOnce?: boolean;
}

/** One connection, from its login to its end. */
export interface DatabaseSession {
  readonly hasEnded: boolean;
}

export interface Pool extends postgres.Sql {
  /** Finds a session by the id of its server process, which results of the driver contain. */
  sessionOf(processId: number): DatabaseSession | undefined;
}

export function openPool({ address, route, max, statementSeconds, mayScan, plansOnce = true }: PoolOptions): Pool {
  const statements = [
    `set search_path = ${schema}`,
    `set timezone = 'UTC'`,
    // If scans are off, a plan that still has to scan a small table gets a huge cost, and PostgreSQL would compile it
    // each time, for up to two seconds.
    'set jit = off',
    `set statement_timeout = ${statementSeconds * 1000}`,
    // With a parameter in OFFSET, PostgreSQL would plan the statement each time; the generic plan is the right one
    // here.
    ...(plansOnce ? ['set plan_cache_mode = force_generic_plan'] : []),
    ...(mayScan ? [] : ['set enable_seqscan = off']),
  ].join('; ');
  const sockets = new Set<Socket>();
  const sessions = new Map<number, DatabaseSession>();
  let hasEnded = false;

  async function openPrepared(): Promise<Socket> {
    const socket = await openSocket(await route.endpoint(), address.encryption, connectMilliseconds);
    if (hasEnded) {
      socket.destroy();
      throw failure('CONNECTION_ENDED');
    }
    prepareSession(socket, { statements, withinMilliseconds: connectMilliseconds, onLogin: noteSession(socket) });
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  }

  const noteSession = (socket: Socket) => (processId: number) => {
    const session = createSession(socket);
    sessions.set(processId, session);
    socket.prependOnceListener('close', () => {
      if (sessions.get(processId) === session) sessions.delete(processId);
    });
  };

  const sql = postgres(address.driverUrl, {
    max,
    // Array types would be looked up on each connection; we write arrays as text (see `array`).
    fetch_types: false,
    ssl: false,
    // Later than our own limits, whose errors say what was waited for.
    connect_timeout: (2 * connectMilliseconds) / 1000,
    backoff: () => 0.1 + 0.2 * Math.random(),
    // Notices quote names and values, so they are not passed on.
    onnotice: () => {},
    connection: { application_name: 'ledgerline', ...startupPadding },
    // The driver forgets a connection whose socket could not be opened, but handles one whose socket breaks.
    ...{ socket: () => openPrepared().catch(brokenSocket) },
  });
  const end = sql.end.bind(sql);
  sql.end = async (options) => {
    await end(options);
    // The driver does not know a connection that is still being opened.
    hasEnded = true;
    for (const socket of sockets) socket.destroy();
  };
  return Object.assign(resendUnsent(sql), { sessionOf: (processId: number) => sessions.get(processId) });
}

function createSession(socket: Socket): DatabaseSession {
  const session = { hasEnded: false };
  // Before the driver hears of it.
  socket.prependOnceListener('close', () => (session.hasEnded = true));
  return session;
}

/** Breaks at the driver's first write: by then the driver listens to it. */
function brokenSocket(error: Error): Socket {
  const socket = new Socket();
  socket.write = () => {
    socket.destroy(error);
    return false;
  };
  return socket;
}

/** Opens the route to a database. The route finds the host to connect to: the primary, or any host. */
export function openRoute(address: DatabaseAddress, accepts: 'primary' | 'any' = 'primary'): Route {
  return createRoute({ address, accepts, askRole: (endpoint) => askRole(address, endpoint) });
}

async function askRole(address: DatabaseAddress, endpoint: DatabaseEndpoint): Promise<Role> {
  const route = { endpoint: async () => endpoint };
  const sql = openPool({ address, route, max: 1, statementSeconds: 3, mayScan: true });
  try {
    const isStandby = await readIsStandby(sql);
    return { isStandby, timeline: isStandby ? 0 : await readTimeline(sql) };
  } finally {
    await sql.end({ timeout: 0 });
  }
}

export async function readIsStandby(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql`select pg_is_in_recovery() as is_standby`;
  return row!.is_standby;
}

/**
 * The first eight digits of the name of a WAL file. Some services that are compatible with PostgreSQL do not have it.
 */
export async function readTimeline(sql: postgres.Sql): Promise<number> {
  try {
    const [row] = await sql`select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline`;
    return Number.parseInt(row!.timeline, 16);
  } catch {
    return 0;
  }
}

/** The same on a primary and its standbys. Some services that are compatible with PostgreSQL do not have it. */
export async function readSystemIdentifier(sql: postgres.Sql): Promise<string> {
  try {
    const [row] = await sql`select system_identifier::text as identifier from pg_control_system()`;
    return row!.identifier;
  } catch {
    return '';
  }
}

/** One connection to the primary, for a command or a check. The caller ends it. */
export function openConnection(url: string, statementSeconds: number): Pool {
  const address = parseAddress(url);
  return openPool({ address, route: openRoute(address), max: 1, statementSeconds, mayScan: true });
}
