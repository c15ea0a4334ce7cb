/** The connections to PostgreSQL: a pool for each kind of work, and a probe that watches the server. */
import { CallerGone, databaseAway } from '../errors.ts';
import { SharedStreams } from '../sharing/shared-streams.ts';
import { serviceItself, Slots, type Owner } from '../sharing/slots.ts';
import { parseAddress } from './sessions/address.ts';
import { cancelSession, cancelWhenGone, type Cancelling } from './sessions/cancel.ts';
import { readByCursor, type StreamedStatement } from './cursor.ts';
import { explainFault } from './checks/explain-failure.ts';
import { errorCode, failure } from './failures.ts';
import { openPool, openRoutedSession, openSharedPool, type Pool } from './sessions/pool.ts';
import { inTime, openRoute, readIsStandby } from './sessions/route.ts';
import type { DatabaseSession } from './sessions/session.ts';
import { createSql, type DatabaseRow, type Sql } from './sql.ts';
import { runTransaction, type TransactionWork } from './transaction.ts';

export { schema } from './sessions/pool.ts';
export { arrayLiteral as array } from '../formats/sql-literals.ts';
export type { DatabaseRow, Sql, Statement } from './sql.ts';
export type { DatabaseTransaction } from './transaction.ts';

export interface DatabaseOptions {
  url: string;
  connections: number;
  statementSeconds: number;
  /** Whether the tables of individuals are distributed over the nodes of a Citus: see `openDetected`. */
  isDistributed?: boolean;
  /** `any`: a standby is accepted too, since nothing is written. */
  accepts?: 'primary' | 'any';
  /** Maximum number of streams at the same time, each on its own connection. */
  streams?: number;
  /** Runs work while its caller waits for a slot or for a long statement. */
  whileWaiting?<T>(work: () => Promise<T>, owner: Owner): Promise<T>;
  /** Whether nobody would notice for a few seconds that the database is away. Then it is probed less often. */
  isIdle?(): boolean;
  idleProbeMilliseconds?: number;
  onChange?(available: boolean, cause?: string): void;
}

export interface Database {
  /** Whether the tables of individuals are distributed. Then a statement about several of them is for one shard. */
  readonly isDistributed: boolean;
  /** For statements that read a few rows by key. They are pipelined over few connections, which cause less work. */
  readonly read: Sql;
  /** For statements that write by key. They have more connections, on which they wait for the disk in parallel. */
  readonly write: Sql;
  /** For a statement that may take long. It has its own connection, and is cancelled when its caller leaves. */
  long<T>(work: (sql: Sql) => PromiseLike<T>, owner?: Owner): Promise<T>;
  /** The same for a statement whose best plan depends on its values: it is planned each time. */
  planned<T>(work: (sql: Sql) => PromiseLike<T>, owner?: Owner): Promise<T>;
  /** For several short reads that must see the same snapshot. */
  snapshot<T>(work: (read: ReadStatement) => Promise<T>, owner?: Owner): Promise<T>;
  /** For several writes. They never wait for long reads. */
  transaction<T>(work: TransactionWork<T>, owner?: Owner): Promise<T>;
  /** The rows of a statement, in parts, on its own connection and at the speed of the reader. */
  stream<T>(streamed: StreamedStatement<T>, owner?: Owner): AsyncIterable<T[]>;
  readonly available: boolean;
  /** The running and waiting work, by kind. */
  readonly use: Readonly<
    Record<'long' | 'transactions' | 'streams', Pick<Slots, 'running' | 'waiting' | 'findRefusal'>>
  >;
  close(): Promise<void>;
}

/** Runs one statement of a snapshot. It is cancelled when its caller leaves. */
export type ReadStatement = (statement: string, parameters: (string | number | null)[]) => Promise<DatabaseRow[]>;

/** The mode of a transaction whose reads all see the same snapshot. */
const sameSnapshot = 'isolation level repeatable read read only';

/** Each stream keeps a connection and a snapshot until its reader has finished. */
const defaultStreams = 8;

/**
 * Maximum number of pieces of work of a kind that wait for a connection, each at most as long as a statement may take.
 * Processes divide the connections, and so the waiting places too: otherwise the wait would be longer with each process.
 * With fewer than the minimum, a browser's six requests at a time would be too many for one user.
 */
const maxWaiting = 256;
const minWaiting = 128;
const waitingForEach = 16;
const longestWaitSeconds = 600;

const probeMilliseconds = 500;
/**
 * A virtual machine may stand still for two or three seconds, while it is moved to another host for example. Giving up
 * sooner would end all work for it.
 */
const probeTimeoutMilliseconds = 5000;

/** SQLSTATE 53300: too_many_connections. */
const noConnectionLeft = '53300';

/** Varied at random, so that many nodes do not ask at the same time. */
const jittered = (milliseconds: number) => milliseconds * (0.75 + Math.random() / 2);

export function openDatabase(options: DatabaseOptions): Database {
  const { statementSeconds, accepts = 'primary', isDistributed = false } = options;
  const { idleProbeMilliseconds = probeMilliseconds } = options;
  const address = parseAddress(options.url);
  const route = openRoute(address, accepts);
  const common = { address, route, statementSeconds, plansOnce: !isDistributed };
  const shares = shareConnections(options.connections);
  // Transactions write by key too.
  const open = () => ({
    read: openSharedPool({ ...common, mayScan: false, max: shares.read }),
    write: openSharedPool({ ...common, mayScan: false, max: shares.write }),
    long: openPool({ ...common, mayScan: true, max: shares.long }),
    transactions: openPool({ ...common, mayScan: false, max: shares.transactions }),
  });
  const openProbe = () => openPool({ ...common, mayScan: true, max: 1 });
  const waitMilliseconds = (options.statementSeconds || longestWaitSeconds) * 1000;
  const waiting = Math.max(minWaiting, Math.min(maxWaiting, waitingForEach * options.connections));
  const inLine = { waiting, waitMilliseconds, retrySeconds: 1 };
  const longSlots = new Slots({ slots: shares.long, ...inLine });
  const transactionSlots = new Slots({ slots: shares.transactions, ...inLine });
  const sharedStreams = new SharedStreams(options.streams ?? defaultStreams);
  const whileWaiting = options.whileWaiting ?? ((work) => work());
  const streams = new Set<DatabaseSession>();
  let pools: ReturnType<typeof open> | undefined = open();
  let probe = openProbe();
  let closing = false;

  function away(cause: string): void {
    route.forget();
    if (!pools) return;
    // Ending the pools rejects all work that waits in them; new pools are opened when the database is back.
    const ended = Object.values(pools);
    pools = undefined;
    for (const sql of ended) endNow(sql);
    // They have no time limit: on a host that is gone they would wait until TCP gives up.
    for (const session of streams) session.destroy();
    options.onChange?.(false, cause);
  }

  /** If the server has no connection left for the probe, those of the pools are still of use. */
  async function askRole(): Promise<boolean> {
    const ask = (sql: Sql) => inTime(readIsStandby(sql), probeTimeoutMilliseconds);
    try {
      return await ask(probe);
    } catch (error) {
      if (!pools || errorCode(error) !== noConnectionLeft) throw error;
      return ask(pools.read);
    }
  }

  async function look(): Promise<void> {
    try {
      const isStandby = await askRole();
      // A standby answers every read, and refuses every write.
      if (isStandby && accepts === 'primary') throw failure('25006');
      if (pools || closing) return;
      pools = open();
      options.onChange?.(true);
    } catch (error) {
      if (closing) return;
      away(explainFault(error, address).cause);
      // Its connection may hang forever if the network no longer delivers packets, or may lead to a server that is a
      // standby now.
      endNow(probe);
      probe = openProbe();
    }
  }

  let timer: NodeJS.Timeout | undefined;
  function watch(): void {
    const pause = pools && options.isIdle?.() ? idleProbeMilliseconds : probeMilliseconds;
    timer = setTimeout(() => void look().finally(() => closing || watch()), jittered(pause)).unref();
  }
  watch();

  const cancel: Cancelling['cancel'] = async (session) => cancelSession(pool('read'), session);

  /** Does work on a session for long statements, when there is one for its owner. */
  function inLongSlot<T>(owner: Owner, work: (session: DatabaseSession) => PromiseLike<T>): Promise<T> {
    const { signal } = owner;
    const inSlot = () =>
      pool('long').use((session) => cancelWhenGone(session, { signal, cancel }, () => work(session)));
    return whileWaiting(() => longSlots.run(owner, inSlot), owner);
  }

  function pool<Name extends keyof ReturnType<typeof open>>(name: Name): ReturnType<typeof open>[Name] {
    if (!pools) throw databaseAway();
    return pools[name];
  }

  return {
    isDistributed,
    get read() {
      return pool('read');
    },
    get write() {
      return pool('write');
    },
    long: (work, owner = serviceItself) => inLongSlot(owner, ({ sql }) => work(sql)),
    planned: (work, owner = serviceItself) =>
      inLongSlot(owner, (session) =>
        runTransaction(session, async (sql) => {
          await sql`set local plan_cache_mode = force_custom_plan`;
          // Not prepared: its plan is not used again, and its text may vary with each call.
          return work(createSql((statement) => session.send({ ...statement, isPrepared: false })));
        }),
      ),
    snapshot: (work, owner = serviceItself) =>
      inLongSlot(owner, (session) =>
        runTransaction(
          session,
          async (sql) =>
            work(async (statement, parameters) => {
              if (owner.signal?.aborted) throw new CallerGone();
              return sql.unsafe(statement, parameters, { prepare: true });
            }),
          sameSnapshot,
        ),
      ),
    async *stream(streamed, owner = serviceItself) {
      const stream = await whileWaiting(() => sharedStreams.open(owner), owner);
      // No time limit: PostgreSQL would include the time that the reader needs.
      let session: DatabaseSession | undefined;
      try {
        session = await openRoutedSession({ ...common, mayScan: true, statementSeconds: 0 });
        streams.add(session);
        // Nothing would end it.
        if (closing || !pools) throw failure('CONNECTION_ENDED');
        const cancelling = { signal: owner.signal, cancel };
        for await (const rows of readByCursor(session, streamed, cancelling)) {
          stream.waitForReader();
          yield rows;
          stream.goOn();
        }
      } finally {
        session?.destroy();
        if (session) streams.delete(session);
        stream.close();
      }
    },
    transaction: (work, owner = serviceItself) =>
      whileWaiting(() => transactionSlots.run(owner, () => pool('transactions').transaction(work)), owner),
    use: { long: longSlots, transactions: transactionSlots, streams: sharedStreams.use },
    get available() {
      return pools !== undefined;
    },
    async close() {
      closing = true;
      clearTimeout(timer);
      for (const session of streams) session.destroy();
      await Promise.all([...Object.values(pools ?? {}), probe].map((sql) => sql.end({ timeout: 5 })));
    },
  };
}

/** An eighth is for reads by key, half for writes by key, the remaining part for long statements and transactions. */
export function shareConnections(connections: number) {
  const read = Math.max(1, Math.round(connections / 8));
  const write = Math.max(1, Math.min(Math.floor(connections / 2), connections - read - 2));
  const rest = Math.max(2, connections - read - write);
  return { read, write, long: Math.ceil(rest / 2), transactions: Math.floor(rest / 2) };
}

/** Its connections are gone or useless, so it does not matter whether they can be closed properly. */
function endNow(sql: Pick<Pool, 'end'>): void {
  sql.end({ timeout: 0 }).catch(() => undefined);
}
