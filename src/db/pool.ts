/** Sessions with one database. A session that ends is replaced when the next statement needs one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAddress, type DatabaseAddress, type DatabaseEndpoint } from './address.ts';
import { createRoute, type Role, type Route } from './route.ts';
import { openDatabaseSession, type DatabaseSession } from './session.ts';
import { failure } from './socket.ts';
import { createSql, type Rows, type SentStatement, type Sql } from './sql.ts';
import { runTransaction, type TransactionWork } from './transaction.ts';

export const schema = 'ledgerline';

export interface PoolOptions {
  address: DatabaseAddress;
  route: Pick<Route, 'endpoint'>;
  /** How many sessions. */
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

/** Each statement has the session for itself. */
export interface Pool extends Sql {
  /** Does work on a session that nobody else uses meanwhile. Waits if all sessions are in use. */
  use<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T>;
  transaction<T>(work: TransactionWork<T>, mode?: string): Promise<T>;
  /** Waits so long for work that was begun. Everything else is rejected. */
  end(options: { timeout: number }): Promise<void>;
}

/** Statements of many callers share its sessions, on which they are pipelined. */
export type SharedPool = Sql & Pick<Pool, 'end'>;

function settingsOf({ address, statementSeconds, mayScan, plansOnce = true }: Omit<PoolOptions, 'max'>): string[] {
  return [
    ...address.settings,
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
  ];
}

/** A session outside of a pool. The caller ends it. */
export async function openOwnSession(options: Omit<PoolOptions, 'max'>): Promise<DatabaseSession> {
  const { address, route } = options;
  return openDatabaseSession({
    address,
    endpoint: await route.endpoint(),
    settings: settingsOf(options),
    isPipelined: false,
  });
}

/** Opens the sessions of a pool, and ends them with it. */
class Sessions {
  readonly #options: PoolOptions;
  readonly #isPipelined: boolean;
  readonly #settings: string[];
  readonly #open = new Set<DatabaseSession>();
  #opening = 0;
  hasEnded = false;

  constructor(options: PoolOptions, isPipelined: boolean) {
    this.#options = options;
    this.#isPipelined = isPipelined;
    this.#settings = settingsOf(options);
  }

  get hasRoom(): boolean {
    return this.#open.size + this.#opening < this.#options.max;
  }

  async open(): Promise<DatabaseSession> {
    const { address, route } = this.#options;
    this.#opening += 1;
    try {
      if (this.hasEnded) throw failure('CONNECTION_ENDED');
      const endpoint = await route.endpoint();
      const options = { address, endpoint, settings: this.#settings, isPipelined: this.#isPipelined };
      const session = await openDatabaseSession(options);
      this.#open.add(session);
      return session;
    } finally {
      this.#opening -= 1;
      if (this.hasEnded) this.#destroyAll();
    }
  }

  /** For a session that has ended, or must not be used again. */
  drop(session: DatabaseSession): void {
    session.destroy();
    this.#open.delete(session);
  }

  /** Waits so long for what is running. */
  async end(seconds: number, running: () => Promise<unknown>): Promise<void> {
    this.hasEnded = true;
    if (seconds > 0) {
      const endAll = async () => {
        await running();
        await Promise.allSettled([...this.#open].map((session) => session.end()));
      };
      await Promise.race([endAll(), sleep(seconds * 1000, undefined, { ref: false })]);
    }
    this.#destroyAll();
  }

  #destroyAll(): void {
    for (const session of this.#open) session.destroy();
    this.#open.clear();
  }
}

export function openSharedPool(options: PoolOptions): SharedPool {
  const sessions = new Sessions(options, true);
  const open: DatabaseSession[] = [];
  const opening: { session: Promise<DatabaseSession>; waiting: number }[] = [];

  /** The open session with the fewest statements. */
  function pick(): DatabaseSession | undefined {
    for (const session of open.filter(({ hasEnded }) => hasEnded)) {
      sessions.drop(session);
      open.splice(open.indexOf(session), 1);
    }
    return leastOf(open, ({ running }) => running);
  }

  function openAnother(): void {
    const another = { session: sessions.open(), waiting: 0 };
    opening.push(another);
    // Those that wait for it learn of a failure. The next statement tries again.
    const settle = () => void opening.splice(opening.indexOf(another), 1);
    another.session.then((session) => open.push(session)).then(settle, settle);
  }

  async function send(statement: SentStatement): Promise<Rows> {
    if (sessions.hasEnded) throw failure('CONNECTION_ENDED');
    const session = pick();
    if (session?.running !== 0 && sessions.hasRoom) openAnother();
    if (session) return session.send(statement);
    const next = leastOf(opening, ({ waiting }) => waiting)!;
    next.waiting += 1;
    return (await next.session).send(statement);
  }

  return Object.assign(createSql(send), {
    end: ({ timeout }: { timeout: number }) => sessions.end(timeout, async () => undefined),
  });
}

function leastOf<T>(items: readonly T[], valueOf: (item: T) => number): T | undefined {
  let least: T | undefined;
  for (const item of items) if (least === undefined || valueOf(item) < valueOf(least)) least = item;
  return least;
}

export function openPool(options: PoolOptions): Pool {
  const sessions = new Sessions(options, false);
  const idle: DatabaseSession[] = [];
  const inLine: (() => void)[] = [];
  const running = new Set<Promise<unknown>>();

  async function acquire(): Promise<DatabaseSession> {
    for (;;) {
      if (sessions.hasEnded) throw failure('CONNECTION_ENDED');
      const session = idle.pop();
      if (session && !session.hasEnded) return session;
      if (session) sessions.drop(session);
      else if (sessions.hasRoom) return sessions.open();
      else await new Promise<void>((resolve) => inLine.push(resolve));
    }
  }

  function release(session: DatabaseSession): void {
    if (session.hasEnded || session.isInTransaction) sessions.drop(session);
    else idle.push(session);
  }

  async function doWork<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T> {
    try {
      const session = await acquire();
      try {
        return await work(session);
      } finally {
        release(session);
      }
    } finally {
      inLine.shift()?.();
    }
  }

  async function use<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T> {
    const done = doWork(work);
    running.add(done);
    try {
      return await done;
    } finally {
      running.delete(done);
    }
  }

  return Object.assign(
    createSql((statement) => use((session) => session.send(statement))),
    {
      use,
      transaction: <T>(work: TransactionWork<T>, mode?: string) =>
        use((session) => runTransaction(session, work, mode)),
      async end({ timeout }: { timeout: number }) {
        const ending = sessions.end(timeout, () => Promise.allSettled([...running]));
        for (const wake of inLine.splice(0)) wake();
        await ending;
      },
    },
  );
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

/** One session with the primary, for a command or a check. The caller ends it. */
export function openConnection(url: string, statementSeconds: number): Pool {
  const address = parseAddress(url);
  return openPool({ address, route: openRoute(address), max: 1, statementSeconds, mayScan: true });
}
