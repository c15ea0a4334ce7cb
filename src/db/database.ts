/** The connections to PostgreSQL: a pool for each kind of work, and a probe that watches the server. */
import type postgres from 'postgres';
import { databaseAway } from '../errors.ts';
import { serviceItself, Slots, type Owner } from '../slots.ts';
import { parseAddress } from './address.ts';
import { cancelWhenGone } from './cancel.ts';
import { readByCursor } from './cursor.ts';
import { errorCode } from './failures.ts';
import { openPool, openRoute, readIsStandby, type Pool } from './pool.ts';
import { failure } from './socket.ts';
import { runTransaction, type Transaction } from './transaction.ts';

export { schema } from './pool.ts';

export type Sql = postgres.Sql;
export type Row = postgres.Row;
export type { Transaction } from './transaction.ts';
/** A statement with its parameters. It is sent when it is awaited, or by `execute()` where the order matters. */
export type Statement = postgres.PendingQuery<postgres.Row[]>;

export interface DatabaseOptions {
  url: string;
  connections: number;
  statementSeconds: number;
  /** Whether the tables of individuals are distributed over the nodes of a Citus: see `openDetected`. */
  isDistributed?: boolean;
  /** `any`: a standby will do, since nothing is written. */
  accepts?: 'primary' | 'any';
  /** How many streams there are at once, each on a connection of its own. */
  streams?: number;
  /** Runs work for which its caller waits in line, or for a long statement. */
  whileWaiting?<T>(work: () => Promise<T>, owner: Owner): Promise<T>;
  onChange?(available: boolean, cause?: string): void;
}

export interface Database {
  /** Whether the tables of individuals are distributed. Then a statement about several of them names one shard's at a time. */
  readonly isDistributed: boolean;
  /** For statements that read a few rows by key. They are pipelined over few connections: the fewer, the less work. */
  readonly read: Sql;
  /** For statements that write by key. Each waits for the disk, so they have more connections to wait on together. */
  readonly write: Sql;
  /** For a statement that may take long. It has a connection to itself, and is cancelled when its caller leaves. */
  long<T>(work: (sql: Sql) => PromiseLike<T>, owner?: Owner): Promise<T>;
  /** The same for a statement whose best plan depends on its values: it is planned anew each time. */
  planned<T>(work: (sql: Transaction) => PromiseLike<T>, owner?: Owner): Promise<T>;
  /** For reads of several statements, each of them short, that see one moment. */
  snapshot<T>(work: (read: ReadStatement) => Promise<T>, owner?: Owner): Promise<T>;
  /** For writes of several statements. They never wait for reads that take long. */
  transaction<T>(work: (sql: Transaction) => Promise<T>, owner?: Owner): Promise<T>;
  /** The rows of a statement, some at a time, on a connection of its own; as slow as its reader. */
  stream<T>(streamed: StreamedStatement<T>, owner?: Owner): AsyncIterable<T[]>;
  readonly available: boolean;
  /** Work that runs and waits, by kind. */
  readonly use: Readonly<Record<'long' | 'transactions' | 'streams', Pick<Slots, 'running' | 'waiting' | 'check'>>>;
  close(): Promise<void>;
}

/** Runs one statement of a snapshot. It is cancelled when its caller leaves. */
export type ReadStatement = (statement: string, parameters: (string | number | null)[]) => Promise<Row[]>;

export interface StreamedStatement<T> {
  statement: string;
  parameters: (string | number | null)[];
  rowsAtOnce: number;
  read(row: postgres.Row): T;
}

/** How a transaction of reads begins that all see the same. */
const oneMoment = 'isolation level repeatable read read only';

/** Each stream holds a connection and a snapshot for as long as its reader takes. */
const defaultStreams = 8;

/** Work that waits for a connection of its own, each for as long as a statement may take. */
const maxWaiting = 256;
const longestWaitSeconds = 600;

const probeMilliseconds = 500;
const probeTimeoutMilliseconds = 3000;

/** A little more or less each time, so that many nodes do not ask in step. */
const jittered = (milliseconds: number) => milliseconds * (0.75 + Math.random() / 2);

export function openDatabase(options: DatabaseOptions): Database {
  const { statementSeconds, accepts = 'primary', isDistributed = false } = options;
  const address = parseAddress(options.url);
  const route = openRoute(address, accepts);
  const common = { address, route, statementSeconds, plansOnce: !isDistributed };
  const shares = shareConnections(options.connections);
  // Transactions write by key, too.
  const open = () => ({
    read: openPool({ ...common, mayScan: false, max: shares.read }),
    write: openPool({ ...common, mayScan: false, max: shares.write }),
    long: openPool({ ...common, mayScan: true, max: shares.long }),
    transactions: openPool({ ...common, mayScan: false, max: shares.transactions }),
  });
  const openProbe = () => openPool({ ...common, mayScan: true, max: 1 });
  // One statement or transaction for each connection: the driver would send several behind one another.
  const waitMilliseconds = (options.statementSeconds || longestWaitSeconds) * 1000;
  const inLine = { waiting: maxWaiting, waitMilliseconds, retrySeconds: 1 };
  const longSlots = new Slots({ slots: shares.long, ...inLine });
  const transactionSlots = new Slots({ slots: shares.transactions, ...inLine });
  const streamSlots = new Slots({
    slots: options.streams ?? defaultStreams,
    waiting: 0,
    waitMilliseconds: 0,
    retrySeconds: 10,
  });
  const whileWaiting = options.whileWaiting ?? ((work) => work());
  const streams = new Set<Sql>();
  let pools: ReturnType<typeof open> | undefined = open();
  let probe = openProbe();
  let closing = false;

  function away(cause: string): void {
    route.forget();
    if (!pools) return;
    // Ending the pools answers everything that waits in them; new ones are opened when the database is back.
    const ended = Object.values(pools);
    pools = undefined;
    for (const sql of ended) void sql.end({ timeout: 0 });
    options.onChange?.(false, cause);
  }

  async function look(): Promise<void> {
    try {
      const isStandby = await inTime(readIsStandby(probe));
      // A standby answers every question, and refuses every write.
      if (isStandby && accepts === 'primary') throw failure('25006');
      if (pools || closing) return;
      pools = open();
      options.onChange?.(true);
    } catch (error) {
      if (closing) return;
      away(errorCode(error));
      // Its connection may hang for ever on a network that fell silent, or lead to what is a standby now.
      void probe.end({ timeout: 0 });
      probe = openProbe();
    }
  }

  let timer: NodeJS.Timeout | undefined;
  function watch(): void {
    timer = setTimeout(() => void look().finally(() => closing || watch()), jittered(probeMilliseconds)).unref();
  }
  watch();

  function pool(name: keyof ReturnType<typeof open>): Pool {
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
    long: (work, owner = serviceItself) =>
      whileWaiting(() => longSlots.run(owner, () => cancelWhenGone(work(pool('long')), owner.signal)), owner),
    planned: (work, owner = serviceItself) =>
      whileWaiting(
        () =>
          longSlots.run(owner, () =>
            runTransaction(pool('long'), async (sql) => {
              await sql`set local plan_cache_mode = force_custom_plan`;
              return cancelWhenGone(work(sql), owner.signal);
            }),
          ),
        owner,
      ),
    snapshot: (work, owner = serviceItself) =>
      whileWaiting(
        () =>
          longSlots.run(owner, () =>
            runTransaction(pool('long'), (sql) => work(createReader(sql, owner.signal)), oneMoment),
          ),
        owner,
      ),
    async *stream({ statement, parameters, rowsAtOnce, read }, owner = serviceItself) {
      const release = await streamSlots.take(owner);
      // No limit on time: PostgreSQL would count what the reader takes as well.
      const sql = openPool({ ...common, mayScan: true, statementSeconds: 0, max: 1 });
      streams.add(sql);
      try {
        for await (const rows of readByCursor(sql, { statement, parameters, rowsAtOnce }, owner.signal)) {
          yield rows.map(read);
        }
      } finally {
        streams.delete(sql);
        await sql.end({ timeout: 1 });
        release();
      }
    },
    transaction: (work, owner = serviceItself) =>
      whileWaiting(() => transactionSlots.run(owner, () => runTransaction(pool('transactions'), work)), owner),
    use: { long: longSlots, transactions: transactionSlots, streams: streamSlots },
    get available() {
      return pools !== undefined;
    },
    async close() {
      closing = true;
      clearTimeout(timer);
      await Promise.all([...streams].map((sql) => sql.end({ timeout: 0 })));
      await Promise.all([...Object.values(pools ?? {}), probe].map((sql) => sql.end({ timeout: 5 })));
    },
  };
}

function createReader(sql: Transaction, signal: AbortSignal | undefined): ReadStatement {
  return (statement, parameters) => cancelWhenGone(sql.unsafe(statement, parameters, { prepare: true }), signal);
}

/** An eighth is for reads by key, half for writes by key, and the rest for long statements and for transactions. */
export function shareConnections(connections: number) {
  const read = Math.max(1, Math.round(connections / 8));
  const write = Math.max(1, Math.min(Math.floor(connections / 2), connections - read - 2));
  const rest = Math.max(2, connections - read - write);
  return { read, write, long: Math.ceil(rest / 2), transactions: Math.floor(rest / 2) };
}

async function inTime<T>(query: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, probeTimeoutMilliseconds, { code: 'PROBE_TIMEOUT' }).unref();
  });
  try {
    return await Promise.race([query, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A PostgreSQL array literal. Quoting every element is always right, and one pass is fast. */
export function array(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => (value === null ? 'null' : typeof value === 'number' ? value : quoted(value))).join(',')}}`;
}

function quoted(value: string): string {
  return /["\\]/.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : `"${value}"`;
}
