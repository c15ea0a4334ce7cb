/** Several statements on one session, which take effect together or not at all. */
import { errorCode } from './failures.ts';
import type { DatabaseSession } from './sessions/session.ts';
import { createSql, type Rows, type Sql, type Statement } from './sql.ts';

export interface DatabaseTransaction extends Sql {
  /** Runs a `copy … from stdin`, and writes the texts into it. */
  copy(statement: Statement, texts: Iterable<string>): Promise<void>;
}

/**
 * Sends the last statements of a transaction, on whose results nothing depends. The commit follows without waiting for
 * them. If one of them fails, PostgreSQL rolls back at the commit, and the transaction is rejected with its error. If a
 * value cannot be sent, nothing is sent. What it returns reads their rows, after the commit.
 */
export type SendLast = (statements: readonly Statement[]) => () => Promise<Rows[]>;

export type TransactionWork<T> = (sql: DatabaseTransaction, sendLast: SendLast) => PromiseLike<T>;

/** SQLSTATE 25P02: in_failed_sql_transaction. An earlier statement has the error that says why. */
const failedBefore = '25P02';

/** `mode` is what follows BEGIN. */
export async function runTransaction<T>(session: DatabaseSession, work: TransactionWork<T>, mode = ''): Promise<T> {
  let firstError: unknown;
  /** The error of a statement whose result nobody awaits counts too. */
  const noted = <R>(result: Promise<R>): Promise<R> => {
    result.catch((error: unknown) => (firstError ??= error));
    return result;
  };
  const sql = Object.assign(
    createSql((statement) => noted(session.send(statement))),
    { copy: (statement: Statement, texts: Iterable<string>) => noted(session.copy(statement.build(), texts)) },
  );
  const sendLast: SendLast = (statements) => {
    const sent = statements.map((statement) => statement.build()).map((built) => noted(session.send(built)));
    return () => Promise.all(sent);
  };
  await session.sql.unsafe(`begin ${mode}`);
  let result: T;
  try {
    result = await work(sql, sendLast);
  } catch (error) {
    await rollBack(session);
    throw errorCode(error) === failedBefore ? (firstError ?? error) : error;
  }
  await session.sql.unsafe('commit');
  // PostgreSQL has rolled back instead.
  if (firstError !== undefined) throw firstError;
  return result;
}

/** If it fails, the session is not used again, and PostgreSQL rolls back at its end. */
async function rollBack(session: DatabaseSession): Promise<void> {
  try {
    await session.sql.unsafe('rollback');
  } catch {
    session.destroy();
  }
}
