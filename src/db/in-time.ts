/**
 * The result of a query, or an error with the code `PROBE_TIMEOUT` if it does not come in time. Timers run before
 * sockets are read: so after a long pause of the process (a stopped process, a busy machine) the answer may be there
 * already, and is read first.
 */
export async function inTime<T>(query: PromiseLike<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject({ code: 'PROBE_TIMEOUT' });
    timer = setTimeout(() => setImmediate(giveUp), milliseconds).unref();
  });
  try {
    return await Promise.race([query, late]);
  } finally {
    clearTimeout(timer);
  }
}
