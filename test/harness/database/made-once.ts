/** What several tests need a copy of, and what takes seconds of processor time to make. */
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { inject } from 'vitest';
import { until } from '../until.ts';

/** A folder of this run, made by the first test that needs it; those in other processes wait for it. */
export async function madeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const made = path.join(inject('runFolder'), name);
  if (existsSync(made)) return made;
  const unfinished = `${made}.unfinished`;
  try {
    await mkdir(unfinished, { mode: 0o711 });
  } catch {
    await until(() => existsSync(made));
    return made;
  }
  await make(unfinished);
  await rename(unfinished, made);
  return made;
}
