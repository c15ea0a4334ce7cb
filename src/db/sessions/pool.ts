/** Sessions with one database. A session that ends is replaced when the next statement needs one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAddress, type DatabaseAddress } from './address.ts';
import { failure } from '../failures.ts';
import { openRoute, type Route } from './route.ts';
import { DatabaseSession } from './session.ts';
import { createSql, type Rows, type SentStatement, type Sql } from '../sql.ts';
import { runTransaction, type TransactionWork } from '../transaction.ts';

export const schema = 'ledgerline';

interface SessionOptions {
  address: DatabaseAddress;
  route: Pick<Route, 'endpoint'>;
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

export interface PoolOptions extends SessionOptions {
  /** How many sessions. */
  max: number;
}

/** Each statement has the session for itself. */
export interface Pool extends Sql {
  /** Does work on a session that nobody else uses meanwhile. Waits if all sessions are in use. */
  use<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T>;
  transaction<T>(work: TransactionWork<T>): Promise<T>;
  /** Waits so many seconds for work that was begun. Everything else is rejected. */
  end(options: { timeout: number }): Promise<void>;
}

/** Statements of many callers share its sessions, on which they are pipelined. */
export type SharedPool = Sql & Pick<Pool, 'end'>;

function settingsOf({ address, statementSeconds, mayScan, plansOnce = true }: SessionOptions): string[] {
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
export async function openRoutedSession(options: SessionOptions, isPipelined = false): Promise<DatabaseSession> {
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
  readonly opening: Promise<DatabaseSession>[] = [];
  #pausedUntil = 0;
  hasEnded = false;

  constructor(options: PoolOptions, isPipelined: boolean) {
    this.#options = options;
    this.#isPipelined = isPipelined;
  }

  /** After one could not be opened, those that are open do all work for a while: each try costs the server a process. */
  get hasRoom(): boolean {
    const isPaused = this.open.size > 0 && performance.now() < this.#pausedUntil;
    return !isPaused && this.open.size + this.opening.length < this.#options.max;
  }

  add(): Promise<DatabaseSession> {
    const session = this.#add();
    this.opening.push(session);
    const settle = () => void this.opening.splice(this.opening.indexOf(session), 1);
    session.then(settle, settle);
    return session;
  }

  async #add(): Promise<DatabaseSession> {
    try {
      const session = await openRoutedSession(this.#options, this.#isPipelined);
      this.open.add(session);
      if (this.hasEnded) this.drop(session);
      return session;
    } catch (error) {
      this.#pausedUntil = performance.now() + pauseMilliseconds;
      throw error;
    }
  }

  /** For a session that has ended, or must not be used again. */
  drop(session: DatabaseSession): void {
    session.destroy();
    this.open.delete(session);
  }

  /** Waits so many seconds, first for the pool to be idle. */
  async end(seconds: number, untilIdle: () => Promise<void>): Promise<void> {
    this.hasEnded = true;
    const endAll = async () => {
      await untilIdle();
      await Promise.allSettled([...this.open].map((session) => session.end()));
    };
    if (seconds > 0) await Promise.race([endAll(), sleep(seconds * 1000, undefined, { ref: false })]);
    for (const session of this.open) this.drop(session);
  }
}

export function openSharedPool(options: PoolOptions): SharedPool {
  const sessions = new Sessions(options, true);

  /** The open session with the fewest statements. */
  function pick(): DatabaseSession | undefined {
    let least: DatabaseSession | undefined;
    for (const session of sessions.open) {
      if (session.hasEnded) sessions.drop(session);
      else if (least === undefined || session.running < least.running) least = session;
    }
    return least;
  }

  /** Those that wait for a session that cannot be opened use one that is open. If there is none, they learn why. */
  function orAnOpenOne(error: unknown): DatabaseSession {
    const session = pick();
    if (session) return session;
    throw error;
  }

  async function send(statement: SentStatement): Promise<Rows> {
    if (sessions.hasEnded) throw failure('CONNECTION_ENDED');
    const session = pick();
    const another = session?.running !== 0 && sessions.hasRoom ? sessions.add() : undefined;
    another?.catch(() => undefined);
    if (session) return session.send(statement);
    const { opening } = sessions;
    const next = another ?? opening[Math.floor(Math.random() * opening.length)]!;
    return (await next.catch(orAnOpenOne)).send(statement);
  }

  // The driver ends a pipelined session when its statements have their results.
  return Object.assign(createSql(send), {
    end: ({ timeout }: { timeout: number }) => sessions.end(timeout, async () => {}),
  });
}

export function openPool(options: PoolOptions): Pool {
  const sessions = new Sessions(options, false);
  const idle: DatabaseSession[] = [];
  const inLine: (() => void)[] = [];
  const standInLine = () => new Promise<void>((resolve) => inLine.push(resolve));

  async function acquire(): Promise<DatabaseSession> {
    for (;;) {
      if (sessions.hasEnded) throw failure('CONNECTION_ENDED');
      const session = idle.pop();
      if (session && !session.hasEnded) return session;
      if (session) sessions.drop(session);
      else if (sessions.hasRoom) {
        const added = await addIfPossible();
        if (added) return added;
      } else await standInLine();
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

  async function use<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T> {
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

  const untilIdle = async () => {
    while (idle.length < sessions.open.size) await standInLine();
  };

  return Object.assign(
    createSql((statement) => use((session) => session.send(statement))),
    {
      use,
      transaction: <T>(work: TransactionWork<T>) => use((session) => runTransaction(session, work)),
      async end({ timeout }: { timeout: number }) {
        const ending = sessions.end(timeout, untilIdle);
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
