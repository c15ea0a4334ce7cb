/** One session of PostgreSQL, from its login to its end. Nothing of it is used again. */
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { DatabaseAddress, DatabaseEndpoint } from './address.ts';
import { isFromPostgres, markAsConnecting } from './failures.ts';
import { columnTypes } from './column-types.ts';
import { giveTime } from './in-time.ts';
import { failure, openSocket } from './socket.ts';
import { createSql, type Rows, type SentStatement, type Sql } from './sql.ts';

export interface DatabaseSessionOptions {
  address: DatabaseAddress;
  endpoint: DatabaseEndpoint;
  /** Run before anything else. In the startup packet a pooler would refuse settings, or ignore them. */
  settings: readonly string[];
  /** Whether statements are sent without waiting for the results of earlier ones. Such a session cannot COPY. */
  isPipelined: boolean;
}

export interface DatabaseSession {
  readonly sql: Sql;
  /** Statements without a result yet. */
  readonly running: number;
  readonly hasEnded: boolean;
  /** Whether a transaction was begun and not ended. */
  readonly isInTransaction: boolean;
  /** Which session of the server it is: the id of its process, and when that has started. */
  readonly identity: SessionIdentity;
  send(statement: SentStatement): Promise<Rows>;
  /** Runs a `copy … from stdin`, and writes the texts into it. */
  copy(statement: SentStatement, texts: Iterable<string>): Promise<void>;
  /** Ends the session when its statements have their results. */
  end(): Promise<void>;
  /** Ends the session now. Its statements are rejected. */
  destroy(): void;
}

export interface SessionIdentity {
  processId: number;
  startedAt: string;
}

const connectMilliseconds = 3000;
const keepAliveMilliseconds = 60_000;

export async function openDatabaseSession(options: DatabaseSessionOptions): Promise<DatabaseSession> {
  const socket = await openSocket(options.endpoint, options.address.encryption, connectMilliseconds);
  socket.setKeepAlive(true, keepAliveMilliseconds);
  const client = new pg.Client({
    ...options.address.login,
    application_name: 'ledgerline',
    // The socket is encrypted already.
    ssl: false,
    stream: () => asUnconnected(socket),
    pipeline: options.isPipelined,
    types: columnTypes,
  });
  let hasEnded = false;
  const noteEnd = () => (hasEnded = true);
  // The statements that it ends are rejected by the driver.
  client.on('error', noteEnd);
  socket.once('close', noteEnd);
  // A pooler lets the login wait while it has no free connection.
  const endTimer = giveTime(connectMilliseconds, () => socket.destroy(failure('LOGIN_TIMEOUT')));
  try {
    await client.connect();
    const identity = await prepare(client, options.settings);
    return createSession({ client, socket, identity, isPipelined: options.isPipelined, hasEnded: () => hasEnded });
  } catch (error) {
    // The driver gives up a login by itself if it has no password.
    const code = hasEnded ? 'CONNECTION_CLOSED' : 'LOGIN_FAILED';
    socket.destroy();
    throw markAsConnecting(withCode(error, code));
  } finally {
    endTimer();
  }
}

/** The driver connects its stream itself; this one is connected already. */
function asUnconnected(socket: Socket): Socket {
  const connect = () => {
    process.nextTick(() => socket.emit('connect'));
    return socket;
  };
  return Object.assign(socket, { connect });
}

const readIdentity =
  'select pid as "processId", backend_start::text as "startedAt" from pg_stat_get_activity(pg_backend_pid())';

async function prepare(client: pg.Client, settings: readonly string[]): Promise<SessionIdentity> {
  const results = (await client.query([...settings, readIdentity].join('; '))) as unknown as pg.QueryResult[];
  return results.at(-1)!.rows[0] as SessionIdentity;
}

interface OpenSession {
  client: pg.Client;
  socket: Socket;
  identity: SessionIdentity;
  isPipelined: boolean;
  hasEnded(): boolean;
}

function createSession({ client, socket, identity, isPipelined, hasEnded }: OpenSession): DatabaseSession {
  let running = 0;
  let isEnding = false;
  let last: Promise<unknown> = Promise.resolve();

  let isCorked = false;
  /** What is sent in one turn of the event loop is written together: each write wakes up PostgreSQL. */
  function cork(): void {
    if (isCorked) return;
    isCorked = true;
    socket.cork();
    setImmediate(() => {
      isCorked = false;
      socket.uncork();
    });
  }

  function destroy(): void {
    isEnding = true;
    socket.destroy();
  }

  function explain(error: unknown): unknown {
    if (!isFromPostgres(error)) return hasEnded() || isEnding ? withCode(error) : error;
    if (isFatal(error)) destroy();
    if (!isOutdated(error)) return error;
    destroy();
    return failure('CONNECTION_CLOSED');
  }

  function sendNow({ text, values, isPrepared }: SentStatement): Promise<Rows> {
    return new Promise((resolve, reject) => {
      if (hasEnded() || isEnding) return reject(failure('CONNECTION_CLOSED'));
      const name = isPrepared ? nameOf(text) : undefined;
      running += 1;
      if (isPipelined) cork();
      client.query(
        name === undefined ? { text, values } : { text, values, name },
        (error: unknown, result: pg.QueryResult) => {
          running -= 1;
          if (error) reject(explain(error));
          else resolve(rowsOf(result));
        },
      );
    });
  }

  /** Does work when all earlier work is done. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }

  const send = isPipelined ? sendNow : (statement: SentStatement) => inTurn(() => sendNow(statement));

  return {
    sql: createSql(send),
    identity,
    get running() {
      return running;
    },
    get hasEnded() {
      return isEnding || hasEnded();
    },
    get isInTransaction() {
      return client.getTransactionStatus() !== 'I';
    },
    send,
    copy: ({ text }, texts) =>
      inTurn(async () => {
        if (hasEnded() || isEnding) throw failure('CONNECTION_CLOSED');
        try {
          await pipeline(texts, client.query(copyFrom(text)));
        } catch (error) {
          throw explain(error);
        }
      }),
    async end() {
      isEnding = true;
      await last;
      await client.end();
    },
    destroy,
  };
}

/** PostgreSQL has sent its last message. */
function isFatal(error: unknown): boolean {
  const { severity } = error as { severity: string };
  return severity === 'FATAL' || severity === 'PANIC';
}

/** Functions of PostgreSQL that find that a prepared statement no longer fits the schema, or no longer exists. */
const outdatedRoutines = new Set(['FetchPreparedStatement', 'RevalidateCachedQuery', 'transformAssignedExpr']);

/** The next session prepares all statements again. */
function isOutdated(error: unknown): boolean {
  return outdatedRoutines.has(String((error as { routine?: unknown }).routine));
}

/** The driver's own errors have no code. */
function withCode(error: unknown, code = 'CONNECTION_CLOSED'): unknown {
  if (isFromPostgres(error) || (error as { code?: unknown }).code !== undefined) return error;
  return Object.assign(failure(code), { cause: error });
}

function rowsOf(result: pg.QueryResult | pg.QueryResult[]): Rows {
  const { rows, rowCount } = Array.isArray(result) ? result.at(-1)! : result;
  // Not enumerable: the rows are an ordinary array.
  return Object.defineProperty(rows, 'count', { value: rowCount ?? 0 }) as Rows;
}

/** Names of prepared statements by their texts. Texts beyond the limit are not prepared: a text that varies is a defect. */
const names = new Map<string, string>();
const maxNames = 2000;

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= maxNames) return known;
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}
