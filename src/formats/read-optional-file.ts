import { readFile } from 'node:fs/promises';

/**
 * The text of a file; undefined if there is no such file. Any other failure is an error: the file may exist and have
 * content.
 */
export async function readOptionalFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
