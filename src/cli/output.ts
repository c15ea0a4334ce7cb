/** Where a command writes what it reads: a file that only its owner can read, or standard output. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

export async function writeOutput(
  chunks: AsyncIterable<string | Uint8Array>,
  output: string | undefined,
): Promise<void> {
  const target = output === undefined ? process.stdout : createWriteStream(output, { mode: 0o600 });
  await pipeline(chunks, target, { end: target !== process.stdout });
}
