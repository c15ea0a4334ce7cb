/** One Ledgerline to a data directory. PostgreSQL's own lock would say so too, but later and in other words. */
import { readFileSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '../errors.ts';

/** Process ids come round again, so the holder is named with the moment it started, where the system tells it. */
function identity(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  try {
    // proc(5): the name, in brackets, may hold spaces; field 22 counts from after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return `${pid} ${fields[19]}`;
  } catch {
    return String(pid);
  }
}

export function isRunning(pid: number): boolean {
  return identity(pid) !== undefined;
}

/** The process that holds the directory, if it still runs. */
export async function lockHolder(dataDir: string): Promise<number | undefined> {
  const holder = await readFile(path.join(dataDir, 'lock'), 'utf8').catch(() => '');
  const pid = Number.parseInt(holder, 10);
  return pid > 0 && pid !== process.pid && identity(pid) === holder ? pid : undefined;
}

export async function lockDirectory(dataDir: string): Promise<() => Promise<void>> {
  const file = path.join(dataDir, 'lock');
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return undefined;
      throw error;
    });
    if (handle) {
      await handle.writeFile(identity(process.pid)!);
      await handle.close();
      return () => rm(file, { force: true });
    }
    const pid = await lockHolder(dataDir);
    if (pid) {
      throw new StartError(
        `Another Ledgerline (process ${pid}) is using ${dataDir}. Stop it first, or set DATA_DIR to another folder.`,
      );
    }
    await rm(file, { force: true });
  }
  throw new StartError(`${file} is taken and given back all the time. Start only one Ledgerline on ${dataDir}.`);
}
