/** A PostgreSQL on a small file system of its own, if one can be mounted, so that its disk can be filled. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { startEmbedded } from '../dist/db/embedded/embedded.js';
import { runMigrations } from '../dist/db/migrations/migrate.js';

/** The size of the disk. The rows of a run take about 15 MiB a minute. */
const diskMebibytes = (minutes) => 700 + 25 * Math.min(minutes, 240);

export async function startDatabase(minutes) {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-chaos-'));
  await chmod(folder, 0o711);
  const disk = path.join(folder, 'disk');
  await mkdir(disk, { mode: 0o711 });
  const isMounted = mountDisk(disk, diskMebibytes(minutes));
  const dataDir = path.join(disk, 'data');
  const settings = { shared_buffers: '64MB', max_wal_size: '64MB', min_wal_size: '32MB', wal_keep_size: '0' };
  const embedded = await startEmbedded({ dataDir, settings });
  await runMigrations(embedded.url);
  const filler = path.join(disk, 'filler');

  function postmaster() {
    const pid = Number.parseInt(readFileSync(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  }

  return {
    folder,
    url: embedded.url,
    port: Number(new URL(embedded.url).port),
    canFillDisk: isMounted,
    isStartedAgain: true,
    workers: [],
    /** The postmaster and its children. Empty while it is down. */
    processes() {
      try {
        const pid = postmaster();
        return { postmaster: pid, children: childrenOf(pid) };
      } catch {
        return { postmaster: undefined, children: [] };
      }
    },
    async fillDisk() {
      await writeUntilFull(filler);
    },
    async freeDisk() {
      await rm(filler, { force: true });
    },
    connect: () => postgres(embedded.url, { max: 2, connection: { search_path: 'ledgerline' }, onnotice: () => {} }),
    async stop() {
      await embedded.stop();
      // A process that was killed may still hold it for a moment.
      if (isMounted) execFileSync('umount', ['--lazy', disk]);
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

export function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

function mountDisk(folder, mebibytes) {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0711`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

async function writeUntilFull(file) {
  const block = Buffer.alloc(4 * 1024 * 1024);
  for (let size = 0; ; size += 1) {
    try {
      await writeFile(file, size === 0 ? '' : block, { flag: 'a' });
    } catch (error) {
      if (error.code === 'ENOSPC') return;
      throw error;
    }
  }
}
