/**
 * Time limits for answers. Timers run before sockets are read: so after a long pause of the process (a stopped process, a
 * busy machine) the answer may be there already, and is read first.
 */
import { failure } from './failures.ts';

/** Calls `giveUp` when the time is over. The returned function ends the wait. */
export function giveTime(milliseconds: number, giveUp: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => (immediate = setImmediate(giveUp)), milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

/** The result of a query, or an error with the code `PROBE_TIMEOUT` if it does not come in time. */
export async function inTime<T>(query: PromiseLike<T>, milliseconds: number): Promise<T> {
  let end = () => {};
  const late = new Promise<never>((_, reject) => {
    end = giveTime(milliseconds, () => reject(failure('PROBE_TIMEOUT')));
  });
  try {
    return await Promise.race([query, late]);
  } finally {
    end();
  }
}
