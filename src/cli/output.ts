/** Where a command writes what it reads: a file that only its owner can read, or standard output. */
import { open, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { StartError } from '../errors.ts';

export async function writeOutput(
  chunks: AsyncIterable<string | Uint8Array>,
  output: string | undefined,
): Promise<void> {
  if (output === undefined) return pipeline(chunks, process.stdout, { end: false });
  const file = await openOutputFile(output);
  try {
    for await (const chunk of chunks) await file.writeFile(chunk).catch(refuseOutput(output));
  } finally {
    await file.close();
  }
}

/** Empties the file, or creates it. */
export function openOutputFile(file: string): Promise<FileHandle> {
  return open(file, 'w', 0o600).catch(refuseOutput(file));
}

const refuseOutput = (file: string) => (error: NodeJS.ErrnoException) => {
  throw new StartError(`${file} cannot be written (${error.code}).`);
};
