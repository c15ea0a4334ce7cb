/** Ends a statement in PostgreSQL when the caller that waits for it leaves. */
import { CallerGone } from '../errors.ts';

/** postgres.js 3.4.9 (query.js): its own `cancel` does not say when the request to cancel has reached the server. */
interface Cancellable {
  canceller: ((query: unknown) => Promise<void>) | null;
  /** Whether it is the statement that the connection is working on. */
  active: boolean;
}

/**
 * Only for a connection that serves this caller alone: PostgreSQL cancels whatever the connection does when the request
 * arrives. So the result comes only after that, and the next statement on the connection is safe. `statement` is the
 * driver's query where the result is only a part of what it gives.
 */
export async function cancelWhenGone<T>(
  result: PromiseLike<T>,
  signal: AbortSignal | undefined,
  statement: unknown = result,
): Promise<T> {
  if (!signal) return result;
  let cancelling: Promise<unknown> = Promise.resolve();
  const cancel = () => {
    const query = statement as Partial<Cancellable>;
    // If it cannot be delivered, the statement goes on until its time limit. One that waits is not cancelled: the driver
    // would lose its connection, or give its result to the next statement.
    if (query.canceller && query.active) cancelling = Promise.allSettled([query.canceller(query)]);
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await result;
  } catch (error) {
    throw signal.aborted ? new CallerGone() : error;
  } finally {
    signal.removeEventListener('abort', cancel);
    await cancelling;
  }
}
