/**
 * A time limit for an answer. Timers run before sockets are read: so after a long pause of the process (a stopped process,
 * a busy machine) the answer may be there already, and is read first.
 */

/** Calls `giveUp` when the time is over. The returned function ends the wait. */
export function giveTime(milliseconds: number, giveUp: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => (immediate = setImmediate(giveUp)), milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
