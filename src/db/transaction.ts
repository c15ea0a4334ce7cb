/**
 * Transactions on a session that may end at any time. After that the driver (postgres.js 3.4.9, `begin`) still sends
 * the next statements and the rollback, and both throw in a callback where nobody can catch the error.
 */
import type postgres from 'postgres';
import { asProblem, isFromPostgres } from './failures.ts';
import type { Pool, Session } from './pool.ts';
import { failure } from './socket.ts';
import { withoutOrigin } from './unsent.ts';

export type Transaction = postgres.TransactionSql;

/** `mode` is what follows BEGIN. */
export async function runTransaction<T>(pool: Pool, work: (sql: Transaction) => Promise<T>, mode = ''): Promise<T> {
  let hasBegun = false;
  const begin = () =>
    pool.begin(mode, async (sql) => {
      hasBegun = true;
      const { guarded, hasEnded } = guard(sql, pool);
      try {
        const result = await work(guarded);
        if (hasEnded()) await forever;
        return result;
      } catch (error) {
        if (hasEnded()) await forever;
        throw error;
      }
    }) as Promise<T>;
  try {
    return await begin();
  } catch (error) {
    // As for a statement that was never sent (`unsent.ts`).
    if (hasBegun || !isFromPostgres(error)) throw error;
    return begin();
  }
}

/** The driver has already rejected the caller's promise. If `begin` went on, it would send a commit or a rollback. */
const forever = new Promise<never>(() => {});

/** A statement as the driver makes it: it is sent when somebody waits for it, and not before. */
type DriverStatement = Promise<{ state?: { pid: number } }> & {
  handler(statement: unknown): void;
  reject(error: unknown): void;
};

/** The same transaction, which sends nothing to a session that has ended. */
function guard(sql: Transaction, pool: Pool): { guarded: Transaction; hasEnded(): boolean } {
  let session: Session | undefined;
  let hasLostConnection = false;
  const hasEnded = () => session?.hasEnded ?? hasLostConnection;

  function send(statement: DriverStatement, handler: DriverStatement['handler']): void {
    if (hasEnded()) return statement.reject(failure('CONNECTION_CLOSED'));
    handler(statement);
    if (session) return;
    // A result names the session that it came from.
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
