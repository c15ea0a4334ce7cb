/**
 * A time limit for an answer that does not count a long pause of the process (a stopped process, a machine that is moved, a
 * busy processor): the answer may be there already, or may take several messages more, as a login does.
 */

/** A limit is waited for in parts. A part in which the process paused is waited for again. */
const parts = 4;
/** A timer that is late by less than this is no pause. Without a minimum a limit of no time would never end. */
const shortestPauseMilliseconds = 100;

/** Calls `giveUp` when the time is over. The returned function ends the wait. */
export function giveTime(milliseconds: number, giveUp: () => void): () => void {
  const part = milliseconds / parts;
  let timer: NodeJS.Timeout;
  let immediate: NodeJS.Immediate | undefined;
  const wait = (left: number) => {
    const begun = performance.now();
    timer = setTimeout(() => {
      const hasPaused = performance.now() - begun - part > Math.max(part, shortestPauseMilliseconds);
      if (hasPaused || left > 1) wait(hasPaused ? left : left - 1);
      // Timers run before sockets are read.
      else immediate = setImmediate(giveUp);
    }, part);
  };
  wait(parts);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

/** The promise's value; if it takes longer, what `whenLate` returns or throws. */
export async function valueWithin<T, L>(
  promise: PromiseLike<T>,
  milliseconds: number,
  whenLate: () => L,
): Promise<T | L> {
  let end = () => {};
  const late = new Promise<void>((resolve) => (end = giveTime(milliseconds, resolve))).then(whenLate);
  try {
    return await Promise.race([promise, late]);
  } finally {
    end();
  }
}
