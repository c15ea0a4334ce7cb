/** Ends a statement in PostgreSQL when the caller that waits for it leaves. */
import { CallerGone } from '../../errors.ts';
import type { DatabaseSession, SessionIdentity } from './session.ts';
import type { Sql } from '../sql.ts';

/** A request to cancel that arrives before its statement has no effect. */
const repeatMilliseconds = 100;

export interface Cancelling {
  /** When the caller leaves. */
  signal: AbortSignal | undefined;
  /** Asks PostgreSQL to end what a session is running. */
  cancel(session: SessionIdentity): Promise<unknown>;
}

/**
 * Does work on a session, which the caller has for itself. When the signal is aborted, what the session is running is
 * ended. This returns only when no request to cancel is on its way: so the next statement of the session is safe.
 */
export async function cancelWhenGone<T>(
  session: DatabaseSession,
  { signal, cancel }: Cancelling,
  work: () => PromiseLike<T>,
): Promise<T> {
  if (!signal) return work();
  if (signal.aborted) throw new CallerGone();
  let isDone = false;
  let timer: NodeJS.Timeout | undefined;
  let asked: Promise<unknown> = Promise.resolve();
  const askAgain = () => {
    if (!isDone) timer = setTimeout(ask, repeatMilliseconds).unref();
  };
  const ask = () => {
    // If it cannot be delivered, the statement continues until its time limit.
    asked = (async () => cancel(session.identity))().then(askAgain, askAgain);
  };
  signal.addEventListener('abort', ask, { once: true });
  try {
    return await work();
  } catch (error) {
    throw signal.aborted ? new CallerGone() : error;
  } finally {
    isDone = true;
    signal.removeEventListener('abort', ask);
    clearTimeout(timer);
    await asked;
  }
}

/**
 * A process that is idle when it gets the request ignores it, and gets it before its next statement. The time of its
 * start keeps a process with the same id on another host from being meant.
 */
export async function cancelSession(sql: Sql, { processId, startedAt }: SessionIdentity): Promise<void> {
  await sql`
    select pg_cancel_backend(pid) from pg_stat_get_activity(${processId}::int)
    where backend_start = ${startedAt}::timestamptz`;
}
