import { TestRunner } from 'vitest';

/** How long before the test's own timeout a wait ends, so that its message is the one that is reported. */
const marginMilliseconds = 2000;

/** For waits outside of a test: in hooks, and when what a test uses is started. */
const hookMilliseconds = 60_000;

/**
 * Waits until the condition holds, so that a test need not guess how long something takes, and answers with what was
 * read. Shortly before the test's timeout it fails, and says which condition did not come true.
 */
export async function until<T>(
  read: () => T | Promise<T>,
  pauseMilliseconds = 20,
): Promise<Exclude<T, false | null | undefined>> {
  const tooLate = new Error(`This did not become true in time: ${read.toString().replaceAll(/\s+/g, ' ')}`);
  // The stack starts at the line that waits.
  Error.captureStackTrace(tooLate, until);
  let isOver = false;
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooLate), Math.max(0, remainingMilliseconds() - marginMilliseconds));
  });
  async function watch(): Promise<Exclude<T, false | null | undefined>> {
    while (!isOver) {
      const found = await read();
      if (found) return found as Exclude<T, false | null | undefined>;
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
    throw tooLate;
  }
  try {
    return await Promise.race([watch(), late]);
  } finally {
    isOver = true;
    clearTimeout(timer!);
  }
}

/** By the clock of the process, because that of the machine may be put forward during a test. */
const deadlines = new WeakMap<object, { retry: number; at: number }>();

function remainingMilliseconds(): number {
  const test = TestRunner.getCurrentTest();
  if (!test?.timeout || test.result?.state !== 'run' || test.result.startTime === undefined) return hookMilliseconds;
  const { result, timeout } = test;
  const { retryCount: retry = 0, startTime } = result;
  let deadline = deadlines.get(result);
  if (deadline?.retry !== retry) {
    // The start of a second try is not known.
    const used = retry === 0 ? Date.now() - startTime! : 0;
    deadlines.set(result, (deadline = { retry, at: performance.now() + timeout - used }));
  }
  return deadline.at - performance.now();
}
