/**
 * Waits until the condition holds, so that a test need not guess how long something takes, and answers with what was
 * read. The test's own timeout ends it.
 */
export async function until<T>(read: () => T | Promise<T>): Promise<Exclude<T, false | null | undefined>> {
  for (let pause = 10; ; pause = Math.min(2 * pause, 80)) {
    const found = await read();
    if (found) return found as Exclude<T, false | null | undefined>;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
