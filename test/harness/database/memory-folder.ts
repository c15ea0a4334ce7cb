/** Temporary files in memory: making and dropping a database takes a third of the processor time that it takes on a disk. */
import { readFileSync, statfsSync } from 'node:fs';

const folder = '/dev/shm';
const neededBytes = 4 * 1024 ** 3;

/** A file system in memory with enough space, from which programs may be started; undefined if there is none. */
export function findMemoryFolder(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .findLast((line) => line.split(' ')[1] === folder);
  const [, , type, options = ''] = mount?.split(' ') ?? [];
  if (type !== 'tmpfs' || /\b(noexec|ro)\b/.test(options)) return undefined;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= neededBytes ? folder : undefined;
}
