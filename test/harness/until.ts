/** Waits for a condition, so that a test need not guess how long something takes. The test's own timeout ends it. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}
