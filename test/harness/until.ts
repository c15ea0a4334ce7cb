import { TestRunner } from 'vitest';

/** How long before the test's own timeout a wait ends, so that its message is the one that is reported. */
const marginMilliseconds = 2000;

/**
 * Waits until the condition holds, so that a test need not guess how long something takes, and answers with what was
 * read. Shortly before the test's timeout it fails, and says which condition did not come true.
 */
export async function until<T>(
  read: () => T | Promise<T>,
  pauseMilliseconds = 10,
): Promise<Exclude<T, false | null | undefined>> {
  const tooLate = new Error(`This did not become true in time: ${read.toString().replaceAll(/\s+/g, ' ')}`);
  // The stack starts at the line that waits.
  Error.captureStackTrace(tooLate, until);
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const milliseconds = remainingMilliseconds();
    if (milliseconds !== undefined) timer = setTimeout(() => reject(tooLate), milliseconds);
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
    clearTimeout(timer);
  }
}

/** Undefined outside of a test and when it has ended, as in a hook. */
function remainingMilliseconds(): number | undefined {
  const test = TestRunner.getCurrentTest();
  if (!test?.timeout || test.result?.state !== 'run' || test.result.startTime === undefined) return undefined;
  return Math.max(0, test.result.startTime + test.timeout - Date.now() - marginMilliseconds);
}
