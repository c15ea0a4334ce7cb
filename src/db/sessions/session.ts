/** One session of PostgreSQL, from its login to its end. Nothing of it is used again. */
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { DatabaseAddress, DatabaseEndpoint } from './address.ts';
import { failure, isFromPostgres, markAsConnecting } from '../failures.ts';
import { columnTypes } from './column-types.ts';
import { giveTime } from '../../network/give-time.ts';
import { openSocket } from './socket.ts';
import { createSql, type Rows, type SentStatement, type Sql } from '../sql.ts';

export interface DatabaseSessionOptions {
  address: DatabaseAddress;
  endpoint: DatabaseEndpoint;
  /** Run before anything else. In the startup packet a pooler would refuse settings, or ignore them. */
  settings: readonly string[];
  /** Whether statements are sent without waiting for the results of earlier ones. Such a session cannot COPY. */
  isPipelined: boolean;
}

/** Which session of the server it is: the id of its process, and when that has started. */
export interface SessionIdentity {
  processId: number;
  startedAt: string;
}

const connectMilliseconds = 3000;

const readIdentity =
  'select pid as "processId", backend_start::text as "startedAt" from pg_stat_get_activity(pg_backend_pid())';

export class DatabaseSession {
  readonly sql: Sql = createSql((statement) => this.send(statement));
  identity!: SessionIdentity;
  hasEnded = false;
  /** Statements without a result yet. */
  running = 0;
  readonly #client: pg.Client;
  readonly #socket: Socket;
  readonly #isPipelined: boolean;
  #isCorked = false;
  /** The work that was begun last, if one is done after the other. */
  #last: Promise<unknown> = Promise.resolve();

  static async open({ address, endpoint, settings, isPipelined }: DatabaseSessionOptions): Promise<DatabaseSession> {
    const socket = await openSocket(endpoint, address.encryption, connectMilliseconds);
    const session = new DatabaseSession(socket, address, isPipelined);
    await session.#logIn(settings);
    return session;
  }

  private constructor(socket: Socket, { login }: DatabaseAddress, isPipelined: boolean) {
    this.#socket = socket;
    this.#isPipelined = isPipelined;
    this.#client = new pg.Client({
      ...login,
      application_name: 'ledgerline',
      // The socket is encrypted already.
      ssl: false,
      stream: () => asUnconnected(socket),
      pipeline: isPipelined,
      types: columnTypes,
    });
    const noteEnd = () => (this.hasEnded = true);
    // The statements that it ends are rejected by the driver.
    this.#client.on('error', noteEnd);
    socket.once('close', noteEnd);
  }

  async #logIn(settings: readonly string[]): Promise<void> {
    // A pooler lets the login wait while it has no free connection.
    const endTimer = giveTime(connectMilliseconds, () => this.#socket.destroy(failure('LOGIN_TIMEOUT')));
    try {
      await this.#client.connect();
      const result = await this.#client.query([...settings, readIdentity].join('; '));
      [this.identity] = rowsOf(result) as unknown as [SessionIdentity];
    } catch (error) {
      // The driver gives up a login by itself if it has no password.
      const code = this.hasEnded ? 'CONNECTION_CLOSED' : 'LOGIN_FAILED';
      this.destroy();
      throw markAsConnecting(withCode(error, code));
    } finally {
      endTimer();
    }
  }

  /** Whether a transaction was begun and not ended. */
  get isInTransaction(): boolean {
    return this.#client.getTransactionStatus() !== 'I';
  }

  send(statement: SentStatement): Promise<Rows> {
    return this.#isPipelined ? this.#sendNow(statement) : this.#inTurn(() => this.#sendNow(statement));
  }

  /** Runs a `copy … from stdin`, and writes the texts into it. */
  copy({ text }: SentStatement, texts: Iterable<string>): Promise<void> {
    return this.#inTurn(async () => {
      if (this.hasEnded) throw failure('CONNECTION_CLOSED');
      try {
        await pipeline(texts, this.#client.query(copyFrom(text)));
      } catch (error) {
        throw this.#explain(error);
      }
    });
  }

  /** Ends the session. The statements of a pipelined one get their results before. */
  async end(): Promise<void> {
    this.hasEnded = true;
    await this.#client.end();
  }

  /** Ends the session now. Its statements are rejected. */
  destroy(): void {
    this.hasEnded = true;
    this.#socket.destroy();
  }

  /** Does work when all earlier work is done. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  #sendNow({ text, values, isPrepared }: SentStatement): Promise<Rows> {
    return new Promise((resolve, reject) => {
      if (this.hasEnded) return reject(failure('CONNECTION_CLOSED'));
      const name = isPrepared ? nameOf(text) : undefined;
      this.running += 1;
      if (this.#isPipelined) this.#cork();
      this.#client.query(
        name === undefined ? { text, values } : { text, values, name },
        (error: unknown, result: pg.QueryResult) => {
          this.running -= 1;
          if (error) reject(this.#explain(error));
          else resolve(rowsOf(result));
        },
      );
    });
  }

  /** What is sent in one turn of the event loop is written together: each write wakes up PostgreSQL. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#socket.cork();
    setImmediate(() => {
      this.#isCorked = false;
      this.#socket.uncork();
    });
  }

  #explain(error: unknown): unknown {
    if (!isFromPostgres(error)) return this.hasEnded ? withCode(error, 'CONNECTION_CLOSED') : error;
    const { routine, severity } = error as { routine?: string; severity: string };
    const isOutdated = outdatedRoutines.has(String(routine));
    // These are the last message of PostgreSQL.
    if (isOutdated || severity === 'FATAL' || severity === 'PANIC') this.destroy();
    return isOutdated ? failure('CONNECTION_CLOSED') : error;
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

/**
 * Functions of PostgreSQL that find that a prepared statement no longer fits the schema, or no longer exists. The next
 * session prepares all statements again.
 */
const outdatedRoutines = new Set(['FetchPreparedStatement', 'RevalidateCachedQuery', 'transformAssignedExpr']);

/** The driver's own errors have no code. */
function withCode(error: unknown, code: string): unknown {
  return (error as { code?: unknown }).code === undefined ? failure(code, error) : error;
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
