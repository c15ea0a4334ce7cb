/** What a failed statement means: to a caller, and to the code that may run it again. */
import { databaseAway, databaseContended, queryTooSlow, type Problem } from '../errors.ts';

/** An error of ours: one of the codes below, or a SQLSTATE. */
export function failure(code: string, cause?: unknown): Error {
  return Object.assign(new Error(code, cause === undefined ? {} : { cause }), { code });
}

export function errorCode(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? 'unknown');
}

/** Whether PostgreSQL itself sent the error. Other errors come from the driver or the connection. */
export function isFromPostgres(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'severity' in error;
}

/**
 * SQLSTATE classes 08 (connection), 53 (resources: disk full, too many connections), 57P (shutdown, starting up) and 58
 * (an error of the operating system), 25006 (a standby), 25P03 and 25P04 (the server has ended a session that was idle
 * or took too long), 28 and 3D (the database is being set up again); and error codes of the driver and of sockets.
 */
const awayCodes =
  /^(08...|53...|57P0.|58...|25006|25P0[34]|28...|3D000|CONNECTION_.*|CONNECT_TIMEOUT|LOGIN_TIMEOUT|PROBE_TIMEOUT|STALE_PRIMARY|NO_USABLE_HOST|ECONN.*|EPIPE|ERR_STREAM_DESTROYED|ERR_STREAM_WRITE_AFTER_END|ERR_SOCKET_CLOSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;

/** Errors of connections that could not be opened, whatever their codes: certificates, sockets, files. */
const connecting = new WeakSet<object>();

export function markAsConnecting(error: unknown): unknown {
  connecting.add(error as object);
  return error;
}

/** SQLSTATE 57014: query_canceled, which statement_timeout raises. */
export const isTooLong = (error: unknown) => errorCode(error) === '57014';

/** SQLSTATE 55P03: lock_not_available, which the operator's lock_timeout raises. */
const isLockedTooLong = (error: unknown) => errorCode(error) === '55P03';

/** SQLSTATE 40001: serialization_failure, which our statements raise when they have lost a race; 40P01: deadlock. */
export const isLostRace = (error: unknown) => ['40001', '40P01'].includes(errorCode(error));

/** SQLSTATE 23505: unique_violation. */
export const isDuplicateKey = (error: unknown) => errorCode(error) === '23505';

/**
 * The same for writes on Citus. A node of the service that is older than this one may lock an individual in a way that
 * does not survive the move of a shard; then both insert the same row. Citus itself raises 40001 after a shard was split.
 */
export const isLostOnCitus = (error: unknown) => isLostRace(error) || isDuplicateKey(error);

/** What a failed statement means to a caller; undefined if it is a defect of the service. */
export function asProblem(error: unknown): Problem | undefined {
  if (isTooLong(error)) return queryTooSlow();
  if (isLostRace(error) || isLockedTooLong(error)) return databaseContended();
  const isAway = connecting.has(error as object) || awayCodes.test(errorCode(error)) || hasLostWorker(error);
  return isAway ? databaseAway() : undefined;
}

/**
 * What Citus says, without a code of its own (XX000), of a connection to a worker that breaks during a transaction. Each
 * of the second group is a message of libpq that Citus passes on.
 */
const lostWorkers = new RegExp(
  `^(${[
    'failure on connection marked as essential',
    'could not commit transaction for shard',
    'failed to prepare transaction',
    'could not connect to any active placements',

    'server closed the connection unexpectedly',
    'SSL SYSCALL error',
    'SSL error',
    'SSL connection has been closed unexpectedly',
    'could not (receive|send) data',
    '(connection not open|no connection to the server)',
    'lost synchronization with server',
  ].join('|')})`,
);

export function hasLostWorker(error: unknown): boolean {
  return errorCode(error) === 'XX000' && lostWorkers.test(String((error as { message?: unknown }).message));
}

/** Whenever a statement loses a race, another one has succeeded. So few retries are needed. */
const maxRaces = 20;

/** Runs a statement again if it lost a race with another one. A statement that lost has changed nothing. */
export async function retryLostRace<T>(run: () => PromiseLike<T>, isLost = isLostRace): Promise<T> {
  for (let races = 1; ; races += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isLost(error) || races === maxRaces) throw error;
    }
  }
}
