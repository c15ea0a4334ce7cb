/** Sessions with one database. A session that ends is replaced when the next statement needs one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAddress, type DatabaseAddress } from './address.ts';
import { failure } from '../failures.ts';
import { openRoute, type Route } from './route.ts';
import { DatabaseSession } from './session.ts';
import { createSql, type Rows, type SentStatement, type Sql } from '../sql.ts';
import { runTransaction, type TransactionWork } from '../transaction.ts';

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
  transaction<T>(work: TransactionWork<T>): Promise<T>;
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

/** The caller ends it. */
export async function openRoutedSession(
  options: Omit<PoolOptions, 'max'>,
  isPipelined = false,
): Promise<DatabaseSession> {
  const { address, route } = options;
  return DatabaseSession.open({
    address,
    endpoint: await route.endpoint(),
    settings: settingsOf(options),
    isPipelined,
  });
}

/** The pause after a session could not be opened: the server may have no connection left for a while. */
const pauseMilliseconds = 1000;

/** Opens the sessions of a pool, and ends them with it. */
class Sessions {
  readonly #options: PoolOptions;
  readonly #isPipelined: boolean;
  readonly open = new Set<DatabaseSession>();
  #opening = 0;
  #pausedUntil = 0;
  hasEnded = false;

  constructor(options: PoolOptions, isPipelined: boolean) {
    this.#options = options;
    this.#isPipelined = isPipelined;
  }

  /** After one could not be opened, those that are open do all work for a while: each try costs the server a process. */
  get hasRoom(): boolean {
    const isPaused = this.open.size > 0 && performance.now() < this.#pausedUntil;
    return !isPaused && this.open.size + this.#opening < this.#options.max;
  }

  async add(): Promise<DatabaseSession> {
    this.#opening += 1;
    try {
      if (this.hasEnded) throw failure('CONNECTION_ENDED');
      const session = await openRoutedSession(this.#options, this.#isPipelined);
      this.open.add(session);
      return session;
    } catch (error) {
      this.#pausedUntil = performance.now() + pauseMilliseconds;
      throw error;
    } finally {
      this.#opening -= 1;
      if (this.hasEnded) this.#destroyAll();
    }
  }

  /** For a session that has ended, or must not be used again. */
  drop(session: DatabaseSession): void {
    session.destroy();
    this.open.delete(session);
  }

  /** Waits so long for what is running. */
  async end(seconds: number, running: () => Promise<unknown>): Promise<void> {
    this.hasEnded = true;
    if (seconds > 0) {
      const endAll = async () => {
        await running();
        await Promise.allSettled([...this.open].map((session) => session.end()));
      };
      await Promise.race([endAll(), sleep(seconds * 1000, undefined, { ref: false })]);
    }
    this.#destroyAll();
  }

  #destroyAll(): void {
    for (const session of this.open) session.destroy();
    this.open.clear();
  }
}

export function openSharedPool(options: PoolOptions): SharedPool {
  const sessions = new Sessions(options, true);
  const opening: { session: Promise<DatabaseSession>; waiting: number }[] = [];

  /** The open session with the fewest statements. */
  function pick(): DatabaseSession | undefined {
    let least: DatabaseSession | undefined;
    for (const session of sessions.open) {
      if (session.hasEnded) sessions.drop(session);
      else if (least === undefined || session.running < least.running) least = session;
    }
    return least;
  }

  function openAnother(): void {
    const another = { session: sessions.add(), waiting: 0 };
    opening.push(another);
    // Those that wait for it learn of a failure. The next statement tries again.
    const settle = () => void opening.splice(opening.indexOf(another), 1);
    another.session.then(settle, settle);
  }

  async function send(statement: SentStatement): Promise<Rows> {
    if (sessions.hasEnded) throw failure('CONNECTION_ENDED');
    const session = pick();
    if (session?.running !== 0 && sessions.hasRoom) openAnother();
    if (session) return session.send(statement);
    const next = opening.reduce((least, each) => (each.waiting < least.waiting ? each : least));
    next.waiting += 1;
    return (await next.session).send(statement);
  }

  return Object.assign(createSql(send), {
    end: ({ timeout }: { timeout: number }) => sessions.end(timeout, async () => undefined),
  });
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
      else if (sessions.hasRoom) {
        const added = await addIfPossible();
        if (added) return added;
      } else await new Promise<void>((resolve) => inLine.push(resolve));
    }
  }

  /** Undefined if none can be opened, but others are open: work waits for one of these. */
  async function addIfPossible(): Promise<DatabaseSession | undefined> {
    try {
      return await sessions.add();
    } catch (error) {
      if (sessions.open.size === 0) throw error;
      return undefined;
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
      transaction: <T>(work: TransactionWork<T>) => use((session) => runTransaction(session, work)),
      async end({ timeout }: { timeout: number }) {
        const ending = sessions.end(timeout, () => Promise.allSettled([...running]));
        for (const wake of inLine.splice(0)) wake();
        await ending;
      },
    },
  );
}

/** One session with the primary, for a command or a check. The caller ends it. */
export function openConnection(url: string, statementSeconds: number): Pool {
  const address = parseAddress(url);
  return openPool({ address, route: openRoute(address), max: 1, statementSeconds, mayScan: true });
}
