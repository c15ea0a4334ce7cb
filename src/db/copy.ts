/** COPY into a table. */
import { pipeline } from 'node:stream/promises';
import type { Statement } from './database.ts';

/**
 * Runs a `copy … from stdin` and writes the texts into it.
 *
 * PostgreSQL waits for the end of a COPY without a time limit, and keeps the locks of the transaction meanwhile. So
 * every failure must end it, on either side. If making or writing a text fails, the pipeline destroys its target, and
 * the driver then sends CopyFail. If PostgreSQL refuses the rows after all of them were sent, the driver rejects a
 * promise that it has already resolved with the target (postgres.js 3.4.9, connection.js, `final`), so the rejection
 * would be lost. Therefore it is passed on to the target.
 */
export async function copyInto(copy: Statement, texts: Iterable<string>): Promise<void> {
  const target = await copy.writable();
  (copy as unknown as { reject(error: Error): void }).reject = (error) => void target.destroy(error);
  await pipeline(texts, target);
}
