/**
 * Transactions on a session that may end at any time. After its end the driver (postgres.js 3.4.9, `begin`) still sends
 * the next statements and the rollback, and both throw in a callback where the error cannot be caught.
 */
import type postgres from 'postgres';
import { asProblem, isFromPostgres } from './failures.ts';
import type { DatabaseSession, Pool } from './pool.ts';
import { failure } from './socket.ts';
import { withoutOrigin } from './unsent.ts';

export type DatabaseTransaction = postgres.TransactionSql;

/**
 * Sends the last statements of a transaction, on whose results nothing depends. The commit follows without waiting for
 * them. If one of them fails, PostgreSQL rolls back at the commit, and the transaction is rejected with its error. Throws
 * if the driver would refuse a value: PostgreSQL would not know of it, and would commit the other statements.
 */
export type SendLast = (statements: readonly postgres.PendingQuery<postgres.Row[]>[]) => void;

type Work<T> = (sql: DatabaseTransaction, sendLast: SendLast) => Promise<T>;

/** `mode` is what follows BEGIN. */
export async function runTransaction<T>(pool: Pool, work: Work<T>, mode = ''): Promise<T> {
  let hasBegun = false;
  const lastResults: Promise<PromiseSettledResult<unknown>[]>[] = [];
  const sendLast: SendLast = (statements) => {
    for (const statement of statements) checkValues(statement);
    lastResults.push(Promise.allSettled(statements.map((statement) => statement.execute())));
  };
  const begin = () =>
    pool.begin(mode, async (sql) => {
      hasBegun = true;
      const { guarded, hasEnded } = guard(sql, pool);
      try {
        const result = await work(guarded, sendLast);
        if (hasEnded()) await never();
        return result;
      } catch (error) {
        if (hasEnded()) await never();
        throw error;
      }
    }) as Promise<T>;
  const commit = async () => {
    const result = await begin();
    for (const each of (await Promise.all(lastResults)).flat()) if (each.status === 'rejected') throw each.reason;
    return result;
  };
  try {
    return await commit();
  } catch (error) {
    // BEGIN was not sent: the error is one that a broken session left behind (`unsent.ts`).
    if (hasBegun || !isFromPostgres(error)) throw error;
    return commit();
  }
}

/**
 * The driver has already rejected the caller's promise. If `begin` went on, it would send a commit or a rollback. A new
 * promise each time: a shared one would keep all that ever waited for it, and their pools, in memory.
 */
const never = () => new Promise<never>(() => {});

/** Throws if the driver could not write one of the values of a statement, or of those that are parts of it. */
function checkValues(statement: object): void {
  for (const value of (statement as DriverStatement).args) {
    if (value === undefined) throw new TypeError('A value of a statement is undefined.');
    // Throws if it is an invalid date.
    if (value instanceof Date) value.toISOString();
    if (value instanceof Promise) checkValues(value);
  }
}

/** A statement of the driver: it is sent only when it is awaited. */
type DriverStatement = Promise<{ state?: { pid: number } }> & {
  args: readonly unknown[];
  handler(statement: unknown): void;
  reject(error: unknown): void;
};

/** The same transaction, but it sends nothing to a session that has ended. */
function guard(sql: DatabaseTransaction, pool: Pool): { guarded: DatabaseTransaction; hasEnded(): boolean } {
  let session: DatabaseSession | undefined;
  let hasLostConnection = false;
  const hasEnded = () => session?.hasEnded ?? hasLostConnection;

  function send(statement: DriverStatement, handler: DriverStatement['handler']): void {
    if (hasEnded()) return statement.reject(failure('CONNECTION_CLOSED'));
    handler(statement);
    if (session) return;
    // A result contains the id of its session.
    statement.then(
      ({ state }) => (session ??= state && pool.sessionOf(state.pid)),
      (error: unknown) => (hasLostConnection ||= !isFromPostgres(error) && asProblem(error) !== undefined),
    );
  }

  function watch<T>(made: T): T {
    if (!(made instanceof Promise)) return made;
    const statement = made as unknown as DriverStatement;
    const { handler } = statement;
    statement.handler = Object.assign((sent: DriverStatement) => send(sent, handler), handler);
    return made;
  }

  const tag = (...args: Parameters<typeof sql>) => watch(sql(...args));
  const unsafe = (...args: Parameters<typeof sql.unsafe>) => watch(withoutOrigin(sql.unsafe(...args)));
  return { guarded: Object.assign(tag, sql, { unsafe }), hasEnded };
}
