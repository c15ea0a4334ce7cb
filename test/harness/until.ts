/**
 * Waits until the condition holds, so that a test need not guess how long something takes, and answers with what was
 * read. The test's own timeout ends it.
 */
export async function until<T>(
  read: () => T | Promise<T>,
  pauseMilliseconds = 10,
): Promise<Exclude<T, false | null | undefined>> {
  for (;;) {
    const found = await read();
    if (found) return found as Exclude<T, false | null | undefined>;
    await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
  }
}
