/**
 * If a session ends between an error and the moment it is ready again, the driver (postgres.js 3.4.9) keeps that error
 * and gives it to the first statement of the next session. That statement was never sent, so it is safe to send it now.
 * An error of a login is reported in the same way, and again if the statement is sent again.
 */
import type postgres from 'postgres';
import { isFromPostgres } from './failures.ts';

/** A statement of the driver. */
interface DriverStatement {
  /** The session it was sent to. */
  state: object | null;
  handler(statement: DriverStatement): void;
  reject(error: unknown): void;
}

/** The driver would keep the origin of each failed statement in memory forever, if its text is not a template. */
export function withoutOrigin<T extends object>(statement: T): T {
  return Object.defineProperty(statement, 'origin', { value: '' });
}

/** The same pool; a statement that got an error without having been sent is sent again. */
export function resendUnsent(sql: postgres.Sql): postgres.Sql {
  function watch<T>(made: T): T {
    if (!(made instanceof Promise)) return made;
    const statement = made as unknown as DriverStatement;
    const { reject } = statement;
    statement.reject = (error) => {
      statement.reject = reject;
      if (statement.state === null && isFromPostgres(error)) statement.handler(statement);
      else reject(error);
    };
    return made;
  }
  const tag = (...args: Parameters<typeof sql>) => watch(sql(...args));
  const unsafe = (...args: Parameters<typeof sql.unsafe>) => watch(withoutOrigin(sql.unsafe(...args)));
  return Object.assign(tag, sql, { unsafe }) as postgres.Sql;
}
