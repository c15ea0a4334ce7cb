/** The machine: its Node and its disk. */
import { access, constants, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Config } from '../../config/load.ts';
import { okFinding, problemFinding, warningFinding, type Finding } from './finding.ts';

export function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isEnough = major > 20 || (major === 20 && minor >= 19);
  return isEnough
    ? okFinding('Node', process.versions.node)
    : problemFinding('Node', `${process.versions.node} is too old.`, 'Install 20.19 or newer.');
}

const gibibyte = 1024 ** 3;
const minGibibytes = 1;

/** The embedded database and large record requests write to disk. */
export async function checkDisk({ databaseUrl, dataDir }: Config): Promise<Finding[]> {
  return Promise.all([checkTemporary(tmpdir()), ...(databaseUrl ? [] : [checkFolder(path.resolve(dataDir))])]);
}

/** The service makes DATA_DIR if it is missing, but not this folder. */
async function checkTemporary(folder: string): Promise<Finding> {
  try {
    // The dot refuses a file of that name.
    await access(`${folder}/.`, constants.W_OK);
  } catch (error) {
    return problemFinding(
      'Disk',
      `${folder}, for temporary files, cannot be written to (${(error as NodeJS.ErrnoException).code}).`,
      'Set TMPDIR to a folder that exists and that this user may write to.',
    );
  }
  return checkFolder(folder);
}

async function checkFolder(folder: string): Promise<Finding> {
  const free = await freeGibibytes(folder);
  if (free === undefined)
    return warningFinding('Disk', `the free space of ${folder} cannot be read.`, 'Look at it yourself.');
  return free >= minGibibytes
    ? okFinding('Disk', `${free.toFixed(0)} GiB free for ${folder}`)
    : problemFinding('Disk', `only ${free.toFixed(2)} GiB free for ${folder}.`, 'Free some, or use another folder.');
}

/** Of the nearest folder that exists. */
async function freeGibibytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return (bavail * bsize) / gibibyte;
  } catch (error) {
    const parent = path.dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) return undefined;
    return freeGibibytes(parent);
  }
}
