/** The connections to PostgreSQL: a pool for each kind of work, a probe that watches the server, and the names of errors. */
import { Socket } from 'node:net';
import postgres from 'postgres';
import { databaseAway, databaseContended, queryTooLong, type Problem } from '../errors.ts';
import { serviceItself, Slots, type Owner } from '../slots.ts';
import { cancelWhenGone } from './cancel.ts';

export type Sql = postgres.Sql;
export type Row = postgres.Row;
export type Transaction = postgres.TransactionSql;
/** A statement with its parameters. The driver sends it when it is awaited or told to; where order counts, it is told. */
export type Statement = postgres.PendingQuery<postgres.Row[]>;

export interface DatabaseOptions {
  url: string;
  connections: number;
  statementSeconds: number;
  /** How many streams there are at once, each on a connection of its own. */
  streams?: number;
  /** Runs work for which its caller waits in line, or for a long statement. */
  whileWaiting?<T>(work: () => Promise<T>, owner: Owner): Promise<T>;
  onChange?(available: boolean, cause?: string): void;
}

export interface Database {
  /** For statements that read a few rows by key. They are pipelined over few connections: the fewer, the less work. */
  readonly read: Sql;
  /** For statements that write by key. Each waits for the disk, so they have more connections to wait on together. */
  readonly write: Sql;
  /** For a statement that may take long. It has a connection to itself, and is cancelled when its caller leaves. */
  long<T>(work: (sql: Sql) => PromiseLike<T>, owner?: Owner): Promise<T>;
  /** For writes of several statements. They never wait for reads that take long. */
  transaction<T>(work: (sql: Transaction) => Promise<T>, owner?: Owner): Promise<T>;
  /** The rows of a statement, some at a time, on a connection of its own; as slow as its reader. */
  stream<T>(streamed: StreamedStatement<T>, owner?: Owner): AsyncIterable<T[]>;
  readonly available: boolean;
  /** Work that runs and waits, by kind. */
  readonly use: Readonly<Record<'long' | 'transactions' | 'streams', Pick<Slots, 'running' | 'waiting'>>>;
  close(): Promise<void>;
}

export interface StreamedStatement<T> {
  statement: string;
  parameters: (string | number | null)[];
  rowsAtOnce: number;
  read(row: postgres.Row): T;
}

export const schema = 'ledgerline';

/** Each stream holds a connection and a snapshot for as long as its reader takes. */
const defaultStreams = 8;

/** Work that waits for a connection of its own, each for as long as a statement may take. */
const maxWaiting = 256;
const longestWaitSeconds = 600;

const probeMilliseconds = 500;
const probeTimeoutMilliseconds = 3000;

export function connectionOptions(statementSeconds: number): postgres.Options<Record<string, never>> {
  return {
    // Array types would be looked up on each connection; we write arrays as text (see `array`).
    fetch_types: false,
    connect_timeout: 3,
    backoff: () => 0.2,
    // Notices quote names and values; nothing in them is ours to pass on.
    onnotice: () => {},
    ...{ socket: undelayedSocket() },
    connection: {
      application_name: 'ledgerline',
      search_path: schema,
      TimeZone: 'UTC',
      statement_timeout: statementSeconds * 1000,
      // A parameter in OFFSET makes PostgreSQL plan anew each time; the generic plan is the right one here.
      plan_cache_mode: 'force_generic_plan',
    },
  };
}

/**
 * Small writes must not wait for an answer to the ones before (Nagle's algorithm), which pipelining and COPY
 * consist of. The driver makes its sockets without saying so; one that is still connecting will do for it.
 */
function undelayedSocket() {
  let attempt = 0;
  return function connect({ host, port, path }: { host: string[]; port: number[]; path?: string | false }): Socket {
    const index = attempt % host.length;
    attempt += 1;
    const socket = Object.assign(new Socket({}), { host: host[index]!, port: port[index]! });
    socket.setNoDelay(true);
    return path ? socket.connect(path) : socket.connect(socket.port, socket.host);
  };
}

export function openDatabase(options: DatabaseOptions): Database {
  const common = connectionOptions(options.statementSeconds);
  const shares = shareConnections(options.connections);
  // A plan is kept, and one made while a table was small would read all of it, also when it has grown. As text: the
  // driver leaves settings out whose value is false.
  const byKey = { ...common.connection, enable_seqscan: 'off' };
  const open = () => ({
    read: postgres(options.url, { ...common, connection: byKey, max: shares.read }),
    write: postgres(options.url, { ...common, connection: byKey, max: shares.write }),
    long: postgres(options.url, { ...common, max: shares.long }),
    transactions: postgres(options.url, { ...common, max: shares.transactions }),
  });
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

  function openProbe(): Sql {
    return postgres(options.url, { ...common, max: 1 });
  }

  function away(cause: string): void {
    if (!pools) return;
    // Ending the pools answers everything that waits in them; a new pair is opened when the database is back.
    const ended = Object.values(pools);
    pools = undefined;
    for (const sql of ended) void sql.end({ timeout: 0 });
    options.onChange?.(false, cause);
  }

  async function look(): Promise<void> {
    try {
      await inTime(probe`select 1`);
      if (pools || closing) return;
      pools = open();
      options.onChange?.(true);
    } catch (error) {
      if (closing) return;
      away(errorCode(error));
      // Its connection may hang for ever on a network that fell silent.
      void probe.end({ timeout: 0 });
      probe = openProbe();
    }
  }

  let timer: NodeJS.Timeout | undefined;
  function watch(): void {
    timer = setTimeout(() => void look().finally(() => closing || watch()), probeMilliseconds).unref();
  }
  watch();

  function pool(name: keyof ReturnType<typeof open>): Sql {
    if (!pools) throw databaseAway();
    return pools[name];
  }

  async function runTransaction<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
    const begun = pool('transactions').begin(async (sql) => {
      // Sent ahead of the first statement, without a wait: transactions write by key, too.
      const [, result] = await Promise.all([sql`set local enable_seqscan = off`.execute(), work(sql)]);
      return result;
    });
    return begun as Promise<T>;
  }

  return {
    get read() {
      return pool('read');
    },
    get write() {
      return pool('write');
    },
    long: (work, owner = serviceItself) =>
      whileWaiting(() => longSlots.run(owner, () => cancelWhenGone(work(pool('long')), owner.signal)), owner),
    async *stream({ statement, parameters, rowsAtOnce, read }, owner = serviceItself) {
      const release = await streamSlots.take(owner);
      // No limit on time: PostgreSQL would count what the reader takes as well.
      const sql = postgres(options.url, { ...connectionOptions(0), max: 1 });
      streams.add(sql);
      const query = sql.unsafe(statement, parameters);
      const rows = query.cursor(rowsAtOnce)[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await cancelWhenGone(rows.next(), owner.signal, query);
          if (next.done) return;
          yield next.value.map(read);
        }
      } finally {
        streams.delete(sql);
        await sql.end({ timeout: 1 });
        release();
      }
    },
    transaction: (work, owner = serviceItself) =>
      whileWaiting(() => transactionSlots.run(owner, () => runTransaction(work)), owner),
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

/** An eighth is for reads by key, half for writes by key, and the rest for long statements and for transactions. */
export function shareConnections(connections: number) {
  const read = Math.max(1, Math.round(connections / 8));
  const write = Math.max(1, Math.floor(connections / 2));
  const rest = Math.max(2, connections - read - write);
  return { read, write, long: Math.ceil(rest / 2), transactions: Math.floor(rest / 2) };
}

async function inTime(query: PromiseLike<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, probeTimeoutMilliseconds, { code: 'PROBE_TIMEOUT' }).unref();
  });
  try {
    await Promise.race([query, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function errorCode(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? 'unknown');
}

/** SQLSTATE 57014: query_canceled, which is what statement_timeout raises. */
const timedOut = '57014';

/**
 * SQLSTATE classes 08 (connection), 53 (resources: disk full, too many connections) and 57P (shutdown,
 * starting up), 25006 (a standby), 28 and 3D (it is being set up anew); and the driver's and sockets' own names.
 */
const awayCodes =
  /^(08...|53...|57P0.|25006|28...|3D000|CONNECTION_.*|CONNECT_TIMEOUT|PROBE_TIMEOUT|ECONN.*|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;

/** What a failed statement means to a caller, where it is not a defect of ours. */
export function asProblem(error: unknown): Problem | undefined {
  const code = errorCode(error);
  if (code === timedOut) return queryTooLong();
  if (lostRaces.has(code)) return databaseContended();
  return awayCodes.test(code) ? databaseAway() : undefined;
}

/** SQLSTATE 40001: serialization_failure, which a statement of ours raises when it has lost a race; 40P01: deadlock. */
const lostRaces = new Set(['40001', '40P01']);
/** Each race is won by somebody, and a row can be first written only once. */
const mostRaces = 20;

/** Asks again what has lost a race, of which nothing was kept. */
export async function orAgain<T>(ask: () => PromiseLike<T>): Promise<T> {
  for (let races = 1; ; races += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!lostRaces.has(errorCode(error)) || races === mostRaces) throw error;
    }
  }
}

/** A PostgreSQL array literal. Quoting every element is always right, and one pass is fast. */
export function array(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => (value === null ? 'null' : typeof value === 'number' ? value : quoted(value))).join(',')}}`;
}

function quoted(value: string): string {
  return /["\\]/.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : `"${value}"`;
}
