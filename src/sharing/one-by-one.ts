/**
 * Runs a piece of work one by one, in the order of the calls. Each waits for the one before it, whether that succeeds or
 * fails.
 */
export function oneByOne<Given extends unknown[], Result>(
  work: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (...given) => {
    const own = last.then(() => work(...given));
    last = own.catch(() => undefined);
    return own;
  };
}
