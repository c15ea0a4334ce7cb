/** Ends a statement in PostgreSQL when the caller that waits for it leaves. */
import { CallerGone } from '../errors.ts';

/** postgres.js 3.4.9 (query.js): its own `cancel` does not say when the request to cancel has reached the server. */
interface Cancellable {
  canceller: ((query: unknown) => Promise<void>) | null;
  /** Whether the connection is running this statement now. */
  active: boolean;
}

/** A statement that still waits for its connection is checked again after this time. */
const retryMilliseconds = 50;

/**
 * PostgreSQL cancels the statement that the connection is running when the request to cancel arrives. So this returns
 * only after that: a caller that has its own connection can then use it again. `onCancel` is called when the request is
 * sent.
 */
export async function cancelWhenGone<T>(
  result: PromiseLike<T>,
  signal: AbortSignal | undefined,
  onCancel?: () => void,
): Promise<T> {
  if (!signal) return result;
  let cancelling: Promise<unknown> = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;
  const cancel = () => {
    const query = result as Partial<Cancellable>;
    if (!query.canceller || !query.active) {
      // Not yet: the driver would lose the connection, or give the result to the next statement.
      retry = setTimeout(cancel, retryMilliseconds).unref();
      return;
    }
    onCancel?.();
    // If the request cannot be delivered, the statement continues until its time limit.
    cancelling = Promise.allSettled([query.canceller(query)]);
  };
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  try {
    return await result;
  } catch (error) {
    throw signal.aborted ? new CallerGone() : error;
  } finally {
    signal.removeEventListener('abort', cancel);
    clearTimeout(retry);
    await cancelling;
  }
}
