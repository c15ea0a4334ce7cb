/** Only one Ledgerline may use a data directory. PostgreSQL's own lock would refuse a second one too, but later. */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '../../errors.ts';
import { readOptionalFile } from '../../formats/read-optional-file.ts';

/** Process ids are reused, so a process is identified together with its start time, if the system provides it. */
function identity(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process runs, but belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  try {
    // proc(5): the name, in parentheses, may contain spaces; field 22, the start time, is found by counting after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return `${pid} ${fields[19]}`;
  } catch {
    return String(pid);
  }
}

export function isRunning(pid: number): boolean {
  return identity(pid) !== undefined;
}

/** The process that has locked the directory, if it still runs. */
export async function lockHolder(dataDir: string): Promise<number | undefined> {
  const holder = await readOptionalFile(path.join(dataDir, 'lock'));
  return holder === undefined ? undefined : runningHolder(holder);
}

export async function lockDirectory(dataDir: string): Promise<() => Promise<void>> {
  const file = path.join(dataDir, 'lock');
  const claim = await writeClaim(dataDir);
  try {
    await takeLock(file, claim, (pid) => {
      throw new StartError(
        `Another Ledgerline (process ${pid}) is using ${dataDir}. Stop it first, or set DATA_DIR to another folder.`,
      );
    });
  } finally {
    await rm(claim.file, { force: true });
  }
  return async () => {
    if ((await readOptionalFile(file)) === claim.text) await rm(file, { force: true });
  };
}

/** A file that names this process. It is linked to its final name, so that no process reads an incomplete lock. */
interface Claim {
  file: string;
  text: string;
}

async function writeClaim(dataDir: string): Promise<Claim> {
  // The UUID makes every claim unique, even two claims of one process.
  const text = `${identity(process.pid)!} ${randomUUID()}`;
  const file = path.join(dataDir, `lock.claim-${digestOf(text)}`);
  await writeFile(file, text, { mode: 0o600, flag: 'wx' });
  return { file, text };
}

/**
 * Takes the lock, also from a holder that has ended. If several processes find the same ended holder, the one that
 * takes a second lock, named after that holder, may replace the first lock. Before that it reads the first lock again:
 * another process may have replaced it meanwhile, and then the lock of a running process would be lost.
 */
async function takeLock(file: string, claim: Claim, refuse: (pid: number) => never): Promise<void> {
  for (;;) {
    if (await linkIfAbsent(claim.file, file)) return;
    const holder = await readOptionalFile(file);
    if (holder === undefined) continue;
    const pid = runningHolder(holder);
    if (pid !== undefined) refuse(pid);
    const takeover = `${file}.after-${digestOf(holder)}`;
    await takeLock(takeover, claim, refuse);
    try {
      if ((await readOptionalFile(file)) !== holder) continue;
      await replaceFile(file, claim);
      return;
    } finally {
      await rm(takeover, { force: true });
    }
  }
}

/** A holder with our own process id is an earlier process, on a system that does not provide start times. */
function runningHolder(holder: string): number | undefined {
  const pid = Number.parseInt(holder, 10);
  if (!(pid > 0) || pid === process.pid) return undefined;
  const running = identity(pid);
  return running !== undefined && `${holder} `.startsWith(`${running} `) ? pid : undefined;
}

async function linkIfAbsent(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The claim keeps its own name, since a takeover within a takeover links it twice. */
async function replaceFile(file: string, claim: Claim): Promise<void> {
  const next = `${claim.file}-next`;
  await link(claim.file, next);
  await rename(next, file);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
